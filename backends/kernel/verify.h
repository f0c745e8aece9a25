// verify.h - what must hold of kernels whose threads work together.
#pragma once
#include <string>

#include "backends/kernel/kernel.h"

namespace raido::kir {

// What is wrong with the kernels of the module; empty if nothing is.
//
// B1  A barrier, and what finds the last block, stand where all threads of a block come or none: conditions and bounds around them are
//     the same for all of them.
// B2  No check leaves a kernel that has a barrier: each stands in what is guarded, and no barrier does.
// B3  What is shared has room in every block.
// B4  Barriers and shared arrays stand in kernels that are collective, which do not end early.
// B5  The tile that a block publishes, and the one from which it looks back, are the same for all its threads.
// B6  A part of the shared memory that a launch gives is the same for all threads, in a kernel whose launches give some.
// B7  No check and no loop stands under a lock.
std::string verify_kernels(const Module& m);

}  // namespace raido::kir
