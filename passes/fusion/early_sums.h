// early_sums.h - sums of arrays that were accumulated are sums of the updates (early_sums.cc), and so are sums of products with them
// (sparse_sums.cc).
#pragma once
#include "passes/pass.h"

namespace raido {

void sum_updates(ir::Program& program, PassContext& context);
void sum_entries(ir::Program& program, PassContext& context);

}  // namespace raido
