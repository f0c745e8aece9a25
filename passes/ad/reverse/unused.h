// unused.h - nothing flows back from what was computed and not used, even where a partial derivative is not finite (docs/ad.md 10).
#pragma once
#include "compiler/ir/ir.h"

namespace raido::ad {

// Completes the contributions in a return sweep. `unused`: the body's free variables that may be zero for want of a use. `enclosed`: the
// sweep is differentiated again.
void guard_unused(ir::Program& p, ir::Body& sweep, const std::vector<ir::Var>& unused, bool enclosed);

}  // namespace raido::ad
