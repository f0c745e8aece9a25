// lane_memory.h - memory that each lane of a group has for itself, and elements of arrays that all lanes add to (lanes.h).
//
//   own[e] = x                                       ==>   own[e * W + lane] = x
//   old = load acc[e]; c = old + x; acc[e] = c       ==>   acc[e] += x
//
// The second form says that lanes add, in whichever order.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// The block with the places of the lane, one of so many, and with one statement for each sum. `lane`: the number of the lane, an i64.
Block with_lane_memory(Module& m, const Group& group, Name lane, int64_t width, const Block& b);

}  // namespace raido::kir
