// scalar_parts.h - loops for vectors with a few operations that have no vector form, such as divisions of integers.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Takes these operations out of such loops everywhere in the block.
void split_scalar_parts(Module& m, Block& b);

}  // namespace raido::kir
