// reach.h - how far apart the iterations of a parallel operation lie that may update the same cell of an accumulator; how many updates there are.
#pragma once
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/term.h"

namespace raido {

// Iterations of an outermost parallel operation in `scope` update different cells of the destination with this token if they lie further
// apart than this. 0: each has cells of its own, which is all that is asked of operations with several counters. None: any two of them may
// meet, as far as is known.
std::optional<i64> reach(const ir::Program& p, const ir::Body& scope, ir::Var token, const ir::Forms& forms);

// Numbers that one run of the scope adds or stores, as far as the sizes are known outside: the product of the enclosing widths. A width that
// depends on those around, as in a triangle, is half of its largest on the average. None: there are no updates.
std::optional<ir::Term> updates_in(ir::Builder& out, const ir::Lambda& scope, const ir::Forms& forms);

// The same iterations in parts that are at least as long as their reach: the even parts at once, and then the odd ones.
//
//   seg task (i < n) { f i }   ==>   seg task (p < even) { seg task (j < length) { f (lo + j) } } ; the same for odd parts
bool can_alternate(const ir::Seg& x);
std::vector<ir::Stm> alternating(ir::Program& p, ir::Stm s, i64 reach);

}  // namespace raido
