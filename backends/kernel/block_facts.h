// block_facts.h - what is known of the blocks of a program at level memory before it is translated.
#pragma once
#include "compiler/ir/ir.h"

namespace raido::kir {

struct BlockFacts {
  ir::VarMap<std::optional<Scalar>> elem;    // of the arrays in the block
  ir::VarSet escaping;                       // blocks that leave the body that made them, or meet another owner
  ir::VarSet extents;                        // variables that are sizes of arrays
};
BlockFacts find_block_facts(const ir::Program& p);

}  // namespace raido::kir
