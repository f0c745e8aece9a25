// divide.h - large functions in parts, since C compilers and LLVM take more than twice as long for twice as much. They take both as they are,
// with no copies for what callers give.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Puts parts of large functions of the host, and the sums of tiles, into functions of their own, before the one that computes the constants.
// Whether there are any.
bool divide_functions(Module& m);

}  // namespace raido::kir
