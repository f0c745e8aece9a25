// strips.h - loops that add to neighbouring places.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Rewrites the loops that only compute and add to several places of an array (For::sums), everywhere in the block.
void add_in_strips(Module& m, Block& b);

}  // namespace raido::kir
