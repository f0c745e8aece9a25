// traits.cc - the table by operation.
#include "compiler/ir/analysis/traits.h"

#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"

namespace raido::ir {

Traits traits_of(const Exp& e) {
  return match(e, []<class Operation>(const Operation&) { return traits<Operation>; });
}

bool may_mix(const For& loop) {
  bool makes = false;
  each_stm(loop.body, [&](const Stm& s) { makes = makes || kind_of(s.exp) == Kind::Make || kind_of(s.exp) == Kind::Block; });
  return loop.any_order && !loop.sums && !makes;
}

bool has_vector_form(const Program& p, const Exp& e) {
  auto op = std::get_if<Apply>(&e);
  return !op || has_vector_form(op->op, elem_of(p, op->args[0]), op->args.size() > 1 ? const_of(op->args[1]) : nullptr);
}

bool is_for_vectors(const Program& p, const Stm& s, const VarSet& inside) {
  const Kind kind = kind_of(s.exp);
  if (!s.checks.empty() || (!is_step(s.exp) && kind != Kind::Read && kind != Kind::Write && kind != Kind::Branch)) return false;
  if (has_vector_form(p, s.exp)) return true;
  const Apply& op = std::get<Apply>(s.exp);
  const bool divides = op.op == ScalarOp::div || op.op == ScalarOp::mod || op.op == ScalarOp::quot || op.op == ScalarOp::rem;
  auto divisor = divides && is_integer(elem_of(p, op.args[0])) ? std::optional(op.args[1]) : std::nullopt;
  return divisor && !(var_of(*divisor) && inside.contains(*var_of(*divisor)));
}

}  // namespace raido::ir
