// Equality of sizes: structural, no arithmetic. Unification of sized types, which pass 1 made equal up to sizes.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/check/sizes.h"
#include "compiler/syntax/children.h"

namespace raido::check {

SizeRef Sizes::fresh(Span at, Fresh kind) {
  Var v{};
  v.level = level_;
  v.absorbable = kind == Fresh::Absorbable;
  v.unlifted = kind == Fresh::Unlifted;
  v.origin = at;
  vars_.push_back(v);
  return types.add(Size{VarSize{uint32_t(vars_.size() - 1)}});
}

SizeRef Sizes::resolve(SizeRef s) const {
  for (;;) {
    auto* v = types.as<VarSize>(s);
    if (!v || !vars_[v->var].link.valid()) return s;
    s = vars_[v->var].link;
  }
}

void Sizes::rollback(size_t mark) {
  while (trail_.size() > mark) {
    auto& [kind, var, before] = trail_.back();
    switch (kind) {
      case Step::Type: types.set(OpenType{var}, {}); break;
      case Step::Linked: static_cast<Nature&>(vars_[var]) = before; break;
      case Step::Size: vars_[var].link = {}, vars_[var].absorbed = false; break;
    }
    trail_.pop_back();
  }
}

// Names bound inside types are nowhere in scope; top-level names everywhere.
uint32_t Sizes::level_of(const Binding* b) const {
  if (const uint32_t* level = levels_.find(b)) return *level;
  // The sizes of a constant are known; those that a function's type promises do not exist yet.
  if (b->kind == Binding::Kind::TypeParamName || (b->kind == Binding::Kind::UnknownSize && !b->top_level)) return nowhere;
  return 0;
}

bool Sizes::fail(SizeRef a, SizeRef b, Failure why) {
  if (!left_.valid()) left_ = a, right_ = b, failure_ = why;
  return false;
}

// May `var` (at `level`) be linked to s? Lowers the levels of variables inside s.
bool Sizes::fits(SizeRef s, uint32_t var, uint32_t level) {
  s = resolve(s);
  if (auto* v = types.as<VarSize>(s)) {
    if (v->var == var) return false;
    vars_[v->var].level = std::min(vars_[v->var].level, level);
    return true;
  }
  if (auto* n = types.as<NameSize>(s)) return level_of(n->name) <= level;
  if (auto* e = types.as<ExpSize>(s)) {
    bool ok = true;
    ast::each_expression(e->exp, [&](const ast::Expr* x) {
      if (auto* h = std::get_if<ast::SizeHole>(&x->node)) ok &= fits(h->size, var, level);
      else if (auto* r = std::get_if<ast::Ref>(&x->node)) ok &= !r->path.root || level_of(r->path.root) <= level;
      return ok;
    });
    return ok;
  }
  return true;
}

bool Sizes::occurs(uint32_t var, SizeRef in) const {
  in = resolve(in);
  if (auto* v = types.as<VarSize>(in)) return v->var == var;
  bool found = false;
  if (auto* e = types.as<ExpSize>(in))
    ast::each_expression(e->exp, [&](const ast::Expr* x) {
      if (auto* h = std::get_if<ast::SizeHole>(&x->node)) found |= occurs(var, h->size);
      return !found;
    });
  return found;
}

bool Sizes::link(uint32_t var, SizeRef s) {
  auto self = [&] { return types.add(Size{VarSize{var}}); };
  if (types.as<ExpSize>(s) && occurs(var, s)) return fail(self(), s, Failure::Occurs);
  if (vars_[var].absorbed) {
    // Already existential: every occurrence is a size of its own.
    return true;
  }
  // A call of the function makes it, unless it is what a lambda is called with.
  bool escapes = false, escapes_whole = false;
  c.each_name(s, [&](Binding* b) {
    bool of_lambda = lambda_params_.count(b) > 0;
    escapes |= of_lambda;
    escapes_whole |= of_lambda && b->kind != Binding::Kind::UnknownSize;
  });
  if (vars_[var].level == nowhere && escapes_whole) return fail(self(), s, Failure::Scope);
  if (!fits(s, var, vars_[var].level)) {
    if (!vars_[var].absorbable) {
      if (vars_[var].result_of) retry_.own_results.insert(vars_[var].result_of);
      return fail(self(), s, vars_[var].unlifted ? Failure::Unlifted : Failure::Scope);
    }
    if (escapes && !vars_[var].in_arrow) return fail(self(), s, Failure::Scope);
    vars_[var].absorbed = any_absorbed_ = true;
    vars_[var].absorbed_from = s;
    size_changed(var);
    return true;
  }
  if (auto* other = types.as<VarSize>(s)) {
    Var& o = vars_[other->var];
    trail_.push_back({Step::Linked, other->var, o});
    if (vars_[var].level != nowhere) o.absorbable &= vars_[var].absorbable;      // what is chosen for an existential size may become anything
    o.unlifted |= vars_[var].unlifted;
    o.loop_state |= vars_[var].loop_state;
    o.coerced |= vars_[var].coerced;
    o.fixed_by_branch &= vars_[var].fixed_by_branch;
    o.anonymous |= vars_[var].anonymous;
    o.existential |= vars_[var].existential;
    if (!o.param) o.param = vars_[var].param;
    if (!o.result_of) o.result_of = vars_[var].result_of;
  }
  vars_[var].link = s;
  size_changed(var);
  return true;
}

const Sizes::State* Sizes::changing(const Binding* size) const {
  for (const State& s : states_) if (size && s.size == size) return &s;
  return nullptr;
}

// Where a field got a value with `size`, unlike the one before it; invalid if nowhere.
Span Sizes::updated_to(SizeRef size, SizeRef before) {
  auto has = [&](TypeRef t, SizeRef wanted) {
    bool found = false;
    visit_type(types, t, [](TypeRef) {}, [&](SizeRef s) { found |= same(s, wanted); });
    return found;
  };
  for (size_t i = updates_.size(); i-- > 0;)
    if (has(updates_[i].value, size) && !has(updates_[i].old, size) && has(updates_[i].old, before)) return updates_[i].at;
  return {};
}

bool Sizes::assume() {
  if (failure_ == Failure::Consumes || failure_ == Failure::ResultUnique || !left_.valid() || assumed(left_, right_)) return false;
  if (auto* v = types.as<VarSize>(resolve(left_))) {
    vars_[v->var].link = types.any();
    size_changed(v->var);
  }
  else assumed_.emplace_back(left_, right_);
  return true;
}

// Do the sizes follow to be equal from those that were assumed to be?
bool Sizes::assumed(SizeRef a, SizeRef b) {
  if (assumed_.empty()) return false;
  auto pairs = std::exchange(assumed_, {});          // two sizes are compared without them
  std::vector<SizeRef> reached{a};
  for (size_t i = 0; i < reached.size(); i++)
    for (auto [x, y] : pairs)
      for (auto [from, to] : {std::pair(x, y), std::pair(y, x)})
        if (same(reached[i], from) && std::none_of(reached.begin(), reached.end(), [&, s = to](SizeRef r) { return same(r, s); })) reached.push_back(to);
  bool found = std::any_of(reached.begin(), reached.end(), [&](SizeRef r) { return same(r, b); });
  assumed_ = std::move(pairs);
  return found;
}

bool Sizes::unify_size(SizeRef a, SizeRef b) {
  a = resolve(a), b = resolve(b);
  if (a == b || assumed(a, b)) return true;
  auto *va = types.as<VarSize>(a), *vb = types.as<VarSize>(b);
  if (va && vb) {
    if (va->var == vb->var) return true;
    // What is existential here is so there too.
    for (auto [from, to] : {std::pair(va->var, vb->var), std::pair(vb->var, va->var)}) {
      if (!vars_[from].absorbed) continue;
      if (vars_[to].level == nowhere) return link(to, types.add(Size{VarSize{from}}));
      vars_[to].existential = true;
      if (vars_[to].absorbable && !vars_[to].absorbed) {
        vars_[to].absorbed = any_absorbed_ = true;
        vars_[to].absorbed_from = vars_[from].absorbed_from.valid() ? vars_[from].absorbed_from : types.add(Size{VarSize{from}});
        size_changed(to);
      }
      return true;
    }
    // Link the one that may go further in.
    if (vars_[va->var].level >= vars_[vb->var].level) return link(va->var, b);
    return link(vb->var, a);
  }
  if (va) return link(va->var, b);
  if (vb) return link(vb->var, a);
  auto *ca = types.as<ConstSize>(a), *cb = types.as<ConstSize>(b);
  if (ca && cb) return ca->value == cb->value || fail(a, b);
  // A name may also be reached through modules.
  auto name = [&](SizeRef s) -> Binding* {
    if (auto* n = types.as<NameSize>(s)) return n->name;
    auto* e = types.as<ExpSize>(s);
    auto* r = e ? std::get_if<ast::Ref>(&e->exp->node) : nullptr;
    return r && r->path.root ? c.origin_of(r->path) : nullptr;
  };
  Binding *na = name(a), *nb = name(b);
  if (na && nb) return na == nb || fail(a, b);
  auto *ea = types.as<ExpSize>(a), *eb = types.as<ExpSize>(b);
  if (ea && eb && unify_exp(ea->exp, eb->exp)) return true;
  if (types.as<AnySize>(a) || types.as<AnySize>(b)) return true;      // of a type that failed to check
  left_ = {};
  return fail(a, b);
}

bool Sizes::unify_exp(const ast::Expr* a, const ast::Expr* b) {
  auto plain = [](const ast::Expr* e) {
    for (;;) {
      if (auto* x = std::get_if<ast::Ascribe>(&e->node)) e = x->exp;
      else if (auto* y = std::get_if<ast::Attributed>(&e->node)) e = y->body;
      else if (auto* z = std::get_if<ast::Assert>(&e->node)) e = z->body;
      else return e;
    }
  };
  a = plain(a), b = plain(b);
  if (a == b) return true;
  auto hole = [](const ast::Expr* e) { return std::get_if<ast::SizeHole>(&e->node); };
  if (hole(a) || hole(b)) {
    SizeRef sa = resolve(c.size_of(a)), sb = resolve(c.size_of(b));
    auto *ea = types.as<ExpSize>(sa), *eb = types.as<ExpSize>(sb);
    if (ea && eb && ea->exp == a && eb->exp == b) return false;
    return unify_size(sa, sb);
  }
  if (a->node.index() != b->node.index()) return false;
  auto list = [&](auto& x, auto& y) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); i++) if (!unify_exp(x[i], y[i])) return false;
    return true;
  };
  auto maybe = [&](const ast::Expr* x, const ast::Expr* y) { return (!x && !y) || (x && y && unify_exp(x, y)); };
  auto selectors = [&](std::span<ast::Selector> x, std::span<ast::Selector> y) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); i++)
      if (x[i].slice != y[i].slice || !maybe(x[i].at, y[i].at) || !maybe(x[i].from, y[i].from) || !maybe(x[i].to, y[i].to) || !maybe(x[i].step, y[i].step)) return false;
    return true;
  };
  return match(a->node,
      [&](const ast::Literal& x) {
        auto& y = std::get<ast::Literal>(b->node);
        return x.kind == y.kind && x.integer == y.integer && x.real == y.real && x.text == y.text;
      },
      [&](const ast::Ref& x) {
        auto& y = std::get<ast::Ref>(b->node);
        if (x.path.root && y.path.root)
          if (Binding* origin = c.origin_of(x.path)) return origin == c.origin_of(y.path);
        return x.path.root == y.path.root && std::equal(x.path.members.begin(), x.path.members.end(), y.path.members.begin(), y.path.members.end());
      },
      [&](const ast::Tuple& x) { return list(x.parts, std::get<ast::Tuple>(b->node).parts); },
      [&](const ast::Record& x) {
        auto& y = std::get<ast::Record>(b->node);
        if (x.fields.size() != y.fields.size()) return false;
        for (size_t i = 0; i < x.fields.size(); i++)
          if (x.fields[i].name != y.fields[i].name || !unify_exp(x.fields[i].value, y.fields[i].value)) return false;
        return true;
      },
      [&](const ast::Project& x) { auto& y = std::get<ast::Project>(b->node); return x.field == y.field && unify_exp(x.record, y.record); },
      [&](const ast::Index& x) { auto& y = std::get<ast::Index>(b->node); return unify_exp(x.array, y.array) && selectors(x.at, y.at); },
      [&](const ast::ArrayLit& x) { return list(x.elems, std::get<ast::ArrayLit>(b->node).elems); },
      [&](const ast::Apply& x) { auto& y = std::get<ast::Apply>(b->node); return unify_exp(x.fun, y.fun) && list(x.args, y.args); },
      [&](const ast::Construct& x) { auto& y = std::get<ast::Construct>(b->node); return x.name == y.name && list(x.args, y.args); },
      [&](const ast::Operator& x) {
        auto& y = std::get<ast::Operator>(b->node);
        return unify_exp(x.op, y.op) && unify_exp(x.left, y.left) && unify_exp(x.right, y.right);
      },
      [&](const ast::Unary& x) { auto& y = std::get<ast::Unary>(b->node); return x.op == y.op && unify_exp(x.operand, y.operand); },
      [&](const ast::Section& x) { auto& y = std::get<ast::Section>(b->node); return unify_exp(x.op, y.op) && maybe(x.left, y.left) && maybe(x.right, y.right); },
      [&](const ast::If& x) {
        auto& y = std::get<ast::If>(b->node);
        return unify_exp(x.cond, y.cond) && unify_exp(x.then_, y.then_) && unify_exp(x.else_, y.else_);
      },
      [&](const ast::Coerce& x) { return unify_exp(x.exp, std::get<ast::Coerce>(b->node).exp); },
      [&](const ast::LocalOpen& x) { auto& y = std::get<ast::LocalOpen>(b->node); return x.self == y.self && unify_exp(x.body, y.body); },
      [](const auto&) { return false; });      // what binds names is equal to nothing
}

// Equal already, without linking anything?
bool Sizes::same(SizeRef a, SizeRef b) {
  size_t m = mark();
  SizeRef l = left_, r = right_;
  bool equal = unify_size(a, b) && mark() == m;
  rollback(m);
  left_ = l, right_ = r;
  return equal;
}

// A size that may be whatever it meets.
SizeRef Sizes::chosen() {
  SizeRef s = fresh({});
  vars_.back().level = nowhere;
  return s;
}

// An open function type is found to be `t`.
bool Sizes::find(OpenType open, TypeRef t) {
  Open& o = opens_[open.var - open_from_];
  if (auto* other = types.as<OpenType>(t)) {
    if (other->var == open.var) return true;
    Open& p = opens_[other->var - open_from_];
    p.level = std::min(p.level, o.level);
    if (!p.pat) p.pat = o.pat;
  }
  std::vector<const Binding*> inner;
  bool ok = true;
  types.set(open, moved(t, o, inner, ok));
  trail_.push_back({Step::Type, open.var});
  return ok;
}

// `t` where the open type stands: what is not known there becomes a size of its own, if it may. `inner` are the names bound in t.
TypeRef Sizes::moved(TypeRef t, const Open& open, std::vector<const Binding*>& inner, bool& ok) {
  return rebuild(types, t,
      [&](TypeRef x) -> TypeRef {
        if (auto* o = types.as<OpenType>(x)) {
          Open& p = opens_[o->var - open_from_];
          p.level = std::min(p.level, open.level);
          return x;
        }
        if (auto* u = types.as<UniqueType>(x)) return moved(u->inner, open, inner, ok);
        auto* known = types.as<FunType>(x);
        if (!known) return {};
        FunType f = *known;
        if (c.any_unique(f.param)) ok = fail(types.any(), types.any(), Failure::Consumes);
        size_t outer = inner.size();
        f.param = moved(f.param, open, inner, ok);
        if (f.name) inner.push_back(f.name);
        inner.insert(inner.end(), f.exists.begin(), f.exists.end());
        f.result = moved(f.result, open, inner, ok);
        inner.resize(outer);
        return f.param == known->param && f.result == known->result ? x : types.add(f);
      },
      [&](SizeRef s) {
        s = resolve(s);
        bool fit = true;
        c.each_name(s, [&](Binding* b) { fit &= level_of(b) <= open.level || std::find(inner.begin(), inner.end(), b) != inner.end(); });
        if (fit) { lower(s, open.level); return s; }
        uint32_t level = std::exchange(level_, open.level);
        SizeRef v = fresh(open.at, open.kind);
        level_ = level;
        vars_.back().in_arrow = true;
        ok &= link(types.as<VarSize>(v)->var, s);
        return v;
      });
}

void Sizes::lower(SizeRef s, uint32_t level) {
  s = resolve(s);
  if (auto* v = types.as<VarSize>(s)) vars_[v->var].level = std::min(vars_[v->var].level, level);
  else if (auto* e = types.as<ExpSize>(s))
    ast::each_expression(e->exp, [&](const ast::Expr* x) {
      if (auto* h = std::get_if<ast::SizeHole>(&x->node)) lower(h->size, level);
      return true;
    });
}

bool Sizes::unify(TypeRef expected, TypeRef actual) {
  if (expected == actual) return true;
  const Type &te = types[expected], &ta = types[actual];
  if (auto* o = std::get_if<OpenType>(&te)) return find(*o, actual);
  if (auto* o = std::get_if<OpenType>(&ta)) return find(*o, expected);
  if (auto* u = std::get_if<UniqueType>(&te)) return unify(u->inner, actual);
  if (auto* u = std::get_if<UniqueType>(&ta)) return unify(expected, u->inner);
  // Of an abstract type that is known now: a value may have any sizes there, and has some that nobody knows.
  if (std::get_if<ExistsType>(&te)) return unify(replace_exists(expected, false, [&](Binding*) { return chosen(); }), actual);
  if (std::get_if<ExistsType>(&ta))
    return unify(expected, replace_exists(actual, false, [&](Binding* b) {
      Binding* any = c.program.bind(b->name, {}, Binding::Kind::TypeParamName);
      if (implementing_) levels_[any] = 0;               // a parameter of an implementation may have it
      return types.add(Size{NameSize{any}});
    }));
  if (te.index() != ta.index()) return met_error_ = true;       // inference has reported it
  if (auto* f = std::get_if<FunType>(&te)) return unify_functions(*f, std::get<FunType>(ta));
  bool all = true;                                   // primitives have no parts; structure was checked by inference
  zip(types, expected, actual, [&](TypeRef x, TypeRef y) { all = all && unify(x, y); return x; },
      [&](SizeRef x, SizeRef y) { all = all && unify_size(x, y); return x; });
  return all;
}
bool Sizes::unify_functions(FunType x, FunType y) {
  if (c.any_unique(y.param) && !c.any_unique(x.param)) {
    return fail(types.any(), types.any(), Failure::Consumes);
  }
  if (c.any_unique(x.result) && !c.any_unique(y.result) && !types.as<FunType>(y.result)) return fail(types.any(), types.any(), Failure::ResultUnique);
  if (!unify(y.param, x.param)) return false;
  // The names of both parameters become one, visible nowhere outside.
  if (x.name || y.name) {
    Binding* both = c.program.bind((y.name ? y.name : x.name)->name, {}, Binding::Kind::TypeParamName);
    if (levels_.contains(y.name ? y.name : x.name)) lambda_params_.insert(both);
    SizeRef name = types.add(Size{NameSize{both}});
    Context::Subst s;
    if (x.name) s.sizes[x.name] = name;
    x.result = c.substitute(x.result, s);
    s.sizes.clear();
    if (y.name) s.sizes[y.name] = name;
    y.result = c.substitute(y.result, s);
  }
  // Sizes that the expected function may choose fit whatever the actual one makes, each one thing.
  if (!x.exists.empty()) {
    Context::Subst s;
    for (Binding* b : x.exists) s.sizes[b] = chosen();
    x.result = c.substitute(x.result, s);
  }
  if (unify(x.result, y.result)) return true;
  in_function_result_ |= x.name || y.name;
  return false;
}

void Sizes::expect(Span at, TypeRef expected, TypeRef actual, std::string_view context, std::optional<std::string_view> name_in_it, Place place) {
  left_ = {}, right_ = {}, failure_ = Failure::Differ, in_function_result_ = false;
  if (unify(expected, actual)) return;
  std::string l = c.show(left_), r = c.show(right_);
  auto name = [&](SizeRef s) { auto* n = types.as<NameSize>(resolve(s)); return n ? n->name : nullptr; };
  auto constant = [&](SizeRef s) { return types.as<ConstSize>(resolve(s)) != nullptr; };
  auto variable = [&](SizeRef s) { auto* v = types.as<VarSize>(s); return v ? &vars_[v->var] : nullptr; };
  auto made_by = [&](SizeRef s, Origin kind) {
    const Origin* known = origin_kinds_.find(name(s));
    return known && *known == kind;
  };
  auto is_unknown = [&](SizeRef s) { Binding* b = name(s); return b && b->kind == Binding::Kind::UnknownSize; };
  const Var* left_var = variable(left_);
  bool loop_state = place == Place::LoopBody || (left_var && left_var->loop_state);
  bool open_parameter = failure_ == Failure::Scope && left_var && left_var->in_pattern && !loop_state;
  auto report = [&] {
    switch (failure_) {
      case Failure::Consumes: return c.diags.report(at, err::consuming_function);
      case Failure::ResultUnique: return c.diags.report(at, err::result_uniqueness);
      case Failure::Occurs: return c.diags.report(at, err::size_occurs, l, r);
      case Failure::Unlifted:
      case Failure::Scope:
        if (loop_state && is_unknown(right_)) return c.diags.report(at, err::loop_size_from_inside, r);
        if (failure_ == Failure::Unlifted) return c.diags.report(at, err::existential_instance);
        if (open_parameter && is_unknown(right_)) return c.diags.report(at, err::unknown_size_mismatch, l, r);
        return c.diags.report(at, err::size_scope, l, r);
      case Failure::Differ: break;
    }
    if (made_by(left_, Origin::Loop) || made_by(right_, Origin::Loop)) return c.diags.report(at, err::loop_variant_size, l, r);
    if (place == Place::LoopBody) return c.diags.report(at, err::loop_body_size, l, r);
    if (made_by(left_, Origin::Branches) || made_by(right_, Origin::Branches)) return c.diags.report(at, err::branch_size_mismatch, l, r);
    if (in_function_result_) return c.diags.report(at, err::dependent_result, l, r);
    if (is_unknown(left_) || is_unknown(right_)) return c.diags.report(at, err::unknown_size_mismatch, l, r);
    if (name(left_) && name(right_)) return c.diags.report(at, err::size_mismatch, l, r);
    if (constant(left_) && constant(right_)) return c.diags.report(at, err::constant_mismatch, l, r);
    return c.diags.report(at, err::size_exp_mismatch, l, r);
  };
  auto draft = report();
  if (!context.empty()) draft.note(name_in_it ? fill(context, {std::string(*name_in_it)}) : std::string(context));
  draft.note("expected: " + c.show(expected)).note("actual:   " + c.show(actual));
  for (SizeRef s : {left_, right_})
    if (const Var* v = variable(s); v && v->origin.valid())
      draft.label(v->origin, "the size `" + c.show(s) + "` is left open here");
  // What is equal only at run time can be checked there.
  bool nameable = true;
  visit_type(types, expected, [&](TypeRef t) { nameable &= !types.as<FunType>(t); }, [&](SizeRef s) {
    nameable &= !types.as<VarSize>(resolve(s)) && !types.as<ExpSize>(resolve(s)) && !is_unknown(s);
  });
  std::string_view source = c.sources.text(at);
  bool both_constant = constant(left_) && constant(right_);
  if (failure_ == Failure::ResultUnique && source.substr(std::min(source.find_first_not_of('('), source.size())).starts_with("\\"))
    draft.help("the result of a lambda is unique only if its type says so, as in `\\x: *[]t -> ..`");
  if (open_parameter)
    draft.help(fmt::format("give the size that is left open a name, as in `[n] (x: [n]t)`{}",
                           is_unknown(right_) ? "; if the two are equal, have it checked at run time with `:> [n]t`" : ""));
  const State* state = changing(name(left_)) ? changing(name(left_)) : changing(name(right_));
  if (failure_ == Failure::Differ && nameable && !both_constant && !state && place == Place::Other && source.size() < 40 && source.find('\n') == std::string_view::npos) {
    bool atom = source.find(' ') == std::string_view::npos || source[0] == '(';
    draft.help(fmt::format("if they are equal, have it checked at run time: `{} :> {}`", atom ? std::string(source) : fmt::format("({})", source), c.show(c.strip_unique(expected))));
  }
  for (SizeRef s : {left_, right_})
    c.each_name(s, [&](Binding* b) {
      if (const Made* made = origins_.find(b)) draft.note("`" + c.show(types.add(Size{NameSize{b}})) + "` is " + made->shown(c));
    });
  if (state) {
    std::string size = c.show(types.add(Size{NameSize{state->size}}));
    if (state->end.empty()) {}
    else if (variable(resolve(state->before))) draft.note(fmt::format("the body of the loop makes `{}` `{}`", size, state->end));
    else draft.note(fmt::format("`{}` is `{}` before the loop, and its body makes it `{}`", size, c.show(state->before), state->end));
    if (state->update.valid() && !state->end.empty()) draft.label(state->update, fmt::format("this makes it `{}`", state->end));
    // All sizes that the loop changes are one mistake.
    for (const State& other : states_)
      if (other.loop == state->loop) assumed_.emplace_back(types.add(Size{NameSize{other.size}}), other.before);
  }
  else if (Span update = updated_to(right_, left_); update.valid() && update.begin != at.begin) draft.label(update, fmt::format("this makes the size `{}`", r));
  // The rest of the two types is compared, too; names that function types bind are new each time.
  for (int tries = 0; tries < 10 && assume(); tries++) {
    left_ = {}, right_ = {};
    if (unify(expected, actual)) break;
  }
}

}  // namespace raido::check
