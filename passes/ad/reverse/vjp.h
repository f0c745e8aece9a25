// vjp.h - reverse mode: the operator `vjp` (docs/ad.md 4).
#pragma once
#include "compiler/ir/analysis/zeros.h"
#include "passes/ad/prepare/schedules.h"

namespace raido::ad {

// Emits f's results and the adjoints of its arguments: the values of the operator in order. Seeds among `zeros` make no code.
std::vector<ir::Atom> expand_vjp(ir::Builder& b, Functions& functions, ir::Vjp op, const ir::Zeros& zeros, bool enclosed, const Around& around);

}  // namespace raido::ad
