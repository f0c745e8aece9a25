// lanes.h - several iterations of a loop at once, though they run inner loops of their own.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Rewrites the loops that are marked as `spmd`, everywhere in the block. What the iterations mean stays the same, the order of sums included.
// last_groups: straight loops run the iterations that do not fill a group side by side, too.
void run_in_lanes(Module& m, Block& b, bool last_groups);

}  // namespace raido::kir
