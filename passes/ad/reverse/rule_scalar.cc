// rule_scalar.cc - scalar operations and other names for values                                       docs/ad.md 6.1, 12
//
// Rules: scalar.apply scalar.convert.
#include "passes/ad/activity/common.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

// let r = op x y        ==>   x_adj += d op/dx * r_adj ; y_adj += d op/dy * r_adj             docs/ad.md 6.1, 12
void back(Scope& scope, const Stm& s, const Apply& op) {
  Term r_adj = scope.b.term(scope.adjoints.take(s.pattern[0].var).value);
  for (size_t i = 0; i < op.args.size(); i++)
    if (scope.act.varied(op.args[i]))
      if (auto d = product(op, i, s.pattern[0].var, r_adj, true, scope.act.context.options)) scope.adjoints.add(op.args[i], d->atom);
}
void back(Scope& scope, const Stm& s, const Convert& op) {
  scope.adjoints.add(op.value, convert(elem_of(scope.p, op.value), scope.b.term(scope.adjoints.take(s.pattern[0].var).value)).atom);
}
void back(Scope& scope, const Stm& s, const Identity& op) {
  Adjoint a = scope.adjoints.take(s.pattern[0].var);
  // Where the primal value is not wanted the derivative has to wait for its proofs.
  Atom value = scope.b.checks.empty() ? a.value : scope.b.bind1(scope.p.hint(s.pattern[0].var) + "_adj", Identity{a.value});
  scope.adjoints.add(op.value, value, a.owned);
}

}  // namespace raido::ad
