// chunks.h - task and grid segs that are more than a map, as maps over chunks of the index space.
#pragma once
#include <functional>

#include "compiler/ir/ir.h"

namespace raido {

bool all_commute(const ir::Program& p, const std::vector<ir::Combine>& ops);

// True if all results of the seg are arrays with one element or row for each point.
bool is_seg_map(const ir::Seg& x);

// False for scans of rows and for scans in whose body accumulators are updated.
bool can_be_chunked(const ir::Program& p, const ir::Stm& s, const ir::Seg& x);

// A scan that becomes one kernel whose threads combine what they have (decision 037): scalars, few enough for shared memory, from code
// that makes no arrays and can run more than once.
// Views are no arrays of its own.
bool makes_only_scalars(const ir::Program& p, const ir::Body& b);
bool is_collective_scan(const ir::Program& p, const ir::Stm& s, const ir::Seg& x);

// A hist (a seg with dests): with_acc around the same seg whose body updates the accumulators.
ir::Stm with_updates(ir::Program& p, const ir::Stm& s, ir::Seg x);

// A seg that reduces, scans or accumulates: partial results of a fixed number of chunks, and their combination in order.
// `private_dest` gives the destination of an accumulator's token if every chunk shall have a copy of its own.
std::vector<ir::Stm> chunked(ir::Program& p, ir::Stm s, const std::function<const ir::Dest*(ir::Var)>& private_dest);

}  // namespace raido
