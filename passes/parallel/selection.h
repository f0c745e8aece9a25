// selection.h - operators that give one of their operands as a whole, such as the place of the greatest element.
#pragma once
#include <optional>

#include "compiler/ir/ir.h"

namespace raido {

// The operator on operands that have a place after their other components. The neutral element's is -1, before all others. None if it cannot be
// seen that the operator gives one of its operands.
std::optional<ir::Combine> with_place(ir::Program& p, const ir::Combine& c);

}  // namespace raido
