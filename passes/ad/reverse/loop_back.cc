// loop_back.cc - see loop_back.h.
#include "passes/ad/reverse/loop_back.h"

#include <algorithm>

#include "passes/ad/activity/common.h"

namespace raido::ad {

using namespace ir;

void substitute_type(Type& t, const Subst& s) {
  walk(t, [&](Atom& a) {
    if (auto v = var_of(a))
      if (auto found = s.find(*v); found != s.end()) a = found->second;
  });
}

namespace {

// Of each state, whether its adjoint may be anything but zero: its result has one, or it flows into a state that receives one. Where
// the body updates accumulators of the primal, adjoints come from these, too.
std::vector<bool> receives_adjoints(Scope& scope, const Stm& s, const For& op) {
  size_t n = op.state.size();
  std::vector<bool> out(n);
  bool updates = false;
  each_stm(op.body, [&](const Stm& inner) { updates = updates || std::holds_alternative<AccUpdate>(inner.exp); });
  for (size_t k = 0; k < n; k++) out[k] = !is_acc(scope.p.type(op.state[k].var)) && (updates || !scope.adjoints.is_zero(s.pattern[k].var));
  std::vector<Var> states;
  for (Bind x : op.state) states.push_back(x.var);
  flow_back(scope.p, op.body, states, out);
  return out;
}

}  // namespace

LoopBack::LoopBack(Scope& scope, const Stm& s, const For& op) : scope_(scope), s_(s), op_(op) {
  VarSet bound;
  bound.insert(op.i.var);
  std::vector<bool> receives = receives_adjoints(scope, s, op);
  for (size_t i = 0; i < op.state.size(); i++) {
    bound.insert(op.state[i].var);
    if (scope.act.varied(op.state[i].var) && receives[i]) carried_.push_back(i);
  }
  free_ = scope.free_in(op.body);
  std::erase_if(free_, [&](Var v) { return bound.contains(v); });
}
std::vector<Atom> LoopBack::start() {
  std::vector<Atom> out;
  for (size_t i : carried_) {
    out.push_back(scope_.adjoints.threaded(s_.pattern[i].var));
    scope_.adjoints.take(s_.pattern[i].var);
  }
  for (Var v : free_) out.push_back(scope_.adjoints.threaded(v));
  return out;
}
std::vector<std::string> LoopBack::hints() const {
  std::vector<std::string> out;
  for (size_t i : carried_) out.push_back(scope_.p.hint(s_.pattern[i].var) + "_adj");
  for (Var v : free_) out.push_back(scope_.p.hint(v) + "_adj");
  return out;
}
void LoopBack::name(std::vector<Var>& state, Subst& values) const {
  Program& p = scope_.p;
  for (size_t k = 0; k < op_.state.size(); k++) {
    Var x = op_.state[k].var;
    if (!is_scalar(p.type(x)) && !is_array(p.type(x))) continue;
    Type t = p.type(x);
    substitute_type(t, values);
    if (!state[k].valid()) state[k] = p.fresh(p.hint(x), t);
    if (scope_.act.varied(x)) scope_.act.mark(state[k]);
    values.emplace(x, state[k]);
  }
}
std::vector<Atom> LoopBack::iteration(Scope& inner, const Atom& i, const std::vector<Var>& state, const std::vector<Var>& adjoints) {
  Program& p = scope_.p;
  Subst values;
  values.emplace(op_.i.var, i);
  for (size_t k = 0; k < state.size(); k++)
    if (state[k].valid()) values.emplace(op_.state[k].var, state[k]);
  for (size_t k = 0; k < free_.size(); k++)
    inner.adjoints.thread(free_[k], adjoints[carried_.size() + k], scope_.adjoints.accumulates(free_[k]));
  Body body = scope_.act.clone(op_.body);
  substitute(p, body, values);
  std::vector<Adjoint> seeds(op_.state.size());
  for (size_t k = 0; k < carried_.size(); k++) seeds[carried_[k]] = Adjoint::of(adjoints[k], true);
  inner.run(std::move(body), seeds);
  std::vector<Atom> out;
  for (size_t k : carried_) out.push_back(inner.adjoints.threaded(state[k]));
  for (Var v : free_) out.push_back(inner.adjoints.threaded(v));
  return out;
}
void LoopBack::finish(const std::vector<Var>& adjoints) {
  for (size_t k = 0; k < free_.size(); k++)
    scope_.adjoints.thread(free_[k], adjoints[carried_.size() + k], scope_.adjoints.accumulates(free_[k]));
  for (size_t k = 0; k < carried_.size(); k++) {
    const Atom& init = op_.init[carried_[k]];
    scope_.adjoints.add(init, as_type(scope_.b, adjoints[k], scope_.p.type(init)), true);
  }
}

}  // namespace raido::ad
