// activity.cc - one forward walk; loops and operators repeat theirs until nothing changes (monotone, so it ends).
#include "passes/ad/activity/activity.h"

#include "compiler/ir/types.h"

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
  auto any = [&](const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms) if (varied(a)) return true;
    return false;
  };
  auto result = [&](bool value) { for (Bind b : s.pattern) set(b.var, value); };
  auto results = [&](const std::vector<Atom>& atoms, size_t first = 0) {
    for (size_t i = 0; i < atoms.size() && first + i < s.pattern.size(); i++) set(s.pattern[first + i].var, varied(atoms[i]));
  };
  auto loop = [&](const std::vector<Bind>& state, const std::vector<Atom>& init, const Body& inner) {
    for (size_t i = 0; i < state.size(); i++) set(state[i].var, varied(init[i]));
    body(inner);
    for (size_t i = 0; i < state.size(); i++) set(state[i].var, varied(inner.result[i]));
    for (size_t i = 0; i < state.size(); i++) set(s.pattern[i].var, varied(state[i].var));
  };
  auto combine = [&](const Combine& c, const std::vector<Atom>& operands) {
    size_t k = c.neutral.size();
    for (size_t i = 0; i < k; i++) {
      bool value = varied(operands[i]) || varied(c.op.body.result[i]);
      set(c.op.params[i].var, value);
      set(c.op.params[k + i].var, value);
    }
    body(c.op.body);
  };
  match(s.exp,
    [&](const Apply& x) { result(any(x.args)); },
    [&](const Convert& x) {
      Scalar from = elem_of(program, x.value);
      result(varied(x.value) && (context.options.ad_int_cast || !(is_float(from) && !is_float(x.to))));
    },
    [&](const If& x) { body(x.then_); body(x.else_); results(x.then_.result); results(x.else_.result); },
    [&](const For& x) { loop(x.state, x.init, x.body); },
    [&](const While& x) { loop(x.state, x.init, x.body); },
    [&](const Index& x) { result(varied(x.array)); },
    [&](const Update& x) { result(varied(x.array) || varied(x.value)); },
    [&](const Screma& x) {
      for (size_t i = 0; i < x.inputs.size(); i++) set(x.pre.params[i].var, varied(x.inputs[i]));
      body(x.pre.body);
      const std::vector<Atom>& inner = x.pre.body.result;
      size_t at = 0, reduced = width_of(x.reduces);
      for (const auto* ops : {&x.reduces, &x.scans})
        for (const Combine& c : *ops) {
          combine(c, {inner.begin() + ptrdiff_t(at), inner.begin() + ptrdiff_t(at + c.neutral.size())});
          for (size_t i = 0; i < c.neutral.size(); i++, at++) {
            bool value = varied(c.op.params[i].var);
            if (at < reduced) set(s.pattern[at].var, value);
            else if (identity_post(x)) set(s.pattern[at].var, value);
            else set(x.post.params[at - reduced].var, value);
          }
        }
      for (; at < inner.size(); at++)
        set(identity_post(x) ? s.pattern[at].var : x.post.params[at - reduced].var, varied(inner[at]));
      if (identity_post(x)) return;
      body(x.post.body);
      results(x.post.body.result, reduced);
    },
    [&](const Hist& x) {
      for (size_t i = 0; i < x.inputs.size(); i++) set(x.pre.params[i].var, varied(x.inputs[i]));
      body(x.pre.body);
      size_t operand = 0, out = 0;
      for (const Dest& d : x.dests) operand += size_t(d.rank);
      for (const Dest& d : x.dests) {
        std::vector<Atom> operands;
        for (Var v : d.arrays) {
          const Atom& value = x.pre.body.result[operand++];
          operands.push_back(varied(v) ? Atom(v) : value);
        }
        if (d.combine) combine(*d.combine, operands);
        for (size_t i = 0; i < operands.size(); i++)
          set(s.pattern[out++].var, varied(operands[i]) || (d.combine && varied(d.combine->op.params[i].var)));
      }
    },
    [&](const WithAcc& x) {
      size_t n = x.dests.size(), at = 0;
      for (size_t k = 0; k < n; k++) {
        bool value = x.dests[k].combine && !free_varied(x.dests[k].combine->op).empty();
        for (Var v : x.dests[k].arrays) value = value || varied(v);
        set(x.scope.params[n + k].var, value);
      }
      body(x.scope.body);
      for (size_t k = 0; k < n; k++) {
        if (!x.dests[k].combine) continue;
        for (Bind operand : x.dests[k].combine->op.params) set(operand.var, varied(x.scope.body.result[k]));
        body(x.dests[k].combine->op.body);
      }
      for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < x.dests[k].arrays.size(); i++) set(s.pattern[at++].var, varied(x.scope.body.result[k]));
      for (size_t i = n; i < x.scope.body.result.size(); i++) set(s.pattern[at++].var, varied(x.scope.body.result[i]));
    },
    [&](const AccUpdate& x) { result(varied(x.acc) || any(x.values)); },
    [&](const Call& x) {
      if (!any(x.args)) return;
      std::vector<bool> args;
      for (const Atom& a : x.args) args.push_back(varied(a));
      std::vector<bool> out = functions.varied(x.callee, args, mode);
      for (size_t i = 0; i < out.size(); i++) set(s.pattern[i].var, out[i]);
    },
    [&](const Custom& x) {
      if (mode.rule(x)) {
        result(any(x.args) || !free_varied(x).empty());
        if (x.kept == 0) return;
      }
      for (size_t i = 0; i < x.args.size(); i++) set(x.f.params[i].var, varied(x.args[i]));
      body(x.f.body);
      results(x.f.body.result);
    },
    [&](const Replicate& x) { result(varied(x.value)); },
    [&](const ArrayLit& x) { result(any(x.elements)); },
    [&](const Iota& x) { result(varied(x.start) || varied(x.step)); },
    [&](const Identity& x) { result(varied(x.value)); },
    [&](const Concat& x) { for (Var v : x.arrays) result(varied(v)); },
    [&](const Reshape& x) { result(varied(x.array)); },
    [&](const Permute& x) { result(varied(x.array)); },
    [&](const Copy& x) { result(varied(x.array)); },
    [&](const auto&) {});           // assertions, scratch, data, and what cannot occur inside: nothing is varied
}

bool Activity::rule_sees_all(const Custom& x, Source at) {
  std::vector<Var> free = free_varied(x.f), more = free_varied(*mode.rule(x));
  free.insert(free.end(), more.begin(), more.end());
  if (!free.empty()) context.refuse(at, Refusal::ActiveInRule, program.hint(free[0]));
  return free.empty();
}

}  // namespace raido::ad
