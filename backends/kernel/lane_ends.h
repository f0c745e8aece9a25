// lane_ends.h - how the last iterations of a loop in lanes run, which are no whole group: side by side, interleaved or one by one (lanes.h).
#pragma once
#include "backends/kernel/lane_indices.h"
#include "backends/kernel/lane_names.h"

namespace raido::kir {

// Whether all lanes run a loop as often, and an iteration hands on a number, which no C compiler combines in vectors.
bool waits(Module& m, const LaneNames& names, const For& x);

struct LaneEnds {
  Module& m;
  const LaneNames& names;
  const LaneIndices& indices;
  int64_t width;

  // Whether the last lanes may be a group: they run the same loops as often, read side by side there, and the body is not long.
  bool run_together(const Block& body) const;
  // How many lanes such a group pays for: a loop inside reads and stores more for each than it computes, unless it calls functions.
  int64_t least(const Block& body) const;
  // Whether a few iterations run interleaved. Lanes that read far apart do not pay for some distances, which the group of the loop asks for.
  bool may_interleave(const For& loop) const;

 private:
  bool runs_together(const Block& b) const;
  bool reads_near(const Block& b) const;
  bool calls_anywhere(const Block& b) const;
};

}  // namespace raido::kir
