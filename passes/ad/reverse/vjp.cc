// vjp.cc - the operator `vjp`: its two sweeps in the place of it                                       docs/ad.md 4
#include "passes/ad/activity/no_flow.h"
#include "passes/ad/prepare/prepare.h"
#include "passes/ad/reverse/scope.h"
#include "passes/ad/reverse/vjp.h"
#include "passes/ad/seeds/seeds.h"

namespace raido::ad {

using namespace ir;

namespace {

std::vector<Atom> sweeps_of(Builder& b, Functions& functions, Vjp op, const Zeros& zeros, bool enclosed, const Around& around) {
  Program& p = b.program;
  std::vector<bool> varied;
  for (size_t i = 0; i < op.at.size(); i++) varied.push_back(is_scalar(p.type(op.at[i])) || is_array(p.type(op.at[i])));
  Activity act = prepare_reverse(functions, op.f, varied, {false, enclosed}, around);
  // Fresh names for the arguments: the same value may be free in f, where it is a constant for this operator.
  std::vector<Atom> params;
  for (size_t i = 0; i < op.at.size(); i++) {
    Var v = b.bind1(p.hint(op.f.params[i].var), Identity{op.at[i]});
    params.push_back(v);
  }
  Scope scope(act, b);
  if (around.parallel) scope.make_parallel();
  Body body = scope.bind(std::move(op.f), params);
  std::vector<Atom> results = body.result;
  auto seed = [&](const Atom& given, const Atom& value) { return zeros.contains(given) ? Adjoint{} : Adjoint::of(value, false); };
  if (!op.batch.empty()) {
    // The forward sweep is that of all seeds.
    auto sweeps = scope.forth(std::move(body));
    for (Var d : each_seed(b, act.context, op.batch, op.adjoints, [&](const std::vector<Var>& rows) {
           std::vector<Adjoint> seeds;
           for (size_t k = 0; k < rows.size(); k++) seeds.push_back(seed(op.adjoints[k], rows[k]));
           scope.back(*sweeps, seeds);
           std::vector<Atom> out;
           for (const Atom& x : params) out.push_back(scope.adjoints.value(*var_of(x)));
           return out;
         }))
      results.push_back(d);
    return results;
  }
  std::vector<Adjoint> seeds;
  for (const Atom& a : op.adjoints) seeds.push_back(seed(a, a));
  scope.run(std::move(body), seeds);
  for (const Atom& x : params) results.push_back(scope.adjoints.value(*var_of(x)));
  return results;
}

}  // namespace

std::vector<Atom> expand_vjp(Builder& b, Functions& functions, Vjp op, const Zeros& zeros, bool enclosed, const Around& around) {
  Body sweeps = b.body([&] { return sweeps_of(b, functions, std::move(op), zeros, enclosed, around); });
  guard_no_flow(b.program, sweeps, {}, enclosed);
  b.emit_all(std::move(sweeps.stms));
  return sweeps.result;
}

}  // namespace raido::ad
