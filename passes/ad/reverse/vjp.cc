// vjp.cc - the operator `vjp`: its two sweeps in the place of it                                       docs/ad.md 4
#include "passes/ad/prepare/prepare.h"
#include "passes/ad/reverse/scope.h"
#include "passes/ad/reverse/unused.h"
#include "passes/ad/reverse/vjp.h"
#include "passes/ad/seeds/seeds.h"

namespace raido::ad {

using namespace ir;

namespace {

std::vector<Atom> sweeps_of(Builder& b, Functions& functions, Vjp op, bool enclosed, bool parallel) {
  Program& p = b.program;
  std::vector<bool> varied;
  for (size_t i = 0; i < op.at.size(); i++) varied.push_back(is_scalar(p.type(op.at[i])) || is_array(p.type(op.at[i])));
  Activity act = prepare_reverse(functions, op.f, varied, {false, enclosed}, parallel);
  // Fresh names for the arguments: the same value may be free in f, where it is a constant for this operator.
  std::vector<Atom> params;
  for (size_t i = 0; i < op.at.size(); i++) {
    Var v = b.bind1(p.hint(op.f.params[i].var), Identity{op.at[i]});
    params.push_back(v);
  }
  Scope scope(act, b);
  if (parallel) scope.make_parallel();
  Body body = scope.bind(std::move(op.f), params);
  std::vector<Atom> results = body.result;
  if (!op.batch.empty()) {
    // The forward sweep is that of all seeds.
    auto sweeps = scope.forth(std::move(body));
    for (Var d : each_seed(b, act.context, op.batch, op.adjoints, [&](const std::vector<Var>& rows) {
           std::vector<Adjoint> seeds;
           for (Var row : rows) seeds.push_back(Adjoint::of(row, false));
           scope.back(*sweeps, seeds);
           std::vector<Atom> out;
           for (const Atom& x : params) out.push_back(scope.adjoints.value(*var_of(x)));
           return out;
         }))
      results.push_back(d);
    return results;
  }
  std::vector<Adjoint> seeds;
  for (const Atom& a : op.adjoints) {
    auto c = const_of(a);
    seeds.push_back(c && is_zero(*c) ? Adjoint{} : Adjoint::of(a, false));
  }
  scope.run(std::move(body), seeds);
  for (const Atom& x : params) results.push_back(scope.adjoints.value(*var_of(x)));
  return results;
}

}  // namespace

std::vector<Atom> expand_vjp(Builder& b, Functions& functions, Vjp op, bool enclosed, bool parallel) {
  Body sweeps = b.body([&] { return sweeps_of(b, functions, std::move(op), enclosed, parallel); });
  guard_unused(b.program, sweeps, {});
  b.emit_all(std::move(sweeps.stms));
  return sweeps.result;
}

}  // namespace raido::ad
