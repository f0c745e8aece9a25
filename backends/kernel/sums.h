// sums.h - sums of floats that are vectors until their end.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// Rewrites the loops that are sums of floats in any order and only compute, everywhere in the block.
void sum_in_vectors(Module& m, Block& b);

// Adds the upper half of an array of `width` elements, a power of two, to the lower one, until two elements are left; returns their sum.
ExprId sum_in_halves(Module& m, Block& out, Name terms, int64_t width, ScalarOp op = ScalarOp::add);

}  // namespace raido::kir
