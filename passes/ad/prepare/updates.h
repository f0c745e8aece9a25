// updates.h - accumulators with other operators than + as loops that update arrays (docs/ad.md 6.11).
#pragma once
#include "passes/ad/activity/activity.h"

namespace raido::ad {

// Rewrites their scopes where something varies; returns whether there were any.
bool updates_in_turn(ir::Program& p, ir::Body& body, const Activity& varied);

}  // namespace raido::ad
