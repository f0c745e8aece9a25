// invariant_updates.h - updates of accumulators in grid segs, with as few colliding threads as the indices allow.
#pragma once
#include "passes/pass.h"

namespace raido {

// The invariant-dimension rule (pipeline 10.2; "AD for an Array Language with Nested Parallelism", section 6.1), and
// `none` for destinations all of whose updates go to cells of their own.
void reduce_invariant_updates(ir::Program& program, PassContext& context);

}  // namespace raido
