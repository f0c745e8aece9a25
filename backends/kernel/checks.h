// checks.h - checks that are the same in all iterations of a loop stand before it.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// In a block of a function of the host, inner loops first.
void check_before_loops(Module& m, Block& b);

}  // namespace raido::kir
