// far_reads.h - loops that bring few of the elements beside each other into vectors.
#pragma once
#include "compiler/ir/ir.h"

namespace raido {

// Level memory. Whether an iteration of the loop, without the loops inside, reads far more elements that lie away from those of the iteration before
// than beside them. To bring them together in vectors costs more than the vectors save.
bool reads_far_apart(const ir::Program& p, const ir::For& loop);

}  // namespace raido
