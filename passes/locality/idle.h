// idle.h - what a nest keeps after its sums were taken out: accumulators that nobody updates, maps that hand rows over.
#pragma once
#include "compiler/ir/ir.h"

namespace raido {

// Destinations that nobody updates are their arrays, and scopes without destinations what stands in them. Where a map returns rows of the
// sums of a tile as they are, these are its result.
void drop_idle(ir::Program& p, ir::Body& whole);

}  // namespace raido
