// forward.h - forward mode: the operator `jvp`, and functions that are called under it (docs/ad.md 3).
#pragma once
#include "compiler/ir/analysis/zeros.h"
#include "passes/ad/activity/activity.h"

namespace raido::ad {

// Emits f's results and their tangents: the values of the operator in order. What has a tangent among `zeros` does not vary.
std::vector<ir::Atom> expand_jvp(ir::Builder& b, Functions& functions, ir::Jvp op, const ir::Zeros& zeros, bool enclosed);

}  // namespace raido::ad
