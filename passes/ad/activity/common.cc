// common.cc - see common.h.
#include "passes/ad/activity/common.h"

#include <utility>

#include "compiler/ir/analysis/flow.h"

namespace raido::ad {

using namespace ir;

// Nothing flows to an operand that was not chosen, even if `by` is infinite. Under --ad-safe-mul zero times infinity is zero for every
// operation (docs/ad.md 10). Where both are finite the product stays what it is, so its derivative is that of a product.
std::optional<Term> product(const Apply& op, size_t wrt, Var r, const Term& by, bool back, const PassOptions& options) {
  Builder& b = *by.b;
  if (op.op == ScalarOp::to_bits || op.op == ScalarOp::from_bits)
    return apply((op.op == ScalarOp::to_bits) == back ? ScalarOp::from_bits : ScalarOp::to_bits, {by});
  Term x = b.term(op.args[0]), y = b.term(op.args[std::min<size_t>(1, op.args.size() - 1)]), z = b.term(op.args.back());
  bool choice = is_choice(op.op, by.scalar());
  auto partial = ir::partial(op.op, int(wrt), x, y, z, b.term(r), choice ? &by : nullptr);
  if (!partial || choice) return partial;
  if (const_of(partial->atom) || !is_float(by.scalar())) return *partial * by;
  size_t known = b.program.vars.size();
  Term both = *partial * by;
  if (auto made = var_of(both.atom); made && made->index >= known) b.program.vars[made->index].contribution = true;
  if (!options.ad_safe_mul) return both;
  Term zero = b.number(by.scalar(), 0);
  Term flat = eq(*partial, zero), unused = or_(flat, eq(by, zero));
  return select({and_(unused, apply(ScalarOp::isnan, {both})), zero, both});
}

void flow_back(const Program& p, const Body& body, const std::vector<Var>& states, std::vector<bool>& receives) {
  const size_t n = states.size();
  std::vector<VarSet> reaches(n);
  for (size_t j = 0; j < n; j++)
    if (!receives[j]) reaches[j] = reached(p, body, {states[j]}, [](Flow how) { return how != Flow::Steers; });
  for (bool more = true; std::exchange(more, false);)
    for (size_t j = 0; j < n; j++)
      for (size_t k = 0; k < n && !receives[j] && !is_acc(p.type(states[j])); k++)
        if (auto v = var_of(body.result[k]); receives[k] && v && reaches[j].contains(*v)) receives[j] = more = true;
}

Atom as_type(Builder& b, const Atom& x, const Type& t) {
  if (!is_array(t) || shape_of(b.program.type(x)) == shape_of(t)) return x;
  return b.bind1(b.program.hint(*var_of(x)), Reshape{*var_of(x), shape_of(t)});
}

std::optional<ScalarOp> pointwise_operator(const Program& p, const Lambda& op) {
  if (auto scalar = scalar_operator(p, op)) return scalar;
  if (op.params.size() != 2 || op.body.stms.size() != 1 || op.body.result.size() != 1) return {};
  const Stm& s = op.body.stms[0];
  auto map = std::get_if<Screma>(&s.exp);
  bool whole = map && is_map(*map) && identity_post(*map) && map->inputs.size() == 2 &&
               op.body.result[0] == Atom(s.pattern[0].var) && map->inputs[0] == op.params[0].var && map->inputs[1] == op.params[1].var;
  return whole ? pointwise_operator(p, map->pre) : std::nullopt;
}

}  // namespace raido::ad
