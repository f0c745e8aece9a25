// rule_map.cc
//
// let ys = map n \as -> body                                                        docs/ad.md 6.6
//
//   as_adj, ws_adj += map n (\a y_adj -> body again, then its return sweep) as ys_adj
//
// If of ys only ys[i] was read, the return sweep is that of the one element:
//
//   as_adj[i], ws_adj += body again at as[i], then its return sweep, seeded by ys_adj[i]          docs/ad.md 5.4
//
// Free arrays of the body accumulate (with_acc, upd); free scalars are summed over the map. Accumulators of the primal
// among the inputs are gathered: their updates read the adjoint of the finished array. Tests: tests/ad/parallel.fut, elements.fut.
//
// Rules: map.plain map.free_scalar map.free_array map.point.
#include <algorithm>

#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {
// The adjoint of row i of xs as part of the accumulator that holds that of xs.
Adjoint part_of(Scope& scope, Var xs, Atom i) {
  const Adjoint& whole = scope.adjoints.state(xs);
  if (whole.kind != Adjoint::Kind::Part) return Adjoint::part(xs, {i});
  std::vector<Atom> prefix = whole.prefix;
  prefix.push_back(i);
  return Adjoint::part(*var_of(whole.value), prefix);
}

// Whether f reads elements or slices of a row that it is given, each once, and not the row as a whole.
bool reads_parts(const Program& p, const Lambda& f, Var row) {
  if (!is_array(p.type(row))) return false;
  size_t uses = 0, reads = 0;
  each_use(p, f.body, [&](Var v) { uses += v == row; });
  auto count = [&](const Body& b, auto& self) -> void {
    for (const Stm& s : b.stms) {
      if (auto index = std::get_if<Index>(&s.exp)) reads += index->array == row;
      if (auto choice = std::get_if<If>(&s.exp)) self(choice->then_, self), self(choice->else_, self);
    }
  };
  count(f.body, count);
  return uses == reads;
}

void one_element(Scope& scope, const Screma& op, const Atom& i, const std::vector<Adjoint>& seeds) {
  Program& p = scope.p;
  Lambda f = scope.act.clone(op.pre);
  std::vector<Atom> rows;
  for (size_t k = 0; k < op.inputs.size(); k++) {
    Var xs = op.inputs[k], row = *var_of(scope.b.index(p.hint(f.params[k].var), xs, {i}));
    rows.push_back(row);
    if (!scope.act.varied(xs) || !is_array(p.type(row))) continue;
    if (scope.adjoints.state(xs).accumulates()) scope.adjoints.state(row) = part_of(scope, xs, i);
  }
  scope.run(scope.bind(std::move(f), rows), seeds);
  for (size_t k = 0; k < rows.size(); k++) {
    Var row = *var_of(rows[k]);
    if (!scope.act.varied(op.inputs[k]) || scope.adjoints.is_zero(row) || scope.adjoints.state(row).kind == Adjoint::Kind::Part) continue;
    scope.adjoints.add_at(op.inputs[k], {i}, scope.adjoints.value(row));
  }
}
// One element. Where it is not known whether there is one, it is a map over none or one index.
void entry(Scope& scope, const Screma& op, const Adjoint& at, const std::vector<Adjoint>& seeds) {
  Builder& b = scope.b;
  std::vector<Var> checks = b.checks;
  b.checks.insert(b.checks.end(), at.checks.begin(), at.checks.end());
  if (!at.inside) {
    one_element(scope, op, at.prefix[0], seeds);
  } else {
    Term one = b.term(i64_const(1)), none = b.term(i64_const(0));
    Dim width = select({b.term(*at.inside), one, none}).atom;
    std::vector<Var> varied = scope.act.free_varied(op.pre);
    for (Var v : op.inputs)
      if (scope.act.varied(v)) varied.push_back(v);
    scope.map("adj", width, {b.iota(width)}, scope.adjoints.carriers(varied), [&](Scope& inner, const std::vector<Var>&) {
      one_element(inner, op, at.prefix[0], seeds);
      return std::vector<Atom>{};
    });
  }
  b.checks = checks;
}
}  // namespace

void back_map(Scope& scope, const Stm& s, const Screma& op) {
  Program& p = scope.p;
  std::vector<Adjoint> elements;
  if (std::ranges::none_of(op.inputs, [&](Var v) { return is_acc(p.type(v)); }))
    if (auto at = scope.adjoints.take_entry(s, elements)) return entry(scope, op, *at, elements);
  std::vector<Adjoint> seeds = scope.adjoints.take_results(s);
  // Inputs of the new map: the primal's arrays, then the adjoints of its results.
  std::vector<Var> inputs;
  std::vector<size_t> position(op.inputs.size(), ~size_t{0});
  for (size_t i = 0; i < op.inputs.size(); i++) {
    if (is_acc(p.type(op.inputs[i]))) continue;
    position[i] = inputs.size();
    inputs.push_back(op.inputs[i]);
  }
  // Inputs whose adjoints accumulate outside: their rows contribute there directly, at the index of the iteration. So do parts of rows if
  // there is an adjoint already, as in a loop that reads a column in each iteration.
  std::vector<bool> outside(op.inputs.size());
  std::vector<Var> free = scope.free_in(op.pre);
  Var is;
  for (size_t i = 0; i < op.inputs.size(); i++) {
    const Adjoint& whole = scope.adjoints.state(op.inputs[i]);
    bool accumulates = whole.accumulates() || (whole.is_value() && whole.owned && reads_parts(p, op.pre, op.pre.params[i].var));
    outside[i] = accumulates && scope.act.varied(op.inputs[i]) && position[i] != ~size_t{0};
    if (!outside[i]) continue;
    Var carrier = scope.adjoints.carriers({op.inputs[i]})[0];
    if (std::ranges::find(free, carrier) == free.end()) free.push_back(carrier);
    if (!is.valid()) is = scope.b.iota(op.width);
  }
  if (is.valid()) inputs.push_back(is);
  size_t primal = inputs.size();
  for (const Adjoint& a : seeds)
    if (a.is_value()) inputs.push_back(*var_of(a.value));
  std::vector<size_t> contributing;                        // inputs whose elements receive something
  std::vector<Var> out = scope.map("adj", op.width, inputs, free, [&](Scope& inner, const std::vector<Var>& rows) {
    Lambda f = scope.act.clone(op.pre);
    std::vector<Atom> values;
    for (size_t i = 0; i < op.inputs.size(); i++)
      values.push_back(position[i] == ~size_t{0} ? Atom(f.params[i].var) : Atom(rows[position[i]]));
    std::vector<Adjoint> row_seeds(op.pre.body.result.size());
    size_t at = primal;
    for (size_t k = 0; k < seeds.size(); k++)
      if (seeds[k].is_value()) row_seeds[k] = Adjoint::of(rows[at++], false);
    for (size_t i = 0; i < op.inputs.size(); i++)
      if (outside[i] && is_array(p.type(rows[position[i]])))
        inner.adjoints.state(rows[position[i]]) = part_of(scope, op.inputs[i], rows[primal - 1]);
    inner.run(inner.bind(std::move(f), values), row_seeds);
    std::vector<Atom> adjoints;
    for (size_t i = 0; i < op.inputs.size(); i++) {
      if (position[i] == ~size_t{0} || !scope.act.varied(op.inputs[i])) continue;
      Var row = rows[position[i]];
      if (inner.adjoints.is_zero(row) || inner.adjoints.state(row).kind == Adjoint::Kind::Part) continue;
      if (outside[i]) {
        inner.adjoints.add_at(op.inputs[i], {Atom(rows[primal - 1])}, inner.adjoints.value(row));
        continue;
      }
      contributing.push_back(i);
      adjoints.push_back(inner.adjoints.value(row));
    }
    return adjoints;
  });
  for (size_t k = 0; k < contributing.size(); k++) scope.adjoints.add(op.inputs[contributing[k]], out[k], true);
}

}  // namespace raido::ad
