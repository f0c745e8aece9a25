// optimise.h - the kernel program made smaller, and what a C compiler had better be told of it.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Drops declarations and parameters of kernels that nobody reads, assignments to them, and tests that guard nothing; finds loops
// that are lanes, and divides large functions (divide.h). for_c: C compilers get sums as vectors (sums.h), and the last iterations under a
// mask (lanes.h). LLVM makes better vectors by itself.
void optimise(Module& m, bool for_c);

}  // namespace raido::kir
