// activity.cc - one forward walk; loops and operators repeat theirs until nothing changes (monotone, so it ends).
#include "passes/ad/activity/activity.h"

#include <algorithm>

#include "compiler/ir/analysis/flow.h"

namespace raido::ad {

using namespace ir;

void Activity::set(Var v, bool value) {
  const Type& t = program.type(v);
  if (!value || varied_.contains(v)) return;
  if (is_check(t) || std::holds_alternative<BlockType>(t)) return;
  if (!is_acc(t) && elem_of(t) == Scalar::Bool) return;          // comparisons contribute nothing
  varied_.insert(v);
  changed_ = true;
}

void Activity::analyse(const Lambda& f, const std::vector<bool>& varied_params) {
  for (size_t i = 0; i < f.params.size(); i++) set(f.params[i].var, varied_params[i]);
  do {
    changed_ = false;
    body(f.body);
  } while (changed_);
}
void Activity::body(const Body& b) { for (const Stm& s : b.stms) statement(s); }

void Activity::statement(const Stm& s) {
  auto any = [&](const std::vector<Atom>& atoms) { return std::ranges::any_of(atoms, [&](const Atom& a) { return varied(a); }); };
  auto results = [&](bool value) { for (Bind b : s.pattern) set(b.var, value); };
  if (auto x = std::get_if<Convert>(&s.exp)) {
    Scalar from = elem_of(program, x->value);
    return results(varied(x->value) && (context.options.ad_int_cast || !(is_float(from) && !is_float(x->to))));
  }
  if (auto x = std::get_if<Call>(&s.exp)) {
    if (!any(x->args)) return;
    std::vector<bool> args;
    for (const Atom& a : x->args) args.push_back(varied(a));
    std::vector<bool> out = functions.varied(x->callee, args, mode);
    for (size_t i = 0; i < out.size(); i++) set(s.pattern[i].var, out[i]);
    return;
  }
  if (auto x = std::get_if<Custom>(&s.exp); x && mode.rule(*x)) {
    results(any(x->args) || !free_varied(*x).empty());
    if (x->kept == 0) return;
  }
  if (auto x = std::get_if<WithAcc>(&s.exp))                     // such an operator makes of any element something that varies
    for (size_t k = 0; k < x->dests.size(); k++)
      if (x->dests[k].combine) set(x->scope.params[x->dests.size() + k].var, !free_varied(x->dests[k].combine->op).empty());
  each_flow(program, s, [&](const Atom& from, Var to, Flow how) { if (how != Flow::Steers) set(to, varied(from)); },
            [&](const Body& b) { body(b); });
}

bool Activity::rule_sees_all(const Custom& x, Source at) {
  std::vector<Var> free = free_varied(x.f), more = free_varied(*mode.rule(x));
  free.insert(free.end(), more.begin(), more.end());
  if (!free.empty()) context.refuse(at, Refusal::ActiveInRule, program.hint(free[0]));
  return free.empty();
}

}  // namespace raido::ad
