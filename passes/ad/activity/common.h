// common.h - what the rules of both modes share.
#pragma once
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido::ad {

// The partial derivative of r = op args by one argument, times `by`: a tangent, or an adjoint (`back`). Nothing if nothing flows.
std::optional<ir::Term> product(const ir::Apply& op, size_t wrt, ir::Var r, const ir::Term& by, bool back, const PassOptions& options);
// x as a value of type t, which is the same but for the names of its sizes.
ir::Atom as_type(ir::Builder& b, const ir::Atom& x, const ir::Type& t);
// `receives` are the results of a body that have adjoints. In each iteration these are the variables that become the results of the
// one before: whichever flows into a result with an adjoint receives one, and so does its own result then.
void flow_back(const ir::Program& p, const ir::Body& body, const std::vector<ir::Var>& states, std::vector<bool>& receives);
// The scalar operation of the operator, if it is one on its operands or on those of arrays of any rank, pointwise.
std::optional<ScalarOp> pointwise_operator(const ir::Program& p, const ir::Lambda& op);

}  // namespace raido::ad
