// rule_control.cc
//
// let ys = if c then A else B                                                       docs/ad.md 6.4
//
//   ws_adj = if c then (A again, its return sweep) else (B again, its return sweep)
//
// ws: the varied variables free in either branch. Arrays are threaded: their adjoints go in and come out, so that a read
// in one branch costs one element. Scalars contribute. Tests: tests/ad/control.fut.
//
// An adjoint that is an Entry or zero in both branches comes out as an Entry. A branch in which it is zero returns that there is no
// such element. Tests: tests/ad/elements.fut.
//
// Rules: if.plain if.swap sparse.pad.
#include <algorithm>

#include "passes/ad/activity/common.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

void back(Scope& scope, const Stm& s, const If& op) {
  Program& p = scope.p;
  Builder& b = scope.b;
  std::vector<Adjoint> seeds = scope.adjoints.take_results(s);
  std::vector<Var> free = scope.free_in(op), arrays, scalars;
  for (Var v : free) (is_array(p.type(v)) ? arrays : scalars).push_back(v);
  auto seed_of = [&](const Atom& value) {
    return std::ranges::any_of(seeds, [&](const Adjoint& a) { return a.is_value() && a.owned && a.value == value; });
  };
  std::vector<bool> owned(arrays.size(), true);
  // Arrays whose updates a branch undoes come out of both branches, under the names that they have then.
  std::vector<Var> ours = free_vars(p, op), undone;
  std::erase_if(ours, [&](Var v) { return !scope.versions.owns(v); });
  std::vector<std::unique_ptr<Scope>> scopes;             // the branches
  auto back_through = [&](const Body& primal) {
    return b.body([&] {
      Scope& inner = *scopes.emplace_back(std::make_unique<Scope>(scope, arrays));
      for (Var v : arrays) if (scope.adjoints.may_be_entry(v)) inner.adjoints.allow_entry(v);
      for (Var v : ours) inner.versions.own(v);
      // A seed that both branches see may be updated in place by neither: one of them returns it untouched.
      std::vector<Adjoint> shared = seeds;
      for (Adjoint& a : shared) a.owned = false;
      inner.run(scope.act.clone(primal), shared);
      return std::vector<Atom>{};
    });
  };
  If back;
  back.cond = op.cond;
  back.then_ = back_through(op.then_);
  back.else_ = back_through(op.else_);
  std::vector<bool> is_entry;
  std::vector<Var> entries;
  for (Var v : arrays) {
    size_t found = 0, none = 0;
    for (const auto& inner : scopes) inner->adjoints.entry(v) ? found++ : none += inner->adjoints.is_zero(v);
    is_entry.push_back(found > 0 && found + none == scopes.size() && scope.adjoints.may_be_entry(v));
    if (is_entry.back()) entries.push_back(v);
  }
  auto finish = [&](Body& made, Scope& inner) {
    b.into(made, [&](List<Stm>& stms) {
      b.emit_all(std::move(stms));
      std::vector<Atom>& out = made.result;
      for (size_t i = 0; i < arrays.size(); i++) {
        if (is_entry[i]) continue;
        Var v = arrays[i];
        if (inner.adjoints.state(v).kind != Adjoint::Kind::Acc) inner.adjoints.value(v);          // both branches must return one
        out.push_back(inner.adjoints.state(v).value);
        owned[i] = owned[i] && (inner.adjoints.state(v).owned || seed_of(out.back()));     // here nobody else has the seed now
      }
      for (Var v : scalars) out.push_back(inner.adjoints.is_zero(v) ? Atom(constant(elem_of(p, v), 0)) : inner.adjoints.value(v));
      for (Var v : entries) {
        const Adjoint* e = inner.adjoints.entry(v);
        std::vector<Var> checks = std::exchange(b.checks, e ? e->checks : std::vector<Var>{});
        Atom at = e ? e->prefix[0] : i64_const(0);
        out.push_back(e && !e->checks.empty() ? Atom(b.bind1("at", Identity{at})) : at);
        b.checks = checks;
        Type row = row_type(p.type(v));
        out.push_back(e ? as_type(b, e->value, row) : b.zero(row));
        out.push_back(!e ? Atom(bool_const(false)) : e->inside ? *e->inside : Atom(bool_const(true)));
      }
      for (Var v : ours)
        if (inner.versions.current(v) != v && std::ranges::find(undone, v) == undone.end()) undone.push_back(v);
    });
  };
  finish(back.then_, *scopes[0]);
  finish(back.else_, *scopes[1]);
  for (Var v : undone) {
    back.then_.result.push_back(scopes[0]->versions.current(v));
    back.else_.result.push_back(scopes[1]->versions.current(v));
  }
  if (back.then_.result.empty()) return;
  std::vector<Var> out = b.bind("adj", std::move(back));
  auto next = out.begin();
  for (size_t i = 0; i < arrays.size(); i++) {
    if (is_entry[i]) continue;
    Adjoint& a = scope.adjoints.state(arrays[i]);
    a = a.kind == Adjoint::Kind::Acc ? Adjoint::acc(*next) : Adjoint::of(*next, owned[i]);
    next++;
  }
  for (Var v : scalars) scope.adjoints.add(v, *next++, true);
  for (Var v : entries) {
    scope.adjoints.add_element(v, next[0], next[1], Atom(next[2]));
    next += 3;
  }
  for (Var v : undone) scope.versions.restore(v, *next++);
}

}  // namespace raido::ad
