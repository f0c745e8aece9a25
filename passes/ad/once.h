// once.h - arrays that a loop writes at most once at each place, and not behind a read of the place (ad.md 9.6).
//
// The finished array holds all that any iteration has read of it: nothing has to be recorded, and an iteration that runs again
// reads the finished array and writes nothing.
#pragma once
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/types.h"

namespace raido::ad {

// Whether this state of the loop, which its body only updates in place, is such an array: as far as is proved here, or
// because #[true_dep] says so.
bool written_once(const ir::Program& p, const ir::For& loop, size_t state);
enum class Once : uint8_t { Unknown, Asserted, Proved };
Once how_once(const ir::Program& p, const ir::For& loop, size_t state);
// Updates and copies of these arrays become other names for them, which are added; loops that have them as state hand them on.
void without_updates(ir::Stm& s, ir::VarSet& arrays);

}  // namespace raido::ad
