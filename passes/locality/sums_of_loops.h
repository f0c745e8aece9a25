// sums_of_loops.h - sums in loops that need nothing of other iterations, in maps before the loops.
#pragma once
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/build.h"

namespace raido {

// Whether there were any in the nest. What counts the iterations then stands in `before`.
bool take_sums_out_of_loops(ir::Program& p, ir::Body& nest, ir::Builder& before);

}  // namespace raido
