// joined_sums.h - sums of sums as one sum, so that they are contractions.
#pragma once
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/build.h"

namespace raido {

// Whether there were any in the nest. What it counts then stands in `before`.
bool join_sums(ir::Program& p, ir::Body& nest, const ir::Definitions& outside, ir::Builder& before);

}  // namespace raido
