// optimise.h - the kernel program made smaller, and what a C compiler had better be told of it.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Drops declarations and parameters of kernels that nobody reads, assignments to them, and tests that guard nothing; finds loops
// that are lanes. vectors_of_sums: for C compilers (sums.h).
void optimise(Module& m, bool vectors_of_sums);

}  // namespace raido::kir
