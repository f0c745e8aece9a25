// lane_indices.h - the indices of a loop that runs in lanes: numbers that move by a fixed amount from lane to lane, and comparisons of them.
//
// Each part of the loop (lanes.h) computes them again, so that the C compiler sees how they move. A comparison holds in all lanes if it does in
// the first and in the last one, and its sides do not overflow between.
#pragma once
#include <optional>

#include "backends/kernel/kernel.h"

namespace raido::kir {

class LaneIndices {
 public:
  // i: the counter of the loop. lane: the number of the lane. varying, reduced: names that differ between lanes. assigned: names that have
  // several values, which may become more.
  LaneIndices(Module& m, Name i, Name lane, const IdSet<Name>& varying, const IdSet<Name>& reduced, const IdSet<Name>& assigned)
      : m_(m), i_(i), lane_(lane), varying_(varying), reduced_(reduced), assigned_(assigned) {}

  // Takes the indices and comparisons that the block declares.
  void find(const Block& b);
  // What the name is made of, if it is one of them.
  std::optional<ExprId> value(Name n) const { return value_[n].valid() ? std::optional(value_[n]) : std::nullopt; }
  // By how much the number moves from lane to lane, if that is known.
  std::optional<int64_t> stride(ExprId e) const;
  bool is_comparison(ExprId e) const;
  // A lane: its iteration and its number.
  struct At { ExprId i, lane; };
  // What has to hold for the comparison to hold in all lanes.
  ExprId in_all_lanes(ExprId comparison, const At& first, const At& last);

 private:
  Module& m_;
  Name i_, lane_;
  const IdSet<Name>&varying_, &reduced_, &assigned_;
  IdMap<Name, ExprId> value_;

  std::optional<int64_t> times(int64_t stride, ExprId factor) const;
  std::optional<int64_t> side_stride(ExprId e) const;
  ExprId in_lane(ExprId e, const At& at);
};

}  // namespace raido::kir
