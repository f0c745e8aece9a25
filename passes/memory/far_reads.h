// far_reads.h - loops that bring few of the elements beside each other into vectors.
#pragma once
#include "compiler/ir/ir.h"

namespace raido {

// Level memory. Whether most elements that an iteration reads lie away from those of the iteration before, not beside them. Loops inside do
// not count. To bring such elements together in vectors costs more than the vectors save, but for mathematical functions.
bool reads_far_apart(const ir::Program& p, const ir::For& loop);
// Whether it reads any such element.
bool reads_any_far(const ir::Program& p, const ir::For& loop);

}  // namespace raido
