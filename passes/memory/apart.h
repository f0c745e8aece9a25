// apart.h - finds straight loops whose iterations C compilers may run in any order, as vectors: none reads or stores an element that
// another one stores.
#pragma once
#include "passes/memory/block_aliases.h"
#include "passes/memory/positions.h"

namespace raido {

// Level memory. A C compiler that cannot prove this compares addresses before the loop: those of each array that is stored with those of
// each other array. If there are more than a few such pairs, it makes no vectors. Only these loops are found here (decision 055).
bool iterations_apart(const ir::Program& p, const BlockAliases& aliases, const Positions& positions, const ir::For& loop);
bool iterations_apart(const ir::Program& p, const BlockAliases& aliases, const Positions& positions, const ir::Stm& s, const ir::Seg& task);

}  // namespace raido
