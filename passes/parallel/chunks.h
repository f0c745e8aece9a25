// chunks.h - task and grid segs that are more than a map, as maps over chunks of the index space.
#pragma once
#include <functional>

#include "compiler/ir/ir.h"

namespace raido {

// A seg that reduces, scans or accumulates: partial results of a fixed number of chunks, and their combination in order.
// `private_dest` gives the destination of an accumulator's token if every chunk shall have a copy of its own.
std::vector<ir::Stm> chunked(ir::Program& p, ir::Stm s, const std::function<const ir::Dest*(ir::Var)>& private_dest);

}  // namespace raido
