// write_once.h - arrays of which a loop writes each place once at most (docs/ad.md 7.4).
//
// If no read of a place comes before its write, the finished array holds all that any iteration has read. If every read comes before
// the write, the array from before the loop does. So nothing has to be recorded. An iteration that runs again reads one of these two
// arrays and writes nothing.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/types.h"

namespace raido::ad {

// Whether this state of the loop, which its body only updates in place, is such an array. It is proved here, or #[true_dep] promises it.
struct WrittenOnce {
  bool asserted;
  std::vector<ir::Var> before;             // reads of places that are written later: what they read was there before the loop
};
std::optional<WrittenOnce> written_once(const ir::Program& p, const ir::For& loop, size_t state);

// The names of such an array after the loop and before it.
struct Old { ir::Var in_the_end, before; };
using Finished = std::unordered_map<ir::Var, Old>;
// Updates and copies of these arrays become other names for them, and the names are added. Loops that have such an array as state
// return it as it was. Reads that say so (VarInfo::before) are of the array before the loop.
void without_updates(const ir::Program& p, ir::Stm& s, Finished& arrays);

}  // namespace raido::ad
