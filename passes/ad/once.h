// once.h - arrays that a loop writes at most once at each place, and not behind a read of the place (docs/ad.md 7.4).
//
// The finished array holds all that any iteration has read of it: nothing has to be recorded, and an iteration that runs again
// reads the finished array and writes nothing.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/types.h"

namespace raido::ad {

// Whether this state of the loop, which its body only updates in place, is such an array: as far as is proved here, or
// because #[true_dep] says so.
struct WrittenOnce {
  bool asserted;
  std::vector<ir::Var> before;             // what is read of places that are written later: it was there before the loop
};
std::optional<WrittenOnce> written_once(const ir::Program& p, const ir::For& loop, size_t state);
// These reads stay recognisable in clones of the loop, as ones of the array that is called this in the end.
void mark_reads(ir::Program& p, const std::vector<ir::Var>& before, ir::Var in_the_end);

// Such an array by a name that it has, and the one that it had before the loop.
struct Old { ir::Var in_the_end, before; };
using Finished = std::unordered_map<ir::Var, Old>;
// Updates and copies of these arrays become other names for them, which are added; loops that have them as state hand them on;
// marked reads are of the array before.
void without_updates(const ir::Program& p, ir::Stm& s, Finished& arrays);

}  // namespace raido::ad
