// unroll_loops.h - loops of few iterations become straight code, for `unroll`.
#pragma once
#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido {

// Arrays that may be numbers in straight code: those made inside of parallel operations, with their parts, and literals of constants.
struct SmallArrays { ir::VarSet local, tables; };

// Writes out all iterations of the loop and of those in it, and returns whether it did. Their numbers have to be constant, and what they
// compute work on numbers, up to costs::unrolled_loop statements. Elements of such arrays have to be at constant places then. Sums of what
// a table says are left to the C compiler: it takes several summands at once. `window`: written out, it makes a vector of the map around.
bool write_out_loop(ir::Program& p, PassContext& context, ir::Builder& b, ir::Stm& s, const SmallArrays& arrays, bool window);

}  // namespace raido
