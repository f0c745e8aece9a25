// lane_loops.h - which loops a processor runs in lanes, several iterations at once, although they have loops inside or checks.
//
// C compilers make vector code of straight loops. An iteration may have a loop of its own, such as a search for a root or the steps of a
// simulation. C compilers run it alone, and the processor waits for one result after the other. The translator
// (backends/kernel/lanes.cc) runs many of them side by side. A straight loop with a check is none for C compilers either, since it may end early.
#pragma once
#include "compiler/ir/analysis/defs.h"
#include "passes/memory/block_aliases.h"

namespace raido {

class LaneLoops {
 public:
  // `whole`: of the function. What it binds is used as often as there until the loops around have been asked for.
  LaneLoops(const ir::Program& p, const BlockAliases& aliases, const ir::Body& whole) : p_(p), aliases_(aliases), uses_(p, whole) {}

  // Level memory. Whether lanes can run the statement, and gain by it. It must be a loop or a task, and no iteration may need another
  // one. Lanes must be able to do all that an iteration does. `allocs`: the blocks that are allocated before a loop; a task has workspaces.
  struct Distance {
    ir::Atom elements;                 // so many of so many bytes lie between the rows of two lanes
    i64 bytes;
  };
  struct Trips {
    ir::Dim n;                         // iterations of a loop, and so many
    i64 number;
  };
  struct Blocks {
    std::vector<ir::Var> own;          // allocated before, or workspaces, and used by single iterations only: each lane needs a part
    std::vector<ir::Var> sums;         // of states whose elements are only added to
    std::vector<Distance> distances;   // for which lanes gain unless rows push each other out of a cache
    std::vector<Trips> trips;          // of loops inside, at least: with fewer lanes do not gain
    std::vector<Trips> most_trips;     // the same, at most
    bool alone = false;                // each lane runs the loops inside by itself, since these are vectors
    bool interleaved = false;          // a few iterations at once in scalar code, since loops inside wait
  };
  std::optional<Blocks> take(const ir::Stm& s, const std::vector<ir::Var>& allocs) const;
  static bool is_alloc(const ir::Stm& s);
  static std::vector<ir::Var> blocks_of(const std::vector<ir::Workspace>& workspaces);

 private:
  class Candidate;
  const ir::Program& p_;
  const BlockAliases& aliases_;
  const ir::Uses uses_;

  bool takes_any(const ir::Body& b) const;
  std::vector<ir::Var> own_blocks(const ir::Body& body, const std::vector<ir::Var>& allocs) const;
  // No iteration reads what another one stores.
  bool is_apart(const Candidate& c) const;
};

}  // namespace raido
