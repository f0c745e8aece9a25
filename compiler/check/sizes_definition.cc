// sizes_definition.cc - sizes of functions and whole definitions. What stays open is generalised. A recursive use has the type that the
// definition was found to have.
#include <algorithm>

#include "compiler/base/panic.h"
#include "compiler/check/sizes.h"
#include "compiler/syntax/children.h"

namespace raido::check {

// --- functions ---

// Open functions in a parameter's type are those of the values that it will get, as far as these are known.
void Sizes::adopt_functions(TypeRef t, TypeRef from) {
  if (auto* o = types.as<OpenType>(t)) {
    if (types.was_open(from)) find(*o, from);
    return;
  }
  auto *r = types.as<RecordType>(t), *s = types.as<RecordType>(from);
  for (size_t i = 0; r && s && i < r->fields.size() && i < s->fields.size(); i++) adopt_functions(r->fields[i].second, s->fields[i].second);
}

// The name of a parameter that is bound as a whole.
Binding* Sizes::whole_name(ast::Pat* p) const {
  if (auto* v = std::get_if<ast::PVar>(&p->node)) return v->var;
  if (auto* a = std::get_if<ast::PAscribe>(&p->node)) return whole_name(a->pat);
  if (auto* a = std::get_if<ast::PAttr>(&p->node)) return whole_name(a->pat);
  return nullptr;
}

namespace {
void names_in(ast::Pat* p, std::vector<Binding*>& out) {
  match(p->node,
      [&](ast::PVar& v) { out.push_back(v.var); },
      [&](ast::PTuple& t) { for (ast::Pat* q : t.parts) names_in(q, out); },
      [&](ast::PRecord& r) { for (ast::PField& f : r.fields) names_in(f.pat, out); },
      [&](ast::PConstr& k) { for (ast::Pat* q : k.args) names_in(q, out); },
      [&](ast::PAscribe& a) { names_in(a.pat, out); },
      [&](ast::PAttr& a) { names_in(a.pat, out); },
      [](auto&) {});
}
}  // namespace

// A size that was made inside belongs to the innermost result that has it as the size of an array. Where a result has it in other
// sizes only, each of these becomes a size of its own. `exists`: those of `t` itself.
TypeRef Sizes::bind_made(TypeRef t, const std::vector<Binding*>& made, std::vector<Binding*>& exists, Span at) {
  t = rebuild(types, t, [](TypeRef) { return TypeRef{}; }, [&](SizeRef s) { return resolve(s); });
  std::vector<Binding*> hidden;
  for (Binding* b : made) (c.witnesses(t, b) ? exists : hidden).push_back(b);
  if (hidden.empty()) return t;
  std::vector<std::pair<SizeRef, SizeRef>> own;
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        auto* known = types.as<FunType>(x);
        if (!known) return {};
        FunType f = *known;
        std::vector<Binding*> inner;
        f.result = bind_made(f.result, hidden, inner, at);
        Context::Subst s;
        for (Binding*& b : inner) {
          Binding* of_call = made_by_call(b->name);
          s.sizes[std::exchange(b, of_call)] = types.add(Size{NameSize{of_call}});
        }
        f.result = c.substitute(f.result, s);
        inner.insert(inner.end(), f.exists.begin(), f.exists.end());
        f.exists = types.keep(inner);
        return types.add(f);
      },
      [&](SizeRef s) {
        bool is_hidden = false;
        c.each_name(s, [&](Binding* b) { is_hidden |= std::find(hidden.begin(), hidden.end(), b) != hidden.end(); });
        if (!is_hidden) return s;
        for (auto& [from, to] : own) if (same(from, s)) return to;
        own.push_back({s, unknown(at, {"a size of the result at {}", {}, at})});
        exists.push_back(types.as<NameSize>(own.back().second)->name);
        return own.back().second;
      });
}

// The function type of parameters and the type of a body. Still at the level of the function.
TypeRef Sizes::close_function(std::span<ast::Pat*> params, const std::vector<TypeRef>& from, TypeRef result, uint32_t level) {
  for (TypeRef t : from) settle_all(t);
  std::vector<Binding*> inner;
  for (ast::Pat* p : params) {
    Binding* whole = whole_name(p);
    if (!whole) names_in(p, inner);
  }
  Span at = params.empty() ? Span{} : params.back()->span;
  if (!inner.empty()) {
    // The sizes that were parts of parameters have no names outside.
    std::unordered_set<const Binding*> before;
    auto each = [&](auto&& f) { visit_type(types, result, [](TypeRef) {}, [&](SizeRef s) { c.each_name(s, f); }); };
    each([&](Binding* b) { before.insert(b); });
    result = leave(result, inner, at);
    each([&](Binding* b) { if (!before.count(b)) lambda_params_.insert(b); });
  }
  // Sizes made inside are made anew by each call.
  std::vector<Binding*> exists;
  visit_type(types, result, [](TypeRef) {}, [&](SizeRef s) {
    c.each_name(s, [&](Binding* b) {
      if (b->kind == Binding::Kind::UnknownSize && level_of(b) >= level && level_of(b) != nowhere && std::find(exists.begin(), exists.end(), b) == exists.end())
        exists.push_back(b);
    });
  });
  // A size made inside cannot be known to whoever would apply a function in the result.
  std::function<void(TypeRef)> look = [&](TypeRef t) {
    visit_type(types, t, [&](TypeRef x) {
      auto* f = types.as<FunType>(x);
      if (!f) return;
      visit_type(types, f->param, [](TypeRef) {}, [&](SizeRef s) {
        c.each_name(s, [&](Binding* b) {
          if (std::find(exists.begin(), exists.end(), b) != exists.end()) c.diags.report(at, err::unknown_in_parameter, c.show(s));
        });
      });
    }, [](SizeRef) {});
  };
  if (!exists.empty()) {
    size_t errors = c.diags.error_count();
    look(result);
    if (c.diags.error_count() == errors) result = bind_made(result, std::exchange(exists, {}), exists, at);
  }
  TypeRef out = result;
  FlatMap<Binding*, bool> mentioned;                 // by `out`
  auto look_at = [&](TypeRef t) { c.each_size_name(t, [&](Binding* b) { mentioned[b] = true; }); };
  look_at(result);
  for (size_t i = params.size(); i-- > 0;) {
    FunType f;
    f.param = from[i];
    f.result = out;
    if (i + 1 == params.size()) f.exists = types.keep(exists);
    Binding* whole = whole_name(params[i]);
    if (whole && mentioned.contains(whole)) f.name = whole;
    look_at(f.param);
    out = types.add(f);
  }
  return out;
}

// Gives `t` the uniqueness written in `annotation`.
TypeRef Sizes::with_unique(TypeRef annotation, TypeRef t) {
  if (types.as<UniqueType>(annotation)) return types.add(UniqueType{t});
  if (auto* a = types.as<RecordType>(annotation)) {
    auto* r = types.as<RecordType>(t);
    if (!r || a->fields.size() != r->fields.size()) return t;
    std::vector<Field> fields(r->fields.begin(), r->fields.end());
    for (size_t i = 0; i < fields.size(); i++) fields[i].second = with_unique(a->fields[i].second, fields[i].second);
    return types.record(fields);
  }
  return t;
}

// Open size variables of a function's type become implicit size parameters.
void Sizes::generalise(TypeRef t, uint32_t level, Scheme& into) {
  visit_type(types, t, [](TypeRef) {}, [&](SizeRef s) { generalise(s, level, into); });
}
void Sizes::generalise(SizeRef s, uint32_t level, Scheme& into) {
  s = resolve(s);
  if (auto* v = types.as<VarSize>(s)) {
    if (vars_[v->var].level < level || vars_[v->var].absorbed) return;
    Binding* b = c.program.bind(c.intern("d" + std::to_string(v->var)), vars_[v->var].origin, Binding::Kind::Size);
    levels_[b] = nowhere;
    if (vars_[v->var].result_of) result_of_[b] = vars_[v->var].result_of;
    vars_[v->var].link = types.add(Size{NameSize{b}});
    size_changed(v->var);
    into.sizes.push_back(b);
  }
  else if (auto* e = types.as<ExpSize>(s)) {
    ast::each_expression(e->exp, [&](const ast::Expr* x) {
      if (auto* h = std::get_if<ast::SizeHole>(&x->node)) generalise(h->size, level, into);
      return true;
    });
  }
}

TypeRef Sizes::lambda(ast::Lambda& l, TypeRef wanted) {
  Saved saved = enter_function();
  uint32_t level = level_;
  std::vector<TypeRef> from;
  std::vector<Binding*> bound;
  for (ast::Pat* p : l.params) {
    TypeRef t = from_pattern(p);
    if (auto* f = wanted.valid() ? types.as<FunType>(wanted) : nullptr) {
      adopt_functions(t, f->param);
      wanted = f->result;
    }
    from.push_back(t);
    bind_pattern(p, c.strip_unique(t), bound);
  }
  enter_body();
  TypeRef body = exp(l.body);
  if (l.result) {
    TypeRef w = written(l.result);
    expect(ast::result_of(l.body)->span, w, body, "in the result of the function");
    body = with_unique(w, body);
  }
  TypeRef t = close_function(l.params, from, body, level);
  for (Binding* b : bound) levels_[b] = nowhere;
  std::function<void(TypeRef)> hide = [&](TypeRef x) {
    if (auto* f = types.as<FunType>(x)) {
      for (Binding* b : f->exists) levels_[b] = nowhere;
      hide(f->result);
    }
  };
  hide(t);
  leave_function(saved);
  return t;
}

void Sizes::local_function(ast::LetFun& l) {
  ast::Def& def = *l.def;
  Saved saved = enter_function();
  uint32_t level = level_;
  std::vector<Binding*> bound;
  Scheme scheme;
  for (ast::TypeParam& p : def.tparams) {
    if (p.size) { bind(p.size, types.prim(Prim::I64)); scheme.sizes.push_back(p.size); bound.push_back(p.size); }
    else scheme.types.push_back(p.type);
  }
  std::vector<TypeRef> from;
  for (ast::Pat* p : def.params) {
    TypeRef t = from_pattern(p);
    from.push_back(t);
    bind_pattern(p, c.strip_unique(t), bound);
  }
  enter_body();
  TypeRef w;
  if (def.result) w = written(def.result);
  TypeRef body = exp(def.body);
  if (def.result) {
    expect(ast::result_of(def.body)->span, w, body, "in the result of `{}`", c.text(def.self->name));
    body = with_unique(w, body);
  }
  scheme.type = close_function(def.params, from, body, level);
  generalise(scheme.type, level, scheme);
  FlatMap<Binding*, bool> mentioned;
  c.each_size_name(scheme.type, [&](Binding* b) { mentioned[b] = true; });
  for (ast::TypeParam& p : def.tparams)
    if (p.size && !mentioned.contains(p.size)) c.diags.report(p.span, err::unused_size, c.text(p.name));
  for (Binding* b : bound) levels_[b] = nowhere;
  std::function<void(TypeRef)> hide = [&](TypeRef x) {
    if (auto* f = types.as<FunType>(x)) {
      for (Binding* b : f->exists) levels_[b] = nowhere;
      hide(f->result);
    }
  };
  hide(scheme.type);
  leave_function(saved);
  const Scheme* made = c.scheme(scheme);
  def.scheme = def.self->scheme = made;
  polymorphic_[def.self] = made;
  slots_.push_back(const_cast<TypeRef*>(&made->type));
  levels_[def.self] = ++level_;
}

// --- definitions ---

// A recursive function for its own body, before its type is known. Each use has its own sizes of parameters. The sizes that a declared
// result leaves open are one for all uses and the definition; without a declaration each use takes what it needs. `w`: the declared result.
Scheme Sizes::recursive_use(ast::Def& def, std::vector<TypeRef> from, TypeRef w, const std::vector<Binding*>& sizes) {
  Scheme self{{}, sizes, {}};
  std::unordered_map<uint32_t, SizeRef> own;
  auto each_open_size = [&](TypeRef t, auto&& f) {
    settle_all(t);
    return rebuild(types, t, [](TypeRef) { return TypeRef{}; }, [&](SizeRef s) {
      s = resolve(s);
      auto* v = types.as<VarSize>(s);
      return v ? f(v->var) : s;
    });
  };
  auto of_use = [&](uint32_t var) {
    auto [it, is_new] = own.emplace(var, SizeRef{});
    if (is_new) {
      self.sizes.push_back(c.program.bind({}, vars_[var].origin, Binding::Kind::Size));
      levels_[self.sizes.back()] = nowhere;
      it->second = types.add(Size{NameSize{self.sizes.back()}});
    }
    return it->second;
  };
  for (TypeRef& t : from) t = each_open_size(t, of_use);
  TypeRef result = def.result ? w : fresh_type(erased(def.body->type), def.name_span);
  std::vector<Binding*> made;
  if (retry_.own_sizes)
    result = each_open_size(result, [&](uint32_t) {
      SizeRef size = unknown(def.name_span, {"a size of the result of a recursive call", {}, def.name_span});
      made.push_back(types.as<NameSize>(size)->name);
      return size;
    });
  else if (!def.result) result = each_open_size(result, of_use);
  self.type = close_function(def.params, from, result, lambda_level_);
  for (Binding* b : made) levels_[b] = nowhere;
  return self;
}

Scheme Sizes::definition(ast::Def& def) {
  Scheme scheme;
  scheme.types = infer_.generalised;
  Saved saved = enter_function();
  uint32_t level = level_;
  std::vector<Binding*> bound;
  for (ast::TypeParam& p : def.tparams)
    if (p.size) { bind(p.size, types.prim(Prim::I64)); scheme.sizes.push_back(p.size); bound.push_back(p.size); }
  std::vector<TypeRef> from;
  for (ast::Pat* p : def.params) {
    TypeRef t = from_pattern(p);
    from.push_back(t);
    bind_pattern(p, c.strip_unique(t), bound);
  }
  enter_body();
  TypeRef w;
  if (def.result && infer_.intrinsic_result_sizes) {
    // Provided by the compiler: the written type is all there is to know.
    written_sizes(def.result);
    for (Binding* b : *infer_.intrinsic_result_sizes) {
      b->kind = Binding::Kind::UnknownSize;
      levels_[b] = lambda_level_;
    }
    w = def.result->type;
  }
  else if (def.result) w = written(def.result);
  // What a declared result leaves open is found from the body, where recursive calls have it.
  if (w.valid())
    visit_type(types, w, [](TypeRef) {}, [&](SizeRef s) {
      if (auto* v = types.as<VarSize>(resolve(s))) vars_[v->var].anonymous = false;
    });
  if (def.recursive) polymorphic_[def.self] = retry_.self ? retry_.self : c.scheme(recursive_use(def, from, w, scheme.sizes));
  TypeRef body = exp(def.body);
  if (def.result) {
    std::vector<Binding*> inner;
    for (ast::Pat* p : def.params) if (!whole_name(p)) names_in(p, inner);
    bool names_inner = false;
    visit_type(types, def.result->type, [](TypeRef) {}, [&](SizeRef s) {
      c.each_name(s, [&](Binding* b) { names_inner |= std::find(inner.begin(), inner.end(), b) != inner.end(); });
    });
    if (names_inner) c.diags.report(def.result->span, err::result_names_inner);
    size_t errors = c.diags.error_count();
    expect(ast::result_of(def.body)->span, w, body, "in the result of `{}`", c.text(def.self->name));
    body = c.diags.error_count() == errors ? with_unique(w, body) : w;
  }
  if (def.params.empty()) {
    std::vector<Binding*> made, kept;
    c.each_size_name(body, [&](Binding* b) {
      if (b->kind == Binding::Kind::UnknownSize && origins_.contains(b) && std::find(made.begin(), made.end(), b) == made.end()) made.push_back(b);
    });
    scheme.type = bind_made(body, made, kept, def.name_span);
  }
  else scheme.type = close_function(def.params, from, body, level);
  generalise(scheme.type, level, scheme);
  leave_function(saved);
  finish();
  scheme.type = final_type(scheme.type);
  if (def.params.empty()) {
    bool unknown_size = false;
    visit_type(types, scheme.type, [](TypeRef) {}, [&](SizeRef s) {
      c.each_name(s, [&](Binding* b) { if (b->kind == Binding::Kind::UnknownSize && origins_.contains(b)) b->top_level = unknown_size = true; });
    });
    if (unknown_size && !scheme.sizes.empty()) c.diags.report(def.name_span, err::size_polymorphic_constant, c.text(scheme.sizes[0]->name));
  }
  FlatMap<Binding*, bool> mentioned;
  c.each_size_name(scheme.type, [&](Binding* b) { mentioned[b] = true; });
  for (ast::TypeParam& p : def.tparams)
    if (p.size && !mentioned.contains(p.size)) c.diags.report(p.span, err::unused_size, c.text(p.name));
  // A size of a parameter that is bound inside another one cannot be told to callers.
  for (ast::Pat* p : def.params) {
    std::vector<Binding*> inner;
    if (!whole_name(p)) names_in(p, inner);
    for (Binding* b : inner)
      if (mentioned.contains(b)) { c.diags.report(p->span, err::inaccessible_size, c.text(b->name)); break; }
  }
  return scheme;
}

SizeRef Sizes::final_size(SizeRef s) {
  SizeRef r = resolve(s);
  if (auto* v = types.as<VarSize>(r)) {
    Var& var = vars_[v->var];
    // Nothing has this size before the first iteration: the start is an empty array or a constructor without such an array.
    if (var.changed_by_loop && !var.param && !var.absorbed && !var.coerced && !var.existential) return types.add(Size{ConstSize{0}});
    if (!var.absorbed && var.origin.valid() && c.diags.error_count() == errors_from_ && !met_error_) {
      std::string what = var.param && var.param->name.valid() ? "the size parameter `" + std::string(c.text(var.param->name)) + "`" : "a size here";
      if (var.existential) c.diags.report(var.origin, err::existential_parameter, what).help("apply the functions one after the other, with `|>`");
      else if (var.coerced) c.diags.report(var.origin, err::coerced_size);
      else
        c.diags.report(var.origin, err::ambiguous_size, what)
            .help(var.param ? "" : "write the type of this, with a size for it, as `([] : [0][1]i32)`");
    }
    if (!var.unknown) var.unknown = c.program.bind({}, var.origin, Binding::Kind::UnknownSize);
    return types.add(Size{NameSize{var.unknown}});
  }
  auto* e = types.as<ExpSize>(r);
  if (!e) return r;
  const ast::Expr* out = c.rewrite(e->exp, [&](const ast::Expr* x) -> const ast::Expr* {
    auto* h = std::get_if<ast::SizeHole>(&x->node);
    if (!h) return nullptr;
    SizeRef inner = final_size(h->size);
    if (auto* ie = types.as<ExpSize>(inner)) return ie->exp;
    return inner == h->size ? x : c.exp_of(inner);
  });
  return out == e->exp ? r : c.size_of(out);
}

TypeRef Sizes::final_type(TypeRef t) {
  settle_all(t);
  return rebuild(types, t, [](TypeRef) { return TypeRef{}; }, [&](SizeRef s) { return final_size(s); });
}

void Sizes::finish() {
  for (TypeRef* slot : slots_) {
    TypeRef& done = types.facts(*slot).finished;
    if (!done.valid()) done = final_type(*slot);
    *slot = done;
  }
  slots_.clear();
}

bool Sizes::is_as_assumed(const Scheme& self, const Scheme& found) {
  std::vector<TypeRef> same;
  for (TypeId id : found.types) same.push_back(types.add(NamedType{id, {}}));
  return implements(self, found, same);
}

bool Sizes::implements(const Scheme& spec, const Scheme& impl, const std::vector<TypeRef>& inst) {
  std::vector<TypeRef> args = inst;
  TypeRef t = instantiate(impl, args, {});
  left_ = {}, right_ = {}, failure_ = Failure::Differ;
  level_++;
  implementing_ = true;
  bool ok = unify(c.strip_pointless(spec.type), t);      // an abstract type may have become one without memory
  implementing_ = false;
  level_--;
  if (ok) return true;
  if (failure_ == Failure::Consumes) why_ = reason(err::spec_consumption);
  else if (failure_ == Failure::ResultUnique) why_ = {{}, "the types have incompatible uniqueness of results"};
  else why_ = {{}, "Sizes \"" + c.show(left_) + "\" and \"" + c.show(right_) + "\" do not match"};
  return false;
}

}  // namespace raido::check
