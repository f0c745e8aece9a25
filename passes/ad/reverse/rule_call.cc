// rule_call.cc
//
// let ys = call f xs                                                                docs/ad.md 6.5
//
//   xs_adj += call f_bwd xs ys_adj            f_bwd runs f again, and goes back
//
// Of a recursive function every level of f_bwd runs its part of f again; nothing is stored. The forward sweep copies what f consumes,
// since the return sweep reads it again.
//
// Rules: call.derived call.recursive.
#include "passes/ad/activity/common.h"
#include "passes/ad/activity/no_flow.h"
#include "passes/ad/prepare/prepare.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {

// The results that are sizes of the results `seeds`.
std::vector<size_t> sizes_of_seeds(const Program& program, FunId f, const Functions::Which& seeds) {
  std::set<size_t> numbers;
  const std::vector<Type>& returns = program.functions[f.index].returns;
  for (size_t i = 0; i < returns.size(); i++)
    if (seeds[i]) walk(returns[i], [&](const Var& v) { if (is_result_number(v)) numbers.insert(number_of_result(v)); });
  return {numbers.begin(), numbers.end()};
}

// Takes what f takes, then `sizes_of_seeds` among f's results, then adjoints of the results `seeds`. Returns adjoints of these arguments.
FunId backward(Functions& functions, FunId f, const Functions::Which& args, const Functions::Which& seeds, const Mode& mode) {
  const Functions::Key key{f, args, seeds, mode};
  if (auto known = functions.derived(key)) return *known;
  Program& program = functions.program;
  Subst renamed;
  Lambda l = clone(program, program.functions[f.index].lambda, &renamed);
  std::vector<Type> results = functions.returns(f, renamed), returns;
  std::vector<Bind> params = l.params;
  std::map<size_t, Var> known_sizes;
  for (size_t k : sizes_of_seeds(program, f, seeds)) {
    known_sizes[k] = program.fresh("n", scalar_type(Scalar::I64));
    params.push_back({known_sizes[k]});
  }
  std::vector<Adjoint> adjoints(seeds.size());
  for (size_t i = 0; i < seeds.size(); i++) {
    if (!seeds[i]) continue;
    walk(results[i], [&](Var& v) { if (is_result_number(v)) v = known_sizes.at(number_of_result(v)); });
    Var adjoint = program.fresh("y_adj", results[i]);
    params.push_back({adjoint});
    adjoints[i] = Adjoint::of(adjoint, false);
  }
  for (size_t i = 0; i < args.size(); i++)
    if (args[i]) returns.push_back(program.type(l.params[i].var));
  FunId id = functions.declare(key, "_bwd", std::move(params), std::move(returns));

  Activity act = prepare_reverse(functions, l, args, mode, {true});                  // nobody knows where it is called
  Body body;
  Builder b(program, body.stms);
  Scope scope(act, b);
  scope.run(std::move(l.body), adjoints);
  for (size_t i = 0; i < args.size(); i++) {
    if (!args[i]) continue;
    Var x = l.params[i].var;
    body.result.push_back(is_array(program.type(x)) ? Atom(scope.adjoints.own(x)) : scope.adjoints.value(x));
  }
  std::vector<Var> seeded;
  for (const Adjoint& a : adjoints) if (a.is_value()) seeded.push_back(*var_of(a.value));
  guard_no_flow(program, body, seeded, mode.enclosed);
  program.functions[id.index].lambda.body = std::move(body);
  return id;
}

void return_call(Scope& scope, const Stm& s, const Call& op) {
  Functions::Which args, seeded;
  for (const Atom& x : op.args) args.push_back(scope.act.varied(x) && (is_scalar(scope.p.type(x)) || is_array(scope.p.type(x))));
  std::vector<Adjoint> seeds = scope.adjoints.take_results(s);
  for (const Adjoint& a : seeds) seeded.push_back(a.is_value());
  Call back{backward(scope.act.functions, op.callee, args, seeded, scope.act.mode), op.args};
  for (size_t k : sizes_of_seeds(scope.p, op.callee, seeded)) back.args.push_back(s.pattern[k].var);
  for (const Adjoint& a : seeds) if (a.is_value()) back.args.push_back(a.value);
  std::vector<Var> adjoints = scope.b.bind("adj", std::move(back));
  size_t at = 0;
  for (size_t i = 0; i < args.size(); i++)
    if (args[i]) {
      Atom contribution = as_type(scope.b, adjoints[at++], scope.p.type(op.args[i]));
      scope.adjoints.add(op.args[i], contribution, true);
    }
}

}  // namespace

Back forth(Scope& scope, const Stm& s, const Call& op) {
  Stm forward = s;
  Call& call = std::get<Call>(forward.exp);
  const Function& f = scope.p.functions[op.callee.index];
  for (size_t i = 0; i < call.args.size(); i++)
    if (f.consumes[i]) call.args[i] = scope.b.copy(*var_of(call.args[i]));
  scope.forward(forward);
  return {{}, [](Scope& inner, const Stm& now, const std::vector<Atom>&) { return_call(inner, now, std::get<Call>(now.exp)); }};
}

}  // namespace raido::ad
