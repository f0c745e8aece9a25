// counted.h - `while` loops whose iterations are counted while they run (docs/ad.md 7.6).
#pragma once
#include "compiler/ir/build.h"

namespace raido::ad {

// Whether the part of the loop that decides when it ends is most of its work. Then it should not run once more to be counted.
bool decides_much(const ir::Program& p, const ir::While& loop);
// Loops with the attribute `counted`, and those that count for them (`counts`), become one loop.
void join_counted(ir::Program& p);

}  // namespace raido::ad
