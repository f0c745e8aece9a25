// scalar_code.h - whether code is work on numbers, and on arrays of a few of them, which are numbers once the code is straight.
#pragma once
#include <optional>

#include "compiler/ir/ir.h"

namespace raido::ir {

// Whether its size is constant, and it has costs::unrolled_cells elements at most.
bool is_small_array(const Program& p, Var v);
// Whether one statement is work on numbers. What is inside of it is not looked at.
bool is_scalar_code(const Program& p, const Stm& s);
// How many statements it has, those of its branches included. Nothing if there is anything else in it: a loop, a parallel operation, a call, or
// an array of more than costs::unrolled_cells elements that it makes or updates.
std::optional<size_t> scalar_statements(const Program& p, const Body& b);

}  // namespace raido::ir
