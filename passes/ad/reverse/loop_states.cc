// loop_states.cc - see loop_states.h.
#include "passes/ad/reverse/loop_states.h"

#include <algorithm>

#include "passes/ad/prepare/in_place.h"
#include "passes/ad/prepare/write_once.h"

namespace raido::ad {

using namespace ir;

VarSet sizes_of(const Program& p, const For& op) {
  VarSet sizes;
  for (Bind x : op.state)
    walk(p.type(x.var), [&](const Var& v) { for (Bind y : op.state) if (y.var == v) sizes.insert(v); });
  return sizes;
}
States states_of(Scope& scope, const Stm& s, const For& op) {
  Program& p = scope.p;
  States out;
  for (size_t k = 0; k < op.state.size(); k++) if (scope.versions.is_finished(op.init[k])) out.finished.push_back(k);
  if (!op.blocks) out.updated = updated_state(p, op);
  std::erase_if(out.updated, [&](size_t k) {
    if (scope.versions.is_finished(op.init[k])) return true;
    auto found = scope.versions.is_carried(*var_of(op.init[k])) ? std::nullopt : written_once(p, op, k);
    if (!found) return false;
    for (Var read : found->before) p.vars[read.index].before.push_back(s.pattern[k].var);
    out.written_once[k] = !found->before.empty();
    return true;
  });
  VarSet used = sizes_of(p, op);
  for (const Stm& inner : op.body.stms) each_use(p, inner, [&](Var v) { used.insert(v); });
  auto among = [](const std::vector<size_t>& some, size_t k) { return std::ranges::find(some, k) != some.end(); };
  for (size_t k = 0; k < op.state.size(); k++) {
    Var x = op.state[k].var;
    if (!used.contains(x) || !(is_scalar(p.type(x)) || is_array(p.type(x)))) continue;
    if (!out.written_once.contains(k) && !among(out.updated, k) && !among(out.finished, k)) out.recorded.push_back(k);
  }
  return out;
}

}  // namespace raido::ad
