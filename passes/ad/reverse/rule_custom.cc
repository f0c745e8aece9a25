// rule_custom.cc
//
// let y = custom f x                                                                docs/ad.md 6.12
//
//   x_adj += its rule at y, y_adj
//
// Without a rule for this mode, and for what f keeps for the rule: f again, its return sweep.
//
// Rules: custom.vjp custom.tape.
#include "passes/ad/activity/common.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

void back(Scope& scope, const Stm& s, const Custom& op) {
  Builder& b = scope.b;
  const std::optional<Lambda>& rule = scope.act.mode.rule(op);
  if (rule && !scope.act.rule_sees_all(op, s.source)) return;
  std::vector<Adjoint> seeds = scope.adjoints.take_results(s);
  auto through_f = [&] { scope.run(scope.bind(scope.act.clone(op.f), op.args), seeds); };
  if (!rule) return through_f();
  std::vector<Atom> both;
  for (Bind y : s.pattern) both.push_back(y.var);
  for (size_t i = 0; i < seeds.size(); i++) both.push_back(seeds[i].is_value() ? seeds[i].value : b.zero(scope.p.type(s.pattern[i].var)));
  std::vector<Atom> adjoints = b.inline_call(*rule, both);
  for (size_t i = 0; i < op.args.size(); i++)
    if (scope.act.varied(op.args[i])) scope.adjoints.add(op.args[i], as_type(b, adjoints[i], scope.p.type(op.args[i])));
  seeds.resize(size_t(op.kept));
  if (!all_zero(seeds)) through_f();
}

}  // namespace raido::ad
