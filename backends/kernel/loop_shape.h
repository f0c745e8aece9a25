// loop_shape.h - how a loop of a core program at level memory is to be compiled on a processor: as vectors, or with arithmetic in the
// place of branches.
#pragma once
#include "compiler/ir/ir.h"

namespace raido::kir {

struct LoopShape {
  bool scattered = false;                                     // vectors would gather what they read
  std::vector<std::pair<size_t, ScalarOp>> reduced;           // states whose values vectors may combine in any order
};
LoopShape loop_shape(const ir::Program& p, const ir::For& x);

// Adds integers that a select in the loop keeps or sets and that are used for nothing else but comparisons while it runs, such as
// the place of a minimum: whether they change is badly guessed and nobody waits for them. (A search that reads from such a
// place gains by the guess.)
void find_chosen(const ir::Program& p, const ir::For& x, ir::VarSet& chosen);

}  // namespace raido::kir
