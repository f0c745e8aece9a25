// lane_parts.h - what the lanes of a group keep from one part of a loop to another (lanes.h).
//
// A part is a straight loop over the lanes, between control structures. A name that differs between lanes and is used in several parts lies in an
// array with an element for each lane: parts that use it read it first, and those that change it store it at their end.
#pragma once
#include "backends/kernel/lane_indices.h"
#include "backends/kernel/loop_parts.h"

namespace raido::kir {

// The names that the block assigns, inside included.
void assigned_names(const Block& b, IdSet<Name>& out);

class LaneParts {
 public:
  struct Group { Name i, lane, base; };          // the counter of the loop, the number of the lane, the first iteration of the group
  LaneParts(Module& m, const LaneIndices& indices, const IdSet<Name>& varying, Group group, int64_t width)
      : m_(m), indices_(indices), varying_(varying), group_(group), values_(m, width) {}

  // The loop with this counter is a part.
  void add(Name counter) { parts_.insert(counter); }
  // True if the lanes have values of their own, which are computed once.
  bool is_own(Name n) const { return varying_.contains(n) && n != group_.i && n != group_.lane && !indices_.value(n); }
  // Makes the parts of `group` read and store what they share. Declarations that nobody uses go.
  void keep(Block& group);
  void declare_arrays(Block& out) const { values_.declare_arrays(out); }

 private:
  Module& m_;
  const LaneIndices& indices_;
  const IdSet<Name>& varying_;
  const Group group_;
  IdSet<Name> parts_;                            // the counters of the loops over lanes
  IdSet<Name> kept_;                             // what a part has from another one
  KeptValues values_;

  template <class F> void each_part(Block& b, F f) {
    for (Stm& s : b)
      match(s.node, [&](For& x) { parts_.contains(x.i) ? f(x) : each_part(x.body, f); },
            [&](While& x) { each_part(x.test, f); each_part(x.body, f); },
            [&](If& x) { each_part(x.then_, f); each_part(x.else_, f); }, [](auto&) {});   // others hold none
  }
  void drop_unused(Block& group);
  void keep_part(For& part);
  void declare_index(Block& body, Name n, ExprId l, IdSet<Name>& known);
};

}  // namespace raido::kir
