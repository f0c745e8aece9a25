// segs.h - questions about segs: what they compute, and in which forms they may run.
#pragma once
#include "compiler/ir/ir.h"

namespace raido {

// Each operator is commutative, or combines each component by an operation of its own that is.
bool all_commute(const ir::Program& p, const std::vector<ir::Combine>& ops);

// Whether the threads of a block can combine what these operators combine: all values are scalars, and shared memory has room for them.
bool fits_block(const ir::Program& p, const std::vector<ir::Combine>& ops);

// True if all results of the seg are arrays with one element or row for each point.
bool is_seg_map(const ir::Seg& x);

// False for scans of rows and for scans in whose body accumulators are updated.
bool can_be_chunked(const ir::Program& p, const ir::Stm& s, const ir::Seg& x);

// The code makes no arrays, but for views of others.
bool makes_only_scalars(const ir::Program& p, const ir::Body& b);

// A scan that becomes one kernel whose threads combine what they have (decision 037): scalars, few enough for shared memory, from code
// that makes no arrays and can run more than once.
bool is_collective_scan(const ir::Program& p, const ir::Stm& s, const ir::Seg& x);

// A hist (a seg with dests): with_acc around the same seg whose body updates the accumulators.
ir::Stm with_updates(ir::Program& p, const ir::Stm& s, ir::Seg x);

}  // namespace raido
