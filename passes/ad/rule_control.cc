// rule_control.cc
//
// let ys = if c then A else B                                                       ad.md 8.12
//
//   ws_adj = if c then (A again, its return sweep) else (B again, its return sweep)
//
// ws: the varied variables free in either branch. Arrays are threaded: their adjoints go in and come out, so that a read
// in one branch costs what it reads. Scalars contribute. Tests: tests/ad/control.fut.
//
// Rules: if.plain if.swap.
#include <algorithm>

#include "passes/ad/reverse.h"

namespace raido::ad {

using namespace ir;

ReturnSweep vjp_if(Reverse& rev, const Stm& s, const If& op) {
  return [&rev, &s, &op] {
    Program& p = rev.p;
    Builder& b = rev.b;
    std::vector<Adjoint> seeds = rev.take_results(s);
    if (Reverse::all_zero(seeds) && !rev.updates_gathered(s)) return;
    std::vector<Var> free = rev.free_in(op), arrays, scalars;
    for (Var v : free) (is_array(p.type(v)) ? arrays : scalars).push_back(v);
    auto seed_of = [&](const Atom& value) {
      return std::ranges::any_of(seeds, [&](const Adjoint& a) { return a.kind == Adjoint::Kind::Value && a.owned && a.value == value; });
    };
    std::vector<bool> owned(arrays.size(), true);
    // What the branches update and undo comes out of both, under the name that it has then.
    std::vector<Var> ours = free_vars(p, op), undone;
    std::erase_if(ours, [&](Var v) { return !rev.is_ours(v); });
    std::vector<std::unique_ptr<Reverse>> scopes;
    auto branch = [&](const Body& primal) {
      return b.body([&] {
        Reverse& inner = *scopes.emplace_back(std::make_unique<Reverse>(rev, arrays));
        for (Var v : ours) inner.make_ours(v);
        // A seed that both branches see may be updated in place by neither: one of them returns it untouched.
        std::vector<Adjoint> shared = seeds;
        for (Adjoint& a : shared) a.owned = false;
        inner.scope(rev.act.clone(primal), shared);
        std::vector<Atom> out;
        for (size_t i = 0; i < arrays.size(); i++) {
          Var v = arrays[i];
          if (inner.state(v).kind != Adjoint::Kind::Acc) inner.adjoint(v);          // both branches must return one
          out.push_back(inner.state(v).value);
          owned[i] = owned[i] && (inner.state(v).owned || seed_of(out.back()));     // here nobody else has the seed now
        }
        for (Var v : scalars) out.push_back(inner.is_zero(v) ? Atom(constant(elem_of(p, v), 0)) : inner.adjoint(v));
        for (Var v : ours)
          if (inner.current(v) != v && std::ranges::find(undone, v) == undone.end()) undone.push_back(v);
        return out;
      });
    };
    If back;
    back.cond = op.cond;
    back.then_ = branch(op.then_);
    back.else_ = branch(op.else_);
    for (Var v : undone) {
      back.then_.result.push_back(scopes[0]->current(v));
      back.else_.result.push_back(scopes[1]->current(v));
    }
    if (back.then_.result.empty()) return;
    std::vector<Var> out = b.bind("adj", std::move(back));
    for (size_t i = 0; i < arrays.size(); i++) {
      Adjoint& a = rev.state(arrays[i]);
      a = a.kind == Adjoint::Kind::Acc ? Adjoint::acc(out[i]) : Adjoint::of(out[i], owned[i]);
    }
    for (size_t i = 0; i < scalars.size(); i++) rev.add(scalars[i], out[arrays.size() + i], true);
    for (size_t i = 0; i < undone.size(); i++) rev.restore(undone[i], out[arrays.size() + scalars.size() + i]);
  };
}

}  // namespace raido::ad
