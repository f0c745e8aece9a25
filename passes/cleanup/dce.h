// dce.h - dead code within one lambda, and operators of several components, taken apart.
#pragma once
#include <vector>

#include "passes/pass.h"

namespace raido {

// Drops what the results of the body do not need: as `dce` does it for a program.
void drop_unused(ir::Program& program, PassContext& context, ir::Body& body);

// The components of an operator that these are made of, themselves included.
std::vector<bool> components_of(ir::Program& program, PassContext& context, const ir::Combine& op, std::vector<bool> which);

// For each component of an operator, the number of its group. Components of different groups do not need each other.
std::vector<size_t> groups_of(ir::Program& program, PassContext& context, const ir::Combine& op);

// The operator of some components, which are made of no others.
ir::Combine part_of(ir::Program& program, PassContext& context, ir::Combine op, const std::vector<bool>& which);

}  // namespace raido
