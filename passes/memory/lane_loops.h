// lane_loops.h - which loops a processor runs in lanes, several iterations at once, although they have loops inside or checks.
//
// C compilers make vector code of straight loops. An iteration may have a loop of its own, such as a search for a root or the steps of a
// simulation. C compilers run it alone, and the processor waits for one result after the other. The translator
// (backends/kernel/lanes.cc) runs many of them side by side. A straight loop with a check is none for C compilers either, since it may end early.
#pragma once
#include <algorithm>
#include <set>

#include "compiler/ir/ir.h"

namespace raido {

class LaneLoops {
 public:
  // `whole`: of the function.
  LaneLoops(const ir::Program& p, const ir::Body& whole) : p_(p) { find_aliased(whole); }

  // Level memory. Whether lanes can run the statement, which is in the body `around`. It must be a loop, or a task, of which no
  // iteration needs another one. All iterations must do what lanes can do, and lanes must gain by it.
  struct Blocks {
    std::vector<ir::Var> own;          // allocated in `around` and used by single iterations only: each lane needs a part
    std::vector<ir::Var> sums;         // of states whose elements are only added to
  };
  std::optional<Blocks> take(const ir::Stm& s, const ir::Body& around) const;

 private:
  class Candidate;
  const ir::Program& p_;
  ir::VarSet aliased_;                 // blocks that may be another one of them
  std::set<std::pair<ir::Var, ir::Var>> apart_;   // states of a loop, the first one first, that never are one block

  void find_aliased(const ir::Body& b);
  void find_apart(const ir::For& loop);
  bool takes_any(const ir::Body& b) const;
  std::vector<ir::Var> own_blocks(const ir::Stm& s, const ir::For& loop, const ir::Body& around) const;
  // No iteration reads what another one stores.
  bool is_apart(const Candidate& c) const;
  bool may_be_one(ir::Var a, ir::Var b) const { return a == b || (aliased_.contains(a) && aliased_.contains(b) && !apart_.contains(std::minmax(a, b))); }
};

}  // namespace raido
