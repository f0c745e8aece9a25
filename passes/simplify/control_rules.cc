// control_rules.cc - branches and loops (C6 to C11).
#include <algorithm>

#include "compiler/ir/analysis/invariants.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "passes/simplify/simplify.h"

namespace raido::simplification {
namespace {

using namespace ir;

// if true A B   ==>   A                                                                                [C6.constant]
Rewrite constant_condition(Site& s, If& x) {
  auto c = const_of(x.cond);
  if (!c) return no;
  Body taken = std::move(c->bits ? x.then_ : x.else_);
  for (Stm& inner : taken.stms) inner.checks.insert(inner.checks.end(), s.stm.checks.begin(), s.stm.checks.end());
  s.b.emit_all(std::move(taken.stms));
  return taken.result;
}
// branches that only choose between scalars   ==>   select                                            [C6.select]
Rewrite selecting(Site& s, If& x) {
  if (!x.then_.stms.empty() || !x.else_.stms.empty()) return no;
  for (size_t i = 0; i < x.then_.result.size(); i++) {
    const Atom &a = x.then_.result[i], &b = x.else_.result[i];
    if (a == b) { if (auto v = var_of(a); v && is_acc(s.p.type(*v))) return no; continue; }
    if (!is_scalar(s.p.type(a))) return no;
  }
  std::vector<Atom> values;
  for (size_t i = 0; i < x.then_.result.size(); i++) {
    const Atom &a = x.then_.result[i], &b = x.else_.result[i];
    values.push_back(a == b ? a : select({s.term(x.cond), s.term(a), s.term(b)}).atom);
  }
  return values;
}

// Whether it reads an element that is there, branch or no branch.
bool is_there(const Site& s, const Index& x) {
  const std::vector<Dim>& shape = shape_of(s.p.type(x.array));
  if (x.at.size() != shape.size()) return false;
  for (size_t d = 0; d < shape.size(); d++) {
    auto at = std::get_if<Atom>(&x.at[d]);
    if (!at || s.facts.less_equal(i64_const(0), *at) != true || s.facts.less(*at, shape[d]) != true) return false;
  }
  return true;
}
// One step of a processor, whatever its operands are.
bool is_quick(const Site& site, const Stm& s) {
  if (!s.checks.empty()) return false;
  if (std::holds_alternative<Convert>(s.exp)) return true;
  if (auto read = std::get_if<Index>(&s.exp)) return is_there(site, *read);
  auto x = std::get_if<Apply>(&s.exp);
  using enum ScalarOp;
  constexpr ScalarOp quick[] = {add, sub, mul, neg, abs, min, max, and_, or_, xor_, not_, shl, shr, lshr, eq, ne, lt, le, select};
  return x && std::find(std::begin(quick), std::end(quick), x->op) != std::end(quick);
}
// a condition with few quick steps, as `a && (b || c)` is written   ==>   its steps, and select        [C6.condition]
// There is nothing to jump over: what computes both sides has vectors, and threads of a device do not part. A step may read an element if
// its indices are known to be inside, without the condition.
Rewrite condition(Site& s, If& x) {
  if (x.then_.result.size() != 1 || !is_scalar(s.p.type(x.then_.result[0])) || s.elem(x.then_.result[0]) != Scalar::Bool) return no;
  if (x.then_.stms.size() + x.else_.stms.size() > costs::quick_steps) return no;
  for (const Body* b : {&x.then_, &x.else_}) if (!std::all_of(b->stms.begin(), b->stms.end(), [&](const Stm& inner) { return is_quick(s, inner); })) return no;
  for (Body* b : {&x.then_, &x.else_}) s.b.emit_all(std::move(b->stms));
  return std::vector<Atom>{select({s.term(x.cond), s.term(x.then_.result[0]), s.term(x.else_.result[0])}).atom};
}

// Binds e, which gives those results of the statement that are not known. A size in their types stays the result that it was, where
// several results are equal.
std::vector<Atom> bind_rest(Site& s, Exp e, const std::vector<bool>& known, std::vector<Atom> results) {
  Stm rest{{}, std::move(e), s.b.checks, s.b.source, s.stm.attrs};
  Subst now;
  for (size_t i = 0; i < known.size(); i++) {
    Var v = s.stm.pattern[i].var;
    if (!known[i]) rest.pattern.push_back({*var_of(results[i] = s.p.fresh(s.p.hint(v), s.p.type(v)))});
    now.emplace(v, results[i]);
  }
  substitute(s.p, rest.pattern, now);
  s.b.emit(std::move(rest));
  return results;
}

// a result that is the same scalar in both branches   ==>   that scalar, which may be a size of others [C6.same]
Rewrite same_result(Site& s, If& x) {
  size_t n = x.then_.result.size();
  std::vector<bool> same(n);
  for (size_t i = 0; i < n; i++) same[i] = x.then_.result[i] == x.else_.result[i] && is_scalar(s.p.type(x.then_.result[i]));
  if (std::find(same.begin(), same.end(), true) == same.end()) return no;
  std::vector<Atom> results = x.then_.result;
  If branch = std::move(x);
  for (Body* b : {&branch.then_, &branch.else_}) {
    size_t out = 0;
    for (size_t i = 0; i < n; i++) if (!same[i]) b->result[out++] = b->result[i];
    b->result.resize(out);
  }
  return bind_rest(s, std::move(branch), same, std::move(results));
}

// A state that has its initial value in every iteration is that value                                  [C8]
template <class Loop> Rewrite invariant_state(Site& s, Loop& x) {
  // Most states are computed: these are not looked into.
  VarSet computed;
  for (const Stm& m : x.body.stms) {
    auto op = std::get_if<Apply>(&m.exp);
    if (op ? op->op != ScalarOp::select : std::holds_alternative<Convert>(m.exp) || std::holds_alternative<Screma>(m.exp))
      for (Bind b : m.pattern) computed.insert(b.var);
  }
  std::vector<bool> constant(x.state.size());
  for (size_t i = 0; i < x.state.size(); i++) {
    Var v = x.state[i].var;
    bool owned = is_array(s.p.type(v)) && (s.consumed.contains(v) || s.consumed.contains(s.stm.pattern[i].var));
    auto end = var_of(x.body.result[i]);
    constant[i] = !is_acc(s.p.type(v)) && !owned && !(end && computed.contains(*end));
  }
  auto some = [&] { return std::ranges::find(constant, true) != constant.end(); };
  if (!some()) return no;
  std::vector<bool> invariant = invariant_states(s.p, s.stm);
  for (size_t i = 0; i < constant.size(); i++) constant[i] = constant[i] && invariant[i];
  bool all = std::ranges::find(constant, false) == constant.end();
  if (!some() || (std::is_same_v<Loop, While> && all)) return no;       // that one may never end

  Subst values;
  for (size_t i = 0; i < constant.size(); i++) {
    if (!constant[i]) continue;
    values.emplace(x.state[i].var, x.init[i]);
    if constexpr (std::is_same_v<Loop, While>) values.emplace(x.cond.params[i].var, x.init[i]);
  }
  auto keep = [&](auto& items) {
    size_t out = 0;
    for (size_t i = 0; i < items.size(); i++)
      if (!constant[i]) { if (out != i) items[out] = std::move(items[i]); out++; }
    items.resize(out);
  };
  auto in_types = [&](const std::vector<Bind>& bound) {
    for (Bind b : bound) walk(s.p.vars[b.var.index].type, overloaded{[&](Atom& a) {
      if (auto v = var_of(a)) if (auto f = values.find(*v); f != values.end()) a = f->second; }});
  };
  Loop loop = std::move(x);
  if constexpr (std::is_same_v<Loop, For>) {
    std::vector<bool> stays = constant;
    stays.flip();
    keep_operators(s.p, loop, stays);
  } else {
    keep(loop.cond.params);
    substitute(s.p, loop.cond.body, values);
    in_types(loop.cond.params);
  }
  keep(loop.state);
  std::vector<Atom> init = loop.init;
  keep(loop.init);
  keep(loop.body.result);
  substitute(s.p, loop.body, values);
  in_types(loop.state);
  if (loop.state.empty()) return init;
  return bind_rest(s, std::move(loop), constant, std::move(init));
}
// for i < 0   ==>   the initial values; for i < 1   ==>   the body once                                [C10]
Rewrite few_trips(Site& s, For& x) {
  auto c = const_of(x.n);
  if (!c || c->as_i64() > 1) return no;
  if (c->as_i64() <= 0) return x.init;
  Subst values;
  values.emplace(x.i.var, i64_atom(0));
  for (size_t i = 0; i < x.state.size(); i++) values.emplace(x.state[i].var, x.init[i]);
  Body body = std::move(x.body);
  substitute(s.p, body, values);
  for (Stm& inner : body.stms) inner.checks.insert(inner.checks.end(), s.stm.checks.begin(), s.stm.checks.end());
  s.b.emit_all(std::move(body.stms));
  return body.result;
}
// for i < n (x = a) { b i }, which reads no x   ==>   if 0 < n, b (n - 1), else a                      [C11]
// No iteration needs what the one before has made. So only the last one is run. What depends on the iteration must neither fail nor run for ever.
Rewrite last_trip(Site& s, For& x) {
  if (x.state.empty() || !std::ranges::all_of(x.state, [&](Bind b) { return is_scalar(s.p.type(b.var)); })) return no;
  VarSet states, varying;
  for (Bind b : x.state) states.insert(b.var);
  varying.insert(x.i.var);
  bool last = std::ranges::none_of(x.body.result, [&](const Atom& a) { return var_of(a) && states.contains(*var_of(a)); });
  for (const Stm& m : x.body.stms) {
    bool varies = false;
    each_use(s.p, m, [&](Var v) {
      last = last && !states.contains(v);
      varies = varies || varying.contains(v);
    });
    if (!varies) continue;
    for (Bind b : m.pattern) varying.insert(b.var);
    last = last && traits_of(m.exp).speculatable;
    walk_parts(m, [&](const Body& inner) { each_stm(inner, [&](const Stm& part) { last = last && traits_of(part.exp).speculatable; }); });
  }
  if (!last) return no;
  Body taken = s.b.body([&] {
    Subst values;
    values.emplace(x.i.var, (s.term(x.n) - s.b.number(Scalar::I64, 1)).atom);
    Body body = std::move(x.body);
    substitute(s.p, body, values);
    s.b.emit_all(std::move(body.stms));
    return body.result;
  });
  Body none;
  none.result = x.init;
  std::vector<Atom> results;
  for (Var v : s.b.bind("last", If{lt(s.b.number(Scalar::I64, 0), s.term(x.n)).atom, std::move(taken), std::move(none)})) results.push_back(v);
  return results;
}
// with_acc without updates   ==>   the arrays as they are                                              [A16]
Rewrite idle_scope(Site&, WithAcc& x) {
  size_t n = x.dests.size();
  if (!x.scope.body.stms.empty()) return no;
  std::vector<Atom> values;
  for (size_t k = 0; k < n; k++) {
    if (x.scope.body.result[k] != Atom(x.scope.params[n + k].var)) return no;
    for (Var v : x.dests[k].arrays) values.push_back(v);
  }
  for (size_t i = n; i < x.scope.body.result.size(); i++) values.push_back(x.scope.body.result[i]);
  return values;
}

constexpr Rule<If> if_rules[] = {{"C6.constant", constant_condition}, {"C6.select", selecting}, {"C6.condition", condition}, {"C6.same", same_result}};
constexpr Rule<For> for_rules[] = {{"C10", few_trips}, {"C8", invariant_state<For>}, {"C11", last_trip}};
constexpr Rule<While> while_rules[] = {{"C8", invariant_state<While>}};
constexpr Rule<WithAcc> with_acc_rules[] = {{"A16", idle_scope}};

}  // namespace

template <> std::span<const Rule<If>> rules<If>() { return if_rules; }
template <> std::span<const Rule<For>> rules<For>() { return for_rules; }
template <> std::span<const Rule<While>> rules<While>() { return while_rules; }
template <> std::span<const Rule<WithAcc>> rules<WithAcc>() { return with_acc_rules; }

}  // namespace raido::simplification
