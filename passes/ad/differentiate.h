// differentiate.h - the steps of differentiation, shared between its files.
#pragma once
#include "compiler/ir/build.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido::ad {

class Activity;

// Copies what is consumed inside f, so that its values survive; gives operations the form that the rules expect. For
// reverse mode `counted` says which values vary: a `while` loop over such becomes a `for` loop (prepare.cc).
void prepare(ir::Program& p, ir::Lambda& f, const Activity* counted);
// The scalar operation of the operator, if it is one on its operands or on those of arrays of any rank, pointwise.
std::optional<ScalarOp> pointwise_operator(const ir::Program& p, const ir::Lambda& op);
// Emits f's results and the derivative; the values of the operator in order (reverse.cc, forward.cc).
std::vector<ir::Atom> expand_vjp(ir::Builder& b, PassContext& context, ir::Vjp op);
std::vector<ir::Atom> expand_jvp(ir::Builder& b, PassContext& context, ir::Jvp op);

// `let r = e` with r of e's type whose source is op: refuses, and gives zeros so that expansion can go on.
void refuse_operation(PassContext& context, ir::Source at, std::string_view what);

}  // namespace raido::ad
