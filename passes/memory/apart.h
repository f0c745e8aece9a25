// apart.h - straight loops of which no iteration touches an element that another one stores.
#pragma once
#include "passes/memory/block_aliases.h"

namespace raido {

// Level memory. C compilers must see the same before they make vectors of a loop. Where they cannot, they compare the ends of all arrays
// that are stored with those of all others when the loop begins; of more than a few such pairs they make no vectors at all. These loops
// are found here. Others stay as they are: without its own comparisons gcc made the objective of a mixture model slower.
bool iterations_apart(const ir::Program& p, const BlockAliases& aliases, const ir::For& loop);
bool iterations_apart(const ir::Program& p, const BlockAliases& aliases, const ir::Stm& s, const ir::Seg& task);

}  // namespace raido
