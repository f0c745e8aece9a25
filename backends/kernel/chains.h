// chains.h - loops where each iteration continues the one before it with a small part of its work.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Rewrites such loops everywhere in the block, if the rest of their work is a vector.
void split_chains(Module& m, Block& b);

}  // namespace raido::kir
