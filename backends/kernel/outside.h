// outside.h - what those who call an entry point must know of it: the backends make its function from this.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "backends/kernel/kernel.h"

namespace raido::kir {

// The number of a top-level value among the constants of the module.
size_t constant_of(const ir::Program& p, ir::Var v);

// A constant that is a number which the user may set, and counts from the next call on.
struct Refreshed { size_t constant; int param; int64_t fallback; };
std::vector<Refreshed> refreshed_constants(const ir::Program& p, const Module& m);

// For each leaf of the inputs `k` if its block can end up in the result, otherwise `-`.
std::string kept_leaves(const ir::Program& p, const Module& m, const ir::EntryPoint& e);

// The leaves of the result: each with the number of the function's result that is its scalar or its block.
std::vector<std::pair<size_t, ir::Atom>> result_leaves(const ir::Program& p, const ir::EntryPoint& e);

}  // namespace raido::kir
