// forward.h - forward mode: the operator `jvp`, and functions that are called under it (docs/ad.md 3).
#pragma once
#include "passes/ad/activity/activity.h"

namespace raido::ad {

// Emits f's results and their tangents: the values of the operator in order.
std::vector<ir::Atom> expand_jvp(ir::Builder& b, Functions& functions, ir::Jvp op, bool enclosed);

}  // namespace raido::ad
