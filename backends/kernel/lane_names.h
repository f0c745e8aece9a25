// lane_names.h - which names differ between the lanes of a loop, and what a body has that some lanes may do without the others (lanes.h).
//
// A name differs if what it is made of does, or if it is assigned where some lanes run and others do not. So does a number that is read where it
// may be that no lane runs: there it must not be read.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

class LaneNames {
 public:
  // i: the counter of the loop. lane: the number of the lane. reduced: names that all lanes combine.
  LaneNames(Module& m, Name i, Name lane, const std::vector<Reduced>& reduced);
  void find(const Block& body);

  IdSet<Name> reduced, varying;          // what is made for the lanes joins them
  // Those of the body that vary and are neither the counter nor the number of the lane.
  const std::vector<Name>& marked() const { return marked_; }
  bool varies(ExprId e) const;
  bool is_load(ExprId e) const { return std::holds_alternative<Load>(m_.exprs[e.index].node); }

  static bool is_check(const Stm& s);
  // Whether there is a check that single lanes may fail, or would not fail with the same message. `some`: it may be that only some lanes run this.
  bool may_fail(const Stm& s, bool some) const;
  bool may_fail(const Block& b, bool some) const;
  bool may_fail_inside(const Stm& s, bool some) const;
  // A loop whose iterations lanes run side by side, or as often as each must.
  static bool has_loop(const Block& b);
  // Whether a mathematical function is called, in no loop inside.
  bool calls(ExprId e) const;
  bool calls(const Block& b) const;
  // A side of a branch with loops, checks or mathematical functions is left out if no lane takes it. So is one that reads at one place for all
  // lanes: C compilers have no vectors of such a read under a mask.
  bool is_left_out(const Block& side) const { return has_loop(side) || may_fail(side, true) || calls(side) || reads_one_place(side); }

 private:
  Module& m_;
  std::vector<Name> marked_;
  bool more_ = false;

  bool reads_one_place(const Block& side) const;
  void mark(Name n);
  void analyse(const Block& b, bool diverged, bool idle);
};

}  // namespace raido::kir
