// states.h - states of loops that are small arrays, inside of parallel operations: they become numbers.
//
//   for j < k (s: [2] = t) { .. in row }    ==>    for j < k (s0 = t [0], s1 = t [1]) { let s = array [s0, s1] .. in row [0], row [1] }    [numbers.state]
//
// The body reads nothing of the state but elements at places that are known, and parts and whole copies of it. Then they stay in registers, and
// the loop around may run in lanes.
#pragma once
#include "passes/pass.h"

namespace raido {

// Level core.
void split_states(ir::Program& program, PassContext& context);

}  // namespace raido
