// invariants.h - which states of a loop have their initial value in every iteration, and after it.
//
// All values inside are first taken for what flows into them first (flow.h). One that something else flows into, too, is only itself
// from then on, and this goes on until nothing changes: states that take one another's values, through branches and inner loops, are
// seen together.
#pragma once
#include "compiler/ir/ir.h"

namespace raido::ir {

// For each state of a for or while loop. Operands are not looked at: what is computed is a value of its own.
std::vector<bool> invariant_states(const Program& p, const Stm& loop);

}  // namespace raido::ir
