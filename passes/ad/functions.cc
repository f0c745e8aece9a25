// functions.cc
//
// let ys = call f xs                                                                docs/ad.md 6.5
//
//   forward     ys, ys_tan = call f_fwd xs xs_tan
//   return      xs_adj += call f_bwd xs ys_adj            f_bwd runs f again, and goes back
//
// Of a recursive function every level of f_bwd runs its part of f again; nothing is stored.
//
// Rules: call.derived call.recursive.
#include "passes/ad/functions.h"

#include "passes/ad/differentiate.h"
#include "passes/ad/rules.h"
#include "passes/ad/unused.h"

namespace raido::ad {

using namespace ir;

Functions::Which Functions::varied(FunId f, const Which& args, const Mode& mode) {
  Key key{f, args, {}, mode};
  if (auto known = varied_.find(key); known != varied_.end()) return known->second;
  if (guessing_) return guess(key);
  guessing_ = true;
  do {
    changed_ = false;
    seen_.clear();
    guess(key);
  } while (changed_);
  guessing_ = false;
  varied_.merge(guesses_);
  guesses_.clear();
  return varied_.at(key);
}
// One look at the function with what is known of those that it calls; less than all at first, never too much.
Functions::Which Functions::guess(const Key& key) {
  const auto& [f, args, none, mode] = key;
  const Lambda& l = program.functions[f.index].lambda;
  Which& known = guesses_.try_emplace(key, Which(l.body.result.size())).first->second;
  if (!seen_.insert(key).second) return known;
  Activity inner(*this, mode);
  inner.analyse(l, args);
  Which now;
  for (const Atom& r : l.body.result) now.push_back(inner.varied(r));
  if (now != known) changed_ = true;
  return known = now;
}

FunId Functions::declare(FunId f, const std::string& suffix, std::vector<Bind> params, std::vector<Type> returns) {
  Function derived;
  auto taken = [&](const std::string& name) { return program.function(name) != nullptr; };
  const std::string base = program.functions[f.index].name + suffix;
  derived.name = base;
  for (int i = 1; taken(derived.name); i++) derived.name = base + "_" + std::to_string(i);
  derived.consumes.assign(params.size(), false);
  derived.lambda.params = std::move(params);
  derived.returns = std::move(returns);
  program.functions.push_back(std::move(derived));
  context.stats.count("ad.functions");
  return {uint32_t(program.functions.size() - 1)};
}

FunId Functions::forward(FunId f, const Which& args, const Mode& mode) {
  Key key{f, args, {}, mode};
  if (auto known = forward_.find(key); known != forward_.end()) return known->second;
  Which results = varied(f, args, mode);
  Subst renamed;
  Lambda l = clone(program, program.functions[f.index].lambda, &renamed);
  std::vector<Type> returns = renamed_returns(f, renamed);
  for (size_t i = 0, n = returns.size(); i < n; i++)
    if (results[i]) returns.push_back(Type(returns[i]));
  std::vector<Var> tangents;
  std::vector<Bind> params = l.params;
  for (size_t i = 0; i < args.size(); i++) {
    if (!args[i]) continue;
    tangents.push_back(program.fresh(program.hint(l.params[i].var) + "_tan", program.type(l.params[i].var)));
    params.push_back({tangents.back()});
  }
  FunId id = forward_[key] = declare(f, "_fwd", std::move(params), std::move(returns));
  Body body = forward_body(*this, mode, std::move(l), args, tangents, results);
  program.functions[id.index].lambda.body = std::move(body);
  return id;
}

std::vector<size_t> Functions::sizes(FunId f, const Which& seeds) const {
  std::set<size_t> numbers;
  const std::vector<Type>& returns = program.functions[f.index].returns;
  for (size_t i = 0; i < returns.size(); i++)
    if (seeds[i]) walk(returns[i], [&](const Var& v) { if (is_result_number(v)) numbers.insert(number_of_result(v)); });
  return {numbers.begin(), numbers.end()};
}

FunId Functions::backward(FunId f, const Which& args, const Which& seeds, const Mode& mode) {
  Key key{f, args, seeds, mode};
  if (auto known = backward_.find(key); known != backward_.end()) return known->second;
  Subst renamed;
  Lambda l = clone(program, program.functions[f.index].lambda, &renamed);
  std::vector<Type> results = renamed_returns(f, renamed), returns;
  std::vector<Bind> params = l.params;
  std::map<size_t, Var> known_sizes;
  for (size_t k : sizes(f, seeds)) {
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
  FunId id = backward_[key] = declare(f, "_bwd", std::move(params), std::move(returns));

  Activity act = ready(*this, l, args, mode, true);                  // nobody knows where it is called
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
  guard_unused(program, body, seeded);
  program.functions[id.index].lambda.body = std::move(body);
  return id;
}

std::vector<Type> Functions::renamed_returns(FunId f, const Subst& renamed) const {
  std::vector<Type> returns = program.functions[f.index].returns;
  for (Type& t : returns)
    walk(t, [&](Var& v) { if (auto found = renamed.find(v); found != renamed.end()) v = *var_of(found->second); });
  return returns;
}

namespace {

void return_call(Scope& scope, const Stm& s, const Call& op) {
  Functions::Which args, seeded;
  for (const Atom& x : op.args) args.push_back(scope.act.varied(x) && (is_scalar(scope.p.type(x)) || is_array(scope.p.type(x))));
  std::vector<Adjoint> seeds = scope.adjoints.take_results(s);
  Functions& functions = scope.act.functions;
  for (const Adjoint& a : seeds) seeded.push_back(a.is_value());
  Call back{functions.backward(op.callee, args, seeded, scope.act.mode), op.args};
  for (size_t k : functions.sizes(op.callee, seeded)) back.args.push_back(s.pattern[k].var);
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
  // What is consumed is read again by the return sweep.
  Stm forward = s;
  Call& call = std::get<Call>(forward.exp);
  const Function& f = scope.p.functions[op.callee.index];
  for (size_t i = 0; i < call.args.size(); i++)
    if (f.consumes[i]) call.args[i] = scope.b.copy(*var_of(call.args[i]));
  scope.forward(forward);
  return {{}, [](Scope& inner, const Stm& now, const std::vector<Atom>&) { return_call(inner, now, std::get<Call>(now.exp)); }};
}

}  // namespace raido::ad
