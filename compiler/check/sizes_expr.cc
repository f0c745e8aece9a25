// Sizes of expressions, one case per node. Structure is known to be right; only sizes are compared and made.
#include <algorithm>

#include "compiler/base/panic.h"
#include "compiler/base/small_vector.h"
#include "compiler/check/sizes.h"
#include "compiler/syntax/children.h"

namespace raido::check {

// Chains of `let`, `else if` and operators are walked, not descended into.
TypeRef Sizes::exp(ast::Expr* e) {
  if (ast::is_let(*e)) return lets(e);
  if (std::get_if<ast::If>(&e->node)) return ifs(e);
  if (std::get_if<ast::Operator>(&e->node)) return operators(e);
  TypeRef t = node(e);
  met_error_ |= types.is_error(t);
  set(e->type, t);
  return t;
}

TypeRef Sizes::lets(ast::Expr* e) {
  struct Link { ast::Expr* exp; uint32_t outer; std::vector<Binding*> bound; const ast::Expr* value; };
  std::vector<Link> chain;
  for (; ast::is_let(*e); e = ast::body_of_let(*e)) {
    chain.push_back({e, level_, {}, nullptr});
    if (auto* l = std::get_if<ast::Let>(&e->node)) chain.back().value = let(*l, chain.back().bound);
    else {
      auto& f = std::get<ast::LetFun>(e->node);
      local_function(f);
      chain.back().bound.push_back(f.def->self);
    }
  }
  TypeRef t = exp(e);
  for (size_t k = chain.size(); k-- > 0;) {
    Link& link = chain[k];
    level_ = link.outer;
    t = leave(t, link.bound, std::get_if<ast::Let>(&link.exp->node) ? link.exp->span : ast::body_of_let(*link.exp)->span, link.value);
    set(link.exp->type, t);
  }
  return t;
}

// Binds the pattern; answers the value if it is what the pattern, a plain i64 name, stands for.
const ast::Expr* Sizes::let(ast::Let& l, std::vector<Binding*>& bound) {
  TypeRef value = exp(l.value);
  if (!l.sizes.empty()) {
    // The pattern's type names the sizes of the value.
    Context::Subst s;
    for (ast::TypeParam& p : l.sizes) {
      bind(p.size, types.prim(Prim::I64));
      bound.push_back(p.size);
    }
    TypeRef shape = c.strip_unique(from_pattern(l.pat));
    for (ast::TypeParam& p : l.sizes) {
      if (!c.mentions(shape, p.size)) c.diags.report(p.span, err::unused_size_binder, c.text(p.name));
      else if (!c.witnesses(shape, p.size)) c.diags.report(p.span, err::size_binder_in_function, c.text(p.name));
      s.sizes[p.size] = fresh(p.span, Fresh::Absorbable);
    }
    expect(l.pat->span, c.substitute(shape, s), value, "in the pattern");
    bind_pattern(l.pat, shape, bound);
    return nullptr;
  }
  bind_pattern(l.pat, value, bound);
  auto* p = bound.size() == 1 && whole_name(l.pat) ? types.as<PrimType>(value) : nullptr;
  return p && p->prim == Prim::I64 ? l.value : nullptr;
}

TypeRef Sizes::ifs(ast::Expr* e) {
  std::vector<std::pair<ast::Expr*, TypeRef>> chain;               // with the type of the branch
  for (; auto* i = std::get_if<ast::If>(&e->node); e = i->else_) {
    exp(i->cond);
    chain.emplace_back(e, exp(i->then_));
  }
  TypeRef t = exp(e);
  for (size_t k = chain.size(); k-- > 0;) {
    t = join_branches(chain[k].second, t, chain[k].first->span, std::get<ast::If>(chain[k].first->node).then_);
    set(chain[k].first->type, t);
  }
  return t;
}

TypeRef Sizes::operators(ast::Expr* e) {
  struct Link { ast::Expr* exp; TypeRef fun; };                    // invalid: a builtin operator
  SmallVector<Link, 8> chain;
  for (; auto* o = std::get_if<ast::Operator>(&e->node); e = o->left) {
    auto* r = std::get_if<ast::Ref>(&o->op->node);
    bool builtin = r && r->path.root && r->path.root->kind == Binding::Kind::Builtin;
    chain.push_back({e, builtin ? TypeRef{} : exp(o->op)});
  }
  TypeRef t = exp(e);
  for (size_t k = chain.size(); k-- > 0;) {
    auto [link, fun] = chain[k];
    t = operator_(link, fun, t);
    set(link->type, t);
  }
  return t;
}

// `left`: the type of the left operand; `fun`: of the operator, invalid for a builtin.
TypeRef Sizes::operator_(ast::Expr* e, TypeRef fun, TypeRef left) {
  auto& o = std::get<ast::Operator>(e->node);
  if (!fun.valid()) {
    TypeRef right = exp(o.right);
    TypeRef result = erased(e->type);
    expect(e->span, left, right, "the operands have the same type");
    o.op->type = types.fun(left, types.fun(right, result));
    slots_.push_back(&o.op->type);
    return result;
  }
  std::string_view name = c.sources.text(o.op->span);
  fun = apply(fun, left, o.left, e->span, name);
  TypeRef right = argument(o.right, fun);
  return replace_absorbed(apply(fun, right, o.right, e->span, name), e->span);
}

const ast::Expr* Sizes::literal_exp(i64 value) { return c.exp_of(types.add(Size{ConstSize{value}})); }

std::optional<i64> Sizes::literal_value(const ast::Expr* e) const {
  if (!e) return {};
  if (auto* l = std::get_if<ast::Literal>(&e->node); l && l->kind == ast::Literal::Kind::Int) return i64(l->integer);
  if (auto* u = std::get_if<ast::Unary>(&e->node); u && u->op == ast::Unary::Op::Negate)
    if (auto v = literal_value(u->operand)) return -*v;
  return {};
}

// a op b with the built-in operator.
SizeRef Sizes::arithmetic(const char* op, SizeRef a, SizeRef b, Span at) {
  Name name = c.intern(op);
  ast::Path p{};
  p.span = at;
  p.names = c.program.arena.copy(std::vector<Name>{name});
  p.spans = c.program.arena.copy(std::vector<Span>{at});
  p.root = c.builtin(name);
  ast::Expr* ref = c.program.arena.make<ast::Expr>(at, ast::Ref{p, {}}, TypeRef{});
  TypeRef i = types.prim(Prim::I64);
  ref->type = types.fun(i, types.fun(i, i));
  ast::Operator o{ref, const_cast<ast::Expr*>(c.exp_of(a)), const_cast<ast::Expr*>(c.exp_of(b))};
  return types.add(Size{ExpSize{c.program.arena.make<ast::Expr>(at, o, i)}});
}

TypeRef Sizes::instantiate(const Scheme& scheme, std::span<TypeRef> inst, Span at) {
  Context::Subst s;
  for (size_t i = 0; i < scheme.types.size() && i < inst.size(); i++) {
    bool lifted = types[scheme.types[i]].lifted != Lifted::No;
    TypeRef arg = fresh_type(erased(inst[i]), at, lifted ? Fresh::Absorbable : Fresh::Unlifted);
    set(inst[i], arg);
    if (lifted) type_args_.insert(arg.index);
    s.types[scheme.types[i]] = {{}, arg, Lifted::No, {}};
  }
  for (Binding* b : scheme.sizes) {
    SizeRef v = fresh(at);
    vars_.back().param = b;
    if (auto* pat = result_of_.find(b)) vars_.back().result_of = *pat;
    s.sizes[b] = v;
  }
  return c.substitute(scheme.type, s);
}

TypeRef Sizes::ref(ast::Expr* e, ast::Ref& r) {
  Binding* b = r.path.root;
  if (!b) return types.error();
  if (b->kind == Binding::Kind::Builtin) {
    // t -> t -> result, or t -> t; only for `==` may t have sizes.
    TypeRef whole = erased(e->type);
    auto* f = types.as<FunType>(whole);
    if (!f) return whole;
    TypeRef operand = fresh_type(f->param, e->span);
    auto* g = types.as<FunType>(f->result);
    if (!g) return types.fun(operand, operand);
    TypeRef result = g->result;
    return types.fun(operand, types.fun(operand, result));
  }
  if (r.path.members.empty()) {
    if (const Scheme** own = polymorphic_.find(b)) return instantiate(**own, r.inst, e->span);
    if (const TypeRef* local = locals_.find(b)) return *local;
    if (b->scheme) return instantiate(*b->scheme, r.inst, e->span);
    return types.prim(Prim::I64);        // a size bound by a written type
  }
  const Scheme* s = c.member_scheme(r.path);
  return s ? instantiate(*s, r.inst, e->span) : types.error();
}

// The type as that of a function; null: it is none, which inference has reported.
const FunType* Sizes::function(TypeRef t) {
  if (auto* u = types.as<UniqueType>(t)) t = u->inner;
  if (auto* o = types.as<OpenType>(t)) settle(*o);
  return types.as<FunType>(t);
}

// An argument of `fun`: what a lambda's parameters will be is known from there.
TypeRef Sizes::argument(ast::Expr* e, TypeRef fun) {
  auto* l = std::get_if<ast::Lambda>(&e->node);
  auto* f = types.as<FunType>(fun);
  if (!l || !f) return exp(e);
  TypeRef t = lambda(*l, f->param);
  set(e->type, t);
  return t;
}

TypeRef Sizes::apply(TypeRef fun, TypeRef arg, ast::Expr* arg_exp, Span at, std::string_view name) {
  auto* known = function(fun);
  if (!known) return types.error();
  FunType f = *known;
  expect(arg_exp ? arg_exp->span : at, f.param, arg, "in the argument of `{}`", name);
  TypeRef result = f.result;
  if (f.name) {
    Context::Subst s;
    if (!arg_exp || ast::binds_names(arg_exp)) {
      SizeRef u = unknown(at, {"an unknown size: the argument binds names", {}, at});
      if (c.mentions(result, f.name)) c.diags.report(arg_exp ? arg_exp->span : at, err::size_replaced, c.show(u));
      s.sizes[f.name] = u;
      if (arg_exp) arg_exp->size = types.as<NameSize>(u)->name;
      // Only whole sizes can be replaced by an unknown one.
    }
    else s.sizes[f.name] = c.size_of(arg_exp);
    result = c.substitute(result, s);
  }
  check_returned(result, at);
  return c.strip_unique(open_exists(result, f.exists, at, name));
}

// What a call of the argument will make cannot be needed by a function that is returned before there is such a call.
void Sizes::check_returned(TypeRef result, Span at, bool needed) {
  if (!any_absorbed_) return;
  rebuild(types, result,
      [&](TypeRef x) -> TypeRef {
        auto* f = types.as<FunType>(x);
        if (!f) return {};
        check_returned(f->param, at, true);
        check_returned(f->result, at);
        return x;
      },
      [&](SizeRef s) {
        auto* v = types.as<VarSize>(resolve(s));
        if (v && needed && vars_[v->var].absorbed && c.diags.error_count() == errors_from_)
          c.diags.report(at, err::existential_parameter, "a size here").help("apply the functions one after the other, with `|>`");
        return s;
      });
}

TypeRef Sizes::with(ast::With& w) {
  TypeRef base = exp(w.base);
  bool only_fields = std::all_of(w.steps.begin(), w.steps.end(), [](const ast::Step& s) { return s.is_field; });
  TypeRef target = base;
  for (ast::Step& s : w.steps) {
    if (s.is_field) target = field(target, s.field);
    else target = select(target, s.at, Purpose::Update);
  }
  TypeRef value = exp(w.value);
  if (!only_fields) {
    expect(w.value->span, target, value, "in the new value");
    return base;
  }
  updates_.push_back({w.value->span, target, value});
  // A record with one field replaced, whose sizes may change.
  std::function<TypeRef(TypeRef, size_t)> put = [&](TypeRef t, size_t i) -> TypeRef {
    if (i == w.steps.size()) return value;
    auto* r = types.as<RecordType>(t);
    if (!r) return t;
    std::vector<Field> fields(r->fields.begin(), r->fields.end());
    for (auto& [name, type] : fields) if (name == w.steps[i].field) type = put(type, i + 1);
    return types.record(fields);
  };
  return put(base, 0);
}

// Known sizes of slices; everything else is unknown.
SizeRef Sizes::slice_size(SizeRef dim, ast::Selector& s) {
  auto step = literal_value(s.step);
  bool forward = !s.step || step == 1, backward = s.step && step == -1;
  bool binding = (s.from && ast::binds_names(s.from)) || (s.to && ast::binds_names(s.to)) || (s.step && ast::binds_names(s.step));
  if (!binding && (forward || backward)) {
    if (!s.from && !s.to) return dim;
    if (forward && (!s.from || literal_value(s.from) == 0)) return s.to ? c.size_of(s.to) : dim;
    if (forward && !s.to) return arithmetic("-", dim, c.size_of(s.from), s.span);
    if (forward) return arithmetic("-", c.size_of(s.to), c.size_of(s.from), s.span);
    if (backward && s.from && s.to) return arithmetic("-", c.size_of(s.from), c.size_of(s.to), s.span);
  }
  return unknown(s.span, {"the unknown size of the slice at {}", {}, s.span});
}

TypeRef Sizes::select(TypeRef array, std::span<ast::Selector> at, Purpose purpose) {
  std::vector<SizeRef> kept;
  for (ast::Selector& s : at) {
    for (ast::Expr* part : {s.at, s.from, s.to, s.step}) if (part) exp(part);
    auto* a = types.as<ArrayType>(array);
    if (!a) return types.error();
    if (s.slice) kept.push_back(purpose == Purpose::Update ? fresh({}) : slice_size(a->size, s));
    array = a->elem;
  }
  for (size_t i = kept.size(); i-- > 0;) array = types.array(array, kept[i]);
  return array;
}

TypeRef Sizes::steps(TypeRef base, std::span<ast::Step> all) {
  for (ast::Step& s : all) base = s.is_field ? field(base, s.field) : select(base, s.at, Purpose::Read);
  return base;
}

SizeRef Sizes::range_size(ast::Range& r, Span at) {
  auto* p = types.as<PrimType>(r.first->type);
  bool is_i64 = p && p->prim == Prim::I64;
  bool binding = ast::binds_names(r.first) || (r.second && ast::binds_names(r.second)) || ast::binds_names(r.last);
  if (is_i64 && !binding) {
    auto first = literal_value(r.first), second = literal_value(r.second);
    bool unit_step = !r.second || (first && second && *second - *first == 1);
    if (r.kind == ast::Range::Kind::UpTo && unit_step && first == 0) return c.size_of(r.last);
    if (r.kind == ast::Range::Kind::Inclusive && r.second && first == 1 && second == 2) return c.size_of(r.last);
    if (r.kind == ast::Range::Kind::UpTo && !r.second) return arithmetic("-", c.size_of(r.last), c.size_of(r.first), at);
    if (r.kind == ast::Range::Kind::Inclusive && !r.second)
      return arithmetic("+", arithmetic("-", c.size_of(r.last), c.size_of(r.first), at), types.add(Size{ConstSize{1}}), at);
  }
  return unknown(at, {"the unknown size of the range at {}", {}, at});
}

// The written type, where anonymous sizes are those of the value.
TypeRef Sizes::coerce(TypeRef written_type, TypeRef actual, Span at) {
  if (auto* u = types.as<UniqueType>(written_type)) return coerce(u->inner, actual, at);
  auto size = [&](SizeRef w, SizeRef a) {
    if (types.as<VarSize>(w)) expect(at, types.array(types.unit(), w), types.array(types.unit(), a), "one anonymous size stands for both");
    return types.as<AnySize>(w) ? a : w;
  };
  if (types.as<FunType>(written_type) && types.as<FunType>(actual)) return actual;
  return zip(types, written_type, actual, [&](TypeRef w, TypeRef a) { return coerce(w, a, at); }, size);
}

TypeRef Sizes::array_literal(ast::Expr* e, ast::ArrayLit& a) {
  auto* whole = types.as<ArrayType>(erased(e->type));
  TypeRef elem;
  for (ast::Expr* x : a.elems) {
    TypeRef t = exp(x);
    if (!elem.valid()) elem = t;
    else expect(x->span, elem, t, "all elements of an array have the size of the first");
  }
  if (!elem.valid()) elem = whole ? fresh_type(whole->elem, e->span) : types.error();
  return types.array(elem, types.add(Size{ConstSize{i64(a.elems.size())}}));
}
TypeRef Sizes::application(ast::Expr* e, ast::Apply& a) {
  TypeRef f = exp(a.fun);
  std::string_view name = c.sources.text(a.fun->span).substr(0, 40);
  for (ast::Expr* x : a.args) {
    TypeRef t = argument(x, f);
    f = apply(f, t, x, e->span, name);
  }
  return replace_absorbed(f, e->span);
}
TypeRef Sizes::construct(ast::Expr* e, ast::Construct& k) {
  TypeRef t = fresh_type(erased(e->type), e->span, Fresh::Absorbable);
  auto* s = types.as<SumType>(t);
  for (size_t i = 0; i < k.args.size(); i++) {
    TypeRef arg = exp(k.args[i]);
    if (!s) continue;
    for (auto& con : s->constrs)
      if (con.first == k.name && i < con.second.size()) expect(k.args[i]->span, con.second[i], arg, "in the payload of the constructor");
  }
  return t;
}
TypeRef Sizes::section(ast::Expr* e, ast::Section& s) {
  TypeRef f = exp(s.op);
  std::string_view name = c.sources.text(s.op->span);
  if (s.left) return replace_absorbed(apply(f, exp(s.left), s.left, e->span, name), e->span);
  if (!s.right) return f;
  TypeRef right = exp(s.right);
  auto* outer = function(f);
  if (!outer) return types.error();
  FunType first = *outer;
  auto* inner = function(first.result);
  if (!inner) return types.error();
  FunType second = *inner;
  expect(s.right->span, second.param, right, "in the argument of `{}`", name);
  if (second.name) {
    Context::Subst sub;
    sub.sizes[second.name] = c.size_of(s.right);
    second.result = c.substitute(second.result, sub);
  }
  return types.add(FunType{first.param, second.result, first.name, second.exists});
}
TypeRef Sizes::access_section(ast::Expr* e, ast::AccessSection& s) {
  auto* f = types.as<FunType>(erased(e->type));
  if (!f) return types.error();
  TypeRef base = fresh_type(f->param, e->span, Fresh::Absorbable);
  Saved saved = enter_function();
  uint32_t level = level_;
  TypeRef out = steps(base, s.steps);
  std::vector<Binding*> exists;
  visit_type(types, out, [](TypeRef) {}, [&](SizeRef size) {
    c.each_name(size, [&](Binding* b) {
      if (b->kind == Binding::Kind::UnknownSize && level_of(b) >= level && level_of(b) != nowhere) exists.push_back(b);
    });
  });
  for (Binding* b : exists) levels_[b] = nowhere;
  leave_function(saved);
  return types.add(FunType{base, out, nullptr, types.keep(exists)});
}
TypeRef Sizes::match_cases(ast::Expr* e, ast::Match& m) {
  TypeRef on = exp(m.on), result;
  for (ast::Case& k : m.cases) {
    uint32_t outer = level_;
    std::vector<Binding*> bound;
    bind_pattern(k.pat, on, bound);
    TypeRef t = exp(k.body);
    level_ = outer;
    t = leave(t, bound, k.body->span);
    result = result.valid() ? join_branches(result, t, e->span, k.body) : t;
  }
  return result.valid() ? result : types.error();
}
TypeRef Sizes::coercion(ast::Coerce& a) {
  TypeRef t = exp(a.exp);
  visit_type(types, t, [](TypeRef) {}, [&](SizeRef s) {
    if (auto* v = types.as<VarSize>(resolve(s))) vars_[v->var].coerced = true;
  });
  written_sizes(a.type);
  return coerce(replace_exists(a.type->type, false, [&](Binding*) { return fresh(a.type->span); }), t, a.exp->span);
}

TypeRef Sizes::node(ast::Expr* e) {
  return match(e->node,
      [&](ast::Literal& l) {
        if (l.kind == ast::Literal::Kind::String) return types.array(types.prim(Prim::U8), types.add(Size{ConstSize{i64(l.text.size())}}));
        return erased(e->type);
      },
      [&](ast::Ref& r) { return ref(e, r); },
      [&](ast::Tuple& t) {
        std::vector<Field> fields;
        for (size_t i = 0; i < t.parts.size(); i++) fields.emplace_back(c.numeral(i), exp(t.parts[i]));
        return types.record(fields);
      },
      [&](ast::Record& t) {
        std::vector<Field> fields;
        for (auto& f : t.fields) fields.emplace_back(f.name, exp(f.value));
        c.sort_fields(fields);
        return types.record(fields);
      },
      [&](ast::Project& p) { return field(exp(p.record), p.field); },
      [&](ast::Index& i) { TypeRef a = exp(i.array); return select(a, i.at, Purpose::Read); },
      [&](ast::ArrayLit& a) { return array_literal(e, a); },
      [&](ast::Range& r) {
        TypeRef t = exp(r.first);
        if (r.second) exp(r.second);
        exp(r.last);
        return types.array(t, range_size(r, e->span));
      },
      [&](ast::Apply& a) { return application(e, a); },
      [&](ast::Construct& k) { return construct(e, k); },
      [&](ast::Unary& u) { return exp(u.operand); },
      [&](ast::Section& s) { return section(e, s); },
      [&](ast::AccessSection& s) { return access_section(e, s); },
      [&](ast::Lambda& l) { return lambda(l); },
      [&](ast::Match& m) { return match_cases(e, m); },
      [&](ast::Loop& l) { return loop(e, l); },
      [&](ast::With& w) { return with(w); },
      [&](ast::Ascribe& a) {
        TypeRef t = exp(a.exp), w = c.strip_unique(written(a.type));
        expect(a.exp->span, w, t, "in the type ascription");
        return w;
      },
      [&](ast::Coerce& a) { return coercion(a); },
      [&](ast::LocalOpen& o) { return exp(o.body); },
      [&](ast::Assert& a) { exp(a.cond); return exp(a.body); },
      [&](ast::Hole&) { return fresh_type(erased(e->type), e->span, Fresh::Absorbable); },
      [&](ast::Attributed& a) { return exp(a.body); },
      [&](ast::SizeHole&) { return types.prim(Prim::I64); },
      [](ast::Let&) -> TypeRef { PANIC("a chain"); }, [](ast::LetFun&) -> TypeRef { PANIC("a chain"); },
      [](ast::If&) -> TypeRef { PANIC("a chain"); }, [](ast::Operator&) -> TypeRef { PANIC("a chain"); });
}

}  // namespace raido::check
