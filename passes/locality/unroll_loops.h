// unroll_loops.h - loops of few iterations become straight code, for `unroll`.
#pragma once
#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido {

// Writes out all iterations of the loop and of those in it, and returns whether it did. It does if their numbers are constant, what they
// compute is work on numbers, and elements of small arrays are then at constant places, up to costs::unrolled_loop statements.
bool write_out_loop(ir::Program& p, PassContext& context, ir::Builder& b, ir::Stm& s);

}  // namespace raido
