// rule_map.cc
//
// let ys = map n \as -> body                                                        ad.md 10.1; paper 5
//
//   as_adj, ws_adj += map n (\a y_adj -> body again, then its return sweep) as ys_adj
//
// Free arrays of the body accumulate (with_acc, upd); free scalars are summed over the map. Accumulators of the primal
// among the inputs are gathered: their updates read the adjoint of the finished array. Tests: tests/ad/map_*.fut.
#include <algorithm>

#include "passes/ad/reverse.h"

namespace raido::ad {

using namespace ir;

namespace {
// The adjoint of row i of xs as part of the accumulator that holds that of xs.
Adjoint part_of(Reverse& rev, Var xs, Atom i) {
  const Adjoint& whole = rev.state(xs);
  if (whole.kind == Adjoint::Kind::Acc) return Adjoint::part(xs, {i});
  std::vector<Atom> prefix = whole.prefix;
  prefix.push_back(i);
  return Adjoint::part(*var_of(whole.value), prefix);
}
}  // namespace

ReturnSweep vjp_map(Reverse& rev, const Stm& s, const Screma& op) {
  return [&rev, &s, &op] {
    Program& p = rev.p;
    std::vector<Adjoint> seeds = rev.take_results(s);
    if (Reverse::all_zero(seeds) && !rev.updates_gathered(s)) return;
    // Inputs of the new map: the primal's arrays, then the adjoints of its results.
    std::vector<Var> inputs, seeded;
    std::vector<size_t> position(op.inputs.size(), ~size_t{0});
    for (size_t i = 0; i < op.inputs.size(); i++) {
      if (is_acc(p.type(op.inputs[i]))) continue;
      position[i] = inputs.size();
      inputs.push_back(op.inputs[i]);
    }
    // Inputs whose adjoints accumulate outside: their rows contribute there directly, at the index of the iteration.
    std::vector<bool> outside(op.inputs.size());
    std::vector<Var> free = rev.free_in(op.pre);
    Var is;
    for (size_t i = 0; i < op.inputs.size(); i++) {
      Adjoint::Kind kind = rev.state(op.inputs[i]).kind;
      outside[i] = rev.act.varied(op.inputs[i]) && position[i] != ~size_t{0} &&
                   (kind == Adjoint::Kind::Acc || kind == Adjoint::Kind::Part);
      if (!outside[i]) continue;
      Var carrier = rev.carriers({op.inputs[i]})[0];
      if (std::ranges::find(free, carrier) == free.end()) free.push_back(carrier);
      if (!is.valid()) is = rev.b.iota(op.width);
    }
    if (is.valid()) inputs.push_back(is);
    size_t primal = inputs.size();
    for (const Adjoint& a : seeds)
      if (a.kind == Adjoint::Kind::Value) inputs.push_back(*var_of(a.value));
    std::vector<size_t> contributing;                        // inputs whose elements receive something
    std::vector<Var> out = rev.map("adj", op.width, inputs, free, [&](Reverse& inner, const std::vector<Var>& rows) {
      Lambda f = rev.act.clone(op.pre);
      std::vector<Atom> values;
      for (size_t i = 0; i < op.inputs.size(); i++)
        values.push_back(position[i] == ~size_t{0} ? Atom(f.params[i].var) : Atom(rows[position[i]]));
      std::vector<Adjoint> row_seeds(op.pre.body.result.size());
      size_t at = primal;
      for (size_t k = 0; k < seeds.size(); k++)
        if (seeds[k].kind == Adjoint::Kind::Value) row_seeds[k] = Adjoint::of(rows[at++], false);
      for (size_t i = 0; i < op.inputs.size(); i++)
        if (outside[i] && is_array(p.type(rows[position[i]])))
          inner.state(rows[position[i]]) = part_of(rev, op.inputs[i], rows[primal - 1]);
      inner.scope(inner.bind(std::move(f), values), row_seeds);
      std::vector<Atom> adjoints;
      for (size_t i = 0; i < op.inputs.size(); i++) {
        if (position[i] == ~size_t{0} || !rev.act.varied(op.inputs[i])) continue;
        Var row = rows[position[i]];
        if (inner.is_zero(row) || inner.state(row).kind == Adjoint::Kind::Part) continue;
        if (outside[i]) {
          inner.add_at(op.inputs[i], {Atom(rows[primal - 1])}, inner.adjoint(row));
          continue;
        }
        contributing.push_back(i);
        adjoints.push_back(inner.adjoint(row));
      }
      return adjoints;
    });
    for (size_t k = 0; k < contributing.size(); k++) rev.add(op.inputs[contributing[k]], out[k], true);
  };
}

}  // namespace raido::ad
