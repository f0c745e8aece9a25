// optimise.h - the kernel program made smaller.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Drops declarations that nobody reads, assignments to them, and tests with nothing behind them.
void optimise(Module& m);

}  // namespace raido::kir
