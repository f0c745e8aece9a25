// sizes.cc - sizes of written and instantiated types, of names that go out of scope, and of patterns.
#include "compiler/check/sizes.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/base/panic.h"
#include "compiler/syntax/children.h"

namespace raido::check {

Sizes::Sizes(Context& context, Infer& infer, Retry& retry)
    : c(context), types(context.types), infer_(infer), retry_(retry), open_from_(context.types.open_count()), errors_from_(context.diags.error_count()) {
  c.resolve_size = [this](SizeRef s) { return resolve(s); };
}
Sizes::~Sizes() { c.resolve_size = nullptr; }

// Functions in it are open: they take the names of parameters and the existential sizes of what they are first compared with.
TypeRef Sizes::fresh_type(TypeRef t, Span at, Fresh kind, const ast::Pat* pat) {
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        if (!types.as<FunType>(x)) return {};
        opens_.push_back({level_, kind, at, pat});
        return types.open(x);
      },
      [&](SizeRef s) { return types.as<AnySize>(s) ? fresh(at, kind) : s; });
}

// An open function that is applied, or defined, before anything is known of it: it has no names, and its sizes are flexible. Where
// that has failed for the results of a parameter, each call makes them.
void Sizes::settle(OpenType t) {
  Open open = opens_[t.var - open_from_];
  uint32_t level = std::exchange(level_, open.level);
  types.set(t, types.add(settled(*types.as<FunType>(types.erased(t)), open)));
  trail_.push_back({Step::Type, t.var});
  level_ = level;
}

FunType Sizes::settled(const FunType& erased, const Open& open) {
  std::vector<Binding*> exists;
  bool last = !types.as<FunType>(erased.result), own = last && open.pat && retry_.own_results.contains(open.pat);
  auto sizes = [&](TypeRef t, bool result) {
    return rebuild(types, t,
        [&](TypeRef x) -> TypeRef {
          auto* f = types.as<FunType>(x);
          return f ? types.add(settled(*f, open)) : TypeRef{};
        },
        [&](SizeRef s) {
          if (!types.as<AnySize>(s)) return s;
          if (result && own) {
            exists.push_back(made_by_call());
            return types.add(Size{NameSize{exists.back()}});
          }
          SizeRef v = fresh(open.at, open.kind);
          vars_.back().in_arrow = true;
          if (result && last) vars_.back().result_of = open.pat;
          return v;
        });
  };
  FunType f = erased;
  f.param = sizes(f.param, false);
  f.result = sizes(f.result, true);
  f.exists = types.keep(exists);
  return f;
}

// A size that each call of a function makes.
Binding* Sizes::made_by_call(Name name) {
  Binding* b = c.program.bind(name, {}, Binding::Kind::UnknownSize);
  levels_[b] = nowhere;
  return b;
}

void Sizes::settle_all(TypeRef t) {
  std::vector<OpenType> open;
  visit_type(types, t, [&](TypeRef x) { if (auto* o = types.as<OpenType>(x)) open.push_back(*o); }, [](SizeRef) {});
  for (OpenType o : open) if (types.is_open(o)) settle(o);
}

// The bodies of existential types with other sizes each.
TypeRef Sizes::replace_exists(TypeRef t, bool in_functions, const std::function<SizeRef(Binding*)>& by) {
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        if (!in_functions && types.as<FunType>(x)) return x;
        auto* e = types.as<ExistsType>(x);
        if (!e) return {};
        Context::Subst s;
        for (Binding* b : e->sizes) s.sizes[b] = by(b);
        return replace_exists(c.substitute(e->body, s), in_functions, by);
      },
      [](SizeRef s) { return s; });
}

// Anonymous and written existential sizes become flexible.
TypeRef Sizes::replace_any(TypeRef t, Span at) {
  auto fresh_here = [&](Binding*) {
    SizeRef s = fresh(at);
    vars_.back().fixed_by_branch = false;
    return s;
  };
  auto anonymous = [&] {
    SizeRef s = fresh(at);
    vars_.back().anonymous = true;
    return s;
  };
  return rebuild(types, replace_exists(t, true, fresh_here), [](TypeRef) { return TypeRef{}; },
                 [&](SizeRef s) { return types.as<AnySize>(s) ? anonymous() : s; });
}

void Sizes::written_sizes(ast::TypeExpr* t) {
  auto size = [&](ast::SizeExpr& s) { if (s.exp) exp(s.exp); };
  match(t->node,
      [&](ast::TName& n) {
        if (types.is_error(t->type)) return;      // its arguments were not looked at
        for (ast::TypeArg& a : n.args) { if (a.type) written_sizes(a.type); else size(a.size); }
      },
      [&](ast::TArray& a) { size(a.size); written_sizes(a.elem); },
      [&](ast::TRecord& r) { for (auto& f : r.fields) written_sizes(f.second); },
      [&](ast::TSum& s) { for (auto& clause : s.clauses) for (ast::TypeExpr* p : clause.payload) written_sizes(p); },
      [&](ast::TArrow& a) { written_sizes(a.from); written_sizes(a.to); },
      [&](ast::TExists& e) { written_sizes(e.body); },
      [&](ast::TUnique& u) { written_sizes(u.inner); });
}

// The written type with its anonymous sizes flexible.
TypeRef Sizes::written(ast::TypeExpr* t) {
  written_sizes(t);
  return replace_any(t->type, t->span);
}

std::string Made::shown(const Context& c) const {
  std::vector<std::string> holes;
  if (name) holes.push_back(*name);
  holes.push_back(c.sources.place(at));
  return fill(text, holes);
}

SizeRef Sizes::unknown(Span at, Made made, Name name, Origin kind) {
  Binding* b = c.program.bind(name, at, Binding::Kind::UnknownSize);
  levels_[b] = lambda_level_;
  origins_[b] = std::move(made);
  if (kind != Origin::Other) origin_kinds_[b] = kind;
  return types.add(Size{NameSize{b}});
}

// The result of a call: its existential sizes are new.
TypeRef Sizes::open_exists(TypeRef result, std::span<Binding* const> exists, Span at, std::string_view origin) {
  auto made = [&](Binding* b) { return unknown(at, {"an unknown size returned by `{}` at {}", std::string(origin), at}, b->name); };
  Context::Subst s;
  for (Binding* b : exists) s.sizes[b] = made(b);
  return replace_exists(c.substitute(result, s), false, made);
}

// Variables that turned out to be existential: each use makes its own sizes, and so does each place of a type parameter. Those in the
// result of a function are made by its calls.
TypeRef Sizes::replace_absorbed(TypeRef t, Span at) {
  if (!any_absorbed_) return t;
  return replace_absorbed(t, [&](Name) { return unknown(at, {"an unknown size made at {}", {}, at}); });
}

TypeRef Sizes::replace_absorbed(TypeRef t, const std::function<SizeRef(Name)>& make, bool whole) {
  // What a variable was to be; the variable itself if that is not known. Invalid: it was not absorbed.
  auto absorbed = [&](SizeRef s) {
    SizeRef r = resolve(s);
    auto* v = types.as<VarSize>(r);
    if (!v || !vars_[v->var].absorbed) return SizeRef{};
    return vars_[v->var].absorbed_from.valid() ? resolve(vars_[v->var].absorbed_from) : r;
  };
  auto own_place = [&](TypeRef x) { return types.as<FunType>(x) || (type_args_.count(x.index) && !(whole && x == t)); };
  TypeRef before = rebuild(types, t, [&](TypeRef x) { return own_place(x) ? types.unit() : TypeRef{}; },
                           [&](SizeRef s) { SizeRef from = absorbed(s); return from.valid() ? from : s; });
  std::vector<std::pair<SizeRef, SizeRef>> made;      // of what was absorbed
  auto make_one = [&](SizeRef from) {
    for (auto& [one, size] : made) if (same(one, from)) return size;
    auto* n = types.as<NameSize>(from);
    made.emplace_back(from, make(n ? n->name->name : Name{}));
    return made.back().second;
  };
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        if (auto* known = types.as<FunType>(x)) {
          FunType f = *known;
          std::vector<Binding*> exists(f.exists.begin(), f.exists.end());
          f.result = replace_absorbed(f.result, [&](Name name) {
            exists.push_back(made_by_call(name));
            return types.add(Size{NameSize{exists.back()}});
          });
          if (f.result == known->result) return x;
          f.exists = types.keep(exists);
          return types.add(f);
        }
        return own_place(x) ? replace_absorbed(x, make, true) : TypeRef{};
      },
      [&](SizeRef s) {
        SizeRef from = absorbed(s);
        if (!from.valid()) return s;
        if (!types.as<ExpSize>(from)) return make_one(from);
        // The names in it have new ones where arrays tell what they are.
        uint32_t level = vars_[types.as<VarSize>(resolve(s))->var].level;
        bool all_told = true;
        Context::Subst names;
        c.each_name(from, [&](Binding* b) {
          if (level_of(b) <= level) return;
          if (c.witnesses(before, b)) names.sizes[b] = make_one(types.add(Size{NameSize{b}}));
          else all_told = false;
        });
        return all_told ? c.substitute(from, names) : make_one(from);
      });
}

// --- patterns and scopes ---

void Sizes::bind(Binding* b, TypeRef t) {
  levels_[b] = ++level_;
  locals_[b] = t;
}

// The type a parameter pattern asks for, with the uniqueness written there.
TypeRef Sizes::from_pattern(ast::Pat* p) {
  TypeRef asked = match(p->node,
      [&](ast::PAscribe& a) { return written(a.type); },
      [&](ast::PAttr& a) { return from_pattern(a.pat); },
      [&](ast::PTuple& t) {
        std::vector<Field> fields;
        for (size_t i = 0; i < t.parts.size(); i++) fields.emplace_back(c.numeral(i), from_pattern(t.parts[i]));
        return types.record(fields);
      },
      [&](ast::PRecord& t) {
        std::vector<Field> fields;
        for (ast::PField& f : t.fields) fields.emplace_back(f.name, from_pattern(f.pat));
        c.sort_fields(fields);
        return types.record(fields);
      },
      [&](auto&) { return fresh_type(erased(p->type), p->span, Fresh::Plain, p); });    // a name, wildcard, literal, constructor says no more
  visit_type(types, asked, [](TypeRef) {}, [&](SizeRef s) {
    if (auto* v = types.as<VarSize>(resolve(s))) vars_[v->var].in_pattern = true;
  });
  return asked;
}

TypeRef Sizes::field(TypeRef record, Name name) {
  if (auto* u = types.as<UniqueType>(record)) return field(u->inner, name);
  if (auto* r = types.as<RecordType>(record))
    if (auto i = c.field_index(*r, name)) return r->fields[*i].second;
  return types.error();
}

void Sizes::bind_pattern(ast::Pat* p, TypeRef t, std::vector<Binding*>& bound) {
  set(p->type, t);
  match(p->node,
      [&](ast::PVar& v) { bind(v.var, t); bound.push_back(v.var); },
      [&](ast::PTuple& x) {
        for (size_t i = 0; i < x.parts.size(); i++) bind_pattern(x.parts[i], field(t, c.numeral(i)), bound);
      },
      [&](ast::PRecord& x) { for (ast::PField& f : x.fields) bind_pattern(f.pat, field(t, f.name), bound); },
      [&](ast::PConstr& x) {
        auto* s = types.as<SumType>(t);
        if (!s) return;
        for (auto& k : s->constrs)
          if (k.first == x.name) for (size_t i = 0; i < x.args.size() && i < k.second.size(); i++) bind_pattern(x.args[i], k.second[i], bound);
      },
      [&](ast::PAscribe& a) {
        TypeRef w = written(a.type);
        expect(p->span, w, t, "");
        bind_pattern(a.pat, t, bound);
      },
      [&](ast::PAttr& a) { bind_pattern(a.pat, t, bound); },
      [](auto&) {});      // wildcards and literals bind nothing
}

Sizes::Saved Sizes::enter_function() {
  Saved s{level_, lambda_level_};
  lambda_level_ = ++level_;
  return s;
}
// What the body makes cannot be the size of a parameter.
void Sizes::enter_body() { lambda_level_ = ++level_; }
void Sizes::leave_function(Saved s) { level_ = s.level, lambda_level_ = s.lambda_level; }

// Names that go out of scope: a single i64 name is replaced by its value; other sizes that mention them become unknown.
TypeRef Sizes::leave(TypeRef t, const std::vector<Binding*>& gone, Span at, const ast::Expr* value) {
  if (gone.empty()) return t;
  if (value && gone.size() == 1 && !ast::binds_names(value)) {
    Context::Subst s;
    s.sizes[gone[0]] = c.size_of(value);
    return c.substitute(t, s);
  }
  // The shortest size that mentions what is gone becomes one unknown size wherever it stands, in other sizes too; then the next.
  auto lost = [&](SizeRef s) {
    bool mentioned = false;
    c.each_name(s, [&](Binding* b) { mentioned |= std::find(gone.begin(), gone.end(), b) != gone.end(); });
    return mentioned;
  };
  std::function<size_t(SizeRef)> length = [&](SizeRef s) {
    size_t nodes = 1;
    if (auto* e = types.as<ExpSize>(resolve(s)))
      ast::each_expression(e->exp, [&](const ast::Expr* x) {
        auto* h = std::get_if<ast::SizeHole>(&x->node);
        nodes += h ? length(h->size) : 1;
        return true;
      });
    return nodes;
  };
  for (;;) {
    SizeRef least;
    visit_type(types, t, [](TypeRef) {}, [&](SizeRef s) { if (lost(s) && (!least.valid() || length(s) < length(least))) least = s; });
    if (!least.valid()) return t;
    auto* n = types.as<NameSize>(resolve(least));
    SizeRef u = unknown(at, {"an unknown size: `{}` went out of scope at {}", c.show(least), at}, n ? n->name->name : Name{});
    t = rebuild(types, t, [](TypeRef) { return TypeRef{}; }, [&](SizeRef s) { return lost(s) ? replace(s, least, u) : s; });
  }
}

// `s` with `to` in place of `from`, wherever that stands in it.
SizeRef Sizes::replace(SizeRef s, SizeRef from, SizeRef to) {
  if (same(s, from)) return to;
  s = resolve(s);
  auto* e = types.as<ExpSize>(s);
  if (!e) return s;
  const ast::Expr* out = c.rewrite(e->exp, [&](const ast::Expr* x) -> const ast::Expr* {
    if (auto* h = std::get_if<ast::SizeHole>(&x->node)) {
      SizeRef inner = replace(h->size, from, to);
      return inner == h->size ? x : c.exp_of(inner);
    }
    auto* p = x->type.valid() ? types.as<PrimType>(x->type) : nullptr;
    return p && p->prim == Prim::I64 && same(c.size_of(x), from) ? c.exp_of(to) : nullptr;
  });
  return out == e->exp ? s : c.size_of(out);
}

void Sizes::sizes_of_all(TypeRef t, std::unordered_set<uint32_t>& out) {
  visit_type(types, t, [](TypeRef) {}, [&](SizeRef s) { out.insert(s.index); });
}
// The sizes in parts of `t` that were not known yet in `before`.
void Sizes::sizes_of_open(TypeRef t, TypeRef before, std::unordered_set<uint32_t>& out) {
  if (auto* u = types.as<UniqueType>(t)) sizes_of_open(u->inner, before, out);
  else if (types.as<VarType>(before)) sizes_of_all(t, out);
  else if (auto *s = types.as<SumType>(t), *known = types.as<SumType>(before); s && known) {
    for (auto& [name, payload] : s->constrs) {
      auto k = std::ranges::find(known->constrs, name, &Clause::first);
      for (size_t i = 0; i < payload.size(); i++)
        if (k == known->constrs.end()) sizes_of_all(payload[i], out);
        else if (i < k->second.size()) sizes_of_open(payload[i], k->second[i], out);
    }
  }
  else if (auto *r = types.as<RecordType>(t), *known = types.as<RecordType>(before); r && known) {
    for (auto& [name, type] : r->fields) {
      auto f = std::ranges::find(known->fields, name, &Field::first);
      if (f == known->fields.end()) sizes_of_all(type, out);
      else sizes_of_open(type, f->second, out);
    }
  }
  else if (types[t].index() == types[before].index() && has_parts(types[t]))
    zip(types, t, before, [&](TypeRef x, TypeRef y) { sizes_of_open(x, y, out); return x; }, [](SizeRef s, SizeRef) { return s; });
}

// The sizes of what was not known yet when inference came by `at`.
std::unordered_set<uint32_t> Sizes::sizes_of_open(const ast::Expr* at, TypeRef a, TypeRef b) {
  std::unordered_set<uint32_t> out;
  if (auto found = infer_.open_types.find(at); found != infer_.open_types.end())
    sizes_of_open(a, found->second.first, out), sizes_of_open(b, found->second.second, out);
  return out;
}

// Both branches, where sizes that differ become unknown; each pair that differs becomes one.
TypeRef Sizes::join_branches(TypeRef a, TypeRef b, Span at, const ast::Expr* branch) {
  std::unordered_set<uint32_t> open = sizes_of_open(branch, a, b);
  std::vector<std::pair<std::pair<SizeRef, SizeRef>, SizeRef>> made;
  std::function<TypeRef(TypeRef, TypeRef)> go;
  // May what is open in `s` become something else where branches have `s` and another size?
  std::function<bool(SizeRef, bool)> may_change = [&](SizeRef s, bool taken) {
    s = resolve(s);
    bool may = true;
    if (auto* e = types.as<ExpSize>(s))
      ast::each_expression(e->exp, [&](const ast::Expr* x) {
        if (auto* h = std::get_if<ast::SizeHole>(&x->node)) may &= may_change(h->size, taken);
        return true;
      });
    auto* v = types.as<VarSize>(s);
    if (!v) return may;
    const Var& var = vars_[v->var];
    if (var.loop_state || !(var.in_pattern || var.anonymous)) return var.fixed_by_branch;
    retry_.met_open = true;
    bool stays = retry_.stay_open == StayOpen::All || (retry_.stay_open == StayOpen::Known && !taken);
    return var.fixed_by_branch && !stays;
  };
  auto may_become = [&](SizeRef s, SizeRef other) {
    // A branch whose type was not known there takes all of the other one's, with the sizes.
    return same(s, other) || may_change(s, open.count(s.index) || open.count(other.index));
  };
  // A size that nothing has determined, as in the constructors that a branch does not make, takes that of the other branch.
  auto takes = [&](SizeRef s, SizeRef other) {
    auto *v = types.as<VarSize>(resolve(s)), *o = types.as<VarSize>(resolve(other));
    if (!v || !o) return false;
    const Var& var = vars_[v->var];
    return var.fixed_by_branch && !var.in_pattern && !var.loop_state && !var.absorbed && var.level >= vars_[o->var].level;
  };
  // What differs among the branches inside of one is not there in the other, where nothing has the size that is open.
  auto differs_inside = [&](SizeRef s) {
    auto* n = types.as<NameSize>(resolve(s));
    const Origin* kind = n ? origin_kinds_.find(n->name) : nullptr;
    if (!kind || *kind != Origin::Branches) return false;
    Span made = origins_.find(n->name)->at;
    return made.file == at.file && made.begin >= at.begin && made.end <= at.end;
  };
  auto of_nothing = [&](SizeRef s, SizeRef other) {
    auto* v = types.as<VarSize>(resolve(s));
    return v && vars_[v->var].fixed_by_branch && !vars_[v->var].in_pattern && !vars_[v->var].loop_state && differs_inside(other);
  };
  auto size = [&](SizeRef x, SizeRef y) -> SizeRef {
    size_t m = mark();
    bool one = takes(x, y) || takes(y, x) || (may_become(x, y) && may_become(y, x));
    bool none = false;
    for (auto [open, other] : {std::pair(x, y), std::pair(y, x)})
      if (of_nothing(open, other)) none = link(types.as<VarSize>(resolve(open))->var, types.add(Size{ConstSize{0}}));
    if (!none && (one ? unify_size(x, y) : same(x, y))) return x;
    if (!none) rollback(m);
    for (auto& [pair, u] : made) if (same(pair.first, x) && same(pair.second, y)) return u;
    SizeRef u = unknown(at, {"unknown due to conditional expression at {}", {}, at}, {}, Origin::Branches);
    made.push_back({{x, y}, u});
    return u;
  };
  go = [&](TypeRef x, TypeRef y) -> TypeRef {
    if (x == y || types[x].index() != types[y].index()) return x;
    if (has_parts(types[x])) return zip(types, x, y, go, size);
    unify(x, y);
    return x;
  };
  return go(a, b);
}

}  // namespace raido::check
