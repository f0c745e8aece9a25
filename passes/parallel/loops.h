// loops.h - the loop of a screma: iterations one after the other, with what is reduced, scanned and gathered as its state.
//
//   screma n pre reduces scans post ..   ==>   for i < n (reduces, scans, outputs = scratch) { pre; op; post; outputs[i] := .. }
//
// A loop may sum floats, or take their minimum or maximum. Then it says `any_order`: several iterations may run side by side. If two of
// them may add to one element of an accumulator, it says `sums`, too. Such a loop, and one whose iterations make arrays, runs so in lanes
// only. There additions are kept apart, and each lane has its own memory (passes/memory/lane_loops.h).
//
// Operators with a shape are loops over the rows that they combine. Where a map makes such a row for them alone, its own loop
// combines the elements (decision 003).
#pragma once
#include <optional>

#include "compiler/ir/build.h"

namespace raido {

// A screma or a seg over one index. The body's results are those of `pre`.
struct LoopParts {
  ir::Var i;
  ir::Dim width;
  ir::Body body;
  std::vector<ir::Combine> reduces, scans;
  ir::Lambda post;
  std::vector<ir::Combine> post_reduces;
};

// The parts of `x`, which they consume: the lambda applied to the elements of the inputs at an index.
LoopParts parts_of(ir::Program& p, const ir::Stm& s, ir::Screma& x);

// The loop with the results of `s`. `out` gets its initial state. `counting`: arrays whose elements are start, start + 1, ..
ir::Stm loop_of(ir::Builder& out, const ir::Stm& s, LoopParts x, const ir::VarSet& counting);

// Emits a[at.., j..] := op a[at.., j..] v[j..] for all j in the operator's shape; returns the arrays after that.
std::vector<ir::Atom> pointwise(ir::Builder& out, const ir::Combine& c, const std::vector<ir::Atom>& arrays, const std::vector<ir::Atom>& at,
                                const std::vector<ir::Atom>& values);

}  // namespace raido
