// rule_array.cc - operations on arrays that have no bodies                                         docs/ad.md 6.2, 6.3
//
// Rules: index.read index.slice update.point update.slice array.literal array.replicate array.concat array.permute array.reshape
// array.copy.
#include "passes/ad/reverse/operators.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

void back(Scope& scope, const Stm& s, const Copy& op) {
  Adjoint a = scope.adjoints.take(s.pattern[0].var);
  scope.adjoints.add(op.array, a.value, a.owned);
}
void back(Scope& scope, const Stm& s, const Index& op) {
  Atom value = scope.adjoints.take(s.pattern[0].var).value;
  if (op.at.size() == 1 && std::holds_alternative<Atom>(op.at[0]) && scope.act.varied(op.array))
    return scope.adjoints.add_element(op.array, std::get<Atom>(op.at[0]), value, {});
  scope.adjoints.add_at(op.array, op.at, value);
}
// let b = a with [at] <- v     ==>   v_adj += b_adj[at] ; a_adj += b_adj with [at] <- 0        docs/ad.md 6.3
void back(Scope& scope, const Stm& s, const Update& op) {
  Builder& b = scope.b;
  Var adj = scope.adjoints.own(s.pattern[0].var);
  if (scope.act.varied(op.value)) {
    Var part = b.bind1("v_adj", Index{adj, op.at});
    bool array = is_array(scope.p.type(part));
    scope.adjoints.add(op.value, array ? b.copy(part) : part, true);
  }
  scope.adjoints.take(s.pattern[0].var);
  if (!scope.act.varied(op.array)) return;
  Atom zero = b.zero(scope.p.type(op.value));
  scope.adjoints.add(op.array, b.bind1("a_adj", Update{adj, op.at, zero}), true);
}
void back(Scope& scope, const Stm& s, const ArrayLit& op) {
  Var adj = *var_of(scope.adjoints.take(s.pattern[0].var).value);
  for (size_t i = 0; i < op.elements.size(); i++)
    if (scope.act.varied(op.elements[i])) scope.adjoints.add(op.elements[i], scope.b.index("e_adj", adj, {i64_atom(i64(i))}));
}
void back(Scope& scope, const Stm& s, const Replicate& op) {
  Atom sum = scope.adjoints.take(s.pattern[0].var).value;
  for (size_t d = 0; d < op.shape.size(); d++) sum = sum_outer(scope.b, *var_of(sum));
  scope.adjoints.add(op.value, sum, true);
}
// Integers only: every element of iota is start + i*step.
void back(Scope& scope, const Stm& s, const Iota& op) {
  Builder& b = scope.b;
  Var adj = *var_of(scope.adjoints.take(s.pattern[0].var).value);
  if (scope.act.varied(op.start)) scope.adjoints.add(op.start, sum_outer(b, adj), true);
  if (!scope.act.varied(op.step)) return;
  Scalar t = elem_of(scope.p, op.step);
  Var is = b.iota(op.n);
  scope.adjoints.add(op.step, sum_outer(b, b.map_all("weighted", {op.n}, {is, adj}, [&](const std::vector<Var>& in) {
    return std::vector<Atom>{(convert(t, b.term(in[0])) * b.term(in[1])).atom};
  })[0]), true);
}
void back(Scope& scope, const Stm& s, const Concat& op) {
  Builder& b = scope.b;
  Var adj = *var_of(scope.adjoints.take(s.pattern[0].var).value);
  Term start = b.term(i64_const(0));
  for (Var v : op.arrays) {
    std::vector<Dim> shape = shape_of(scope.p.type(v));
    std::vector<Selector> at;
    for (int d = 0; d < op.dim; d++) at.push_back(Slice{i64_const(0), shape[size_t(d)], i64_const(1)});
    at.push_back(Slice{start.atom, shape[size_t(op.dim)], i64_const(1)});
    if (scope.act.varied(v)) scope.adjoints.add(v, b.bind1("part_adj", Index{adj, at}));
    start = start + b.term(shape[size_t(op.dim)]);
  }
}
void back(Scope& scope, const Stm& s, const Reshape& op) {
  Adjoint a = scope.adjoints.take(s.pattern[0].var);
  scope.adjoints.add(op.array, scope.b.bind1("x_adj", Reshape{*var_of(a.value), shape_of(scope.p.type(op.array))}), a.owned);
}
void back(Scope& scope, const Stm& s, const Permute& op) {
  Adjoint a = scope.adjoints.take(s.pattern[0].var);
  std::vector<int> back(op.dims.size());
  for (size_t i = 0; i < op.dims.size(); i++) back[size_t(op.dims[i])] = int(i);
  scope.adjoints.add_permuted(op.array, *var_of(a.value), back, a.owned);
}

}  // namespace raido::ad
