// quotients.h - kernels divide by what a launch gives them without a division.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Before the kernel has parameters. `own`: a number that each launch gives anew. What the kernel needs is computed by statements that go to `host`.
void multiply_for_quotients(Module& m, Kernel& k, Name own, Block& host);

}  // namespace raido::kir
