// components.h - operators of several components, taken apart.
#pragma once
#include <vector>

#include "passes/pass.h"

namespace raido {

// The components of an operator that these are made of, themselves included.
std::vector<bool> components_of(ir::Program& program, PassContext& context, const ir::Combine& op, std::vector<bool> which);

// The operator of some components, which are made of no others.
ir::Combine part_of(ir::Program& program, PassContext& context, ir::Combine op, const std::vector<bool>& which);

}  // namespace raido
