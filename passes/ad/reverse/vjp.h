// vjp.h - reverse mode: the operator `vjp` (docs/ad.md 4).
#pragma once
#include "passes/ad/activity/activity.h"

namespace raido::ad {

// Emits f's results and the adjoints of its arguments: the values of the operator in order.
std::vector<ir::Atom> expand_vjp(ir::Builder& b, Functions& functions, ir::Vjp op, bool enclosed, bool parallel);

}  // namespace raido::ad
