// loop_latency.h - how long an iteration waits for the one before.
#pragma once
#include "compiler/ir/ir.h"

namespace raido {

// Level memory. Cycles from what an iteration takes over to what it hands on: numbers of the state, and elements that an earlier iteration
// stored at another index. 0 where nothing is taken over, or where sums may be taken in any order. What loops inside do counts as nothing.
size_t loop_latency(const ir::Program& p, const ir::For& loop);

}  // namespace raido
