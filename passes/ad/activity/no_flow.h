// no_flow.h - where nothing flows, the derivative is zero even where a partial derivative is not finite (docs/ad.md 10).
#pragma once
#include "compiler/ir/ir.h"

namespace raido::ad {

// Completes the contributions in the code of a derivative. `nothing`: the body's free variables that may be zero because nothing flows.
// `enclosed`: the code is differentiated again.
void guard_no_flow(ir::Program& p, ir::Body& code, const std::vector<ir::Var>& nothing, bool enclosed);

}  // namespace raido::ad
