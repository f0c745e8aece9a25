// patterns.h - whether a derivative costs less where its seed is zero but in a band (patterns.cc).
#pragma once
#include "compiler/ir/analysis/defs.h"
#include "passes/pass.h"

namespace raido {

// Whether sums or loops in this map run over a few indices only, which depend on the element of the map. The map stays as it is.
// `outside`: what makes its inputs.
bool has_narrow_sums(ir::Program& program, PassContext& context, const ir::Screma& map, const ir::Definitions& outside);

}  // namespace raido
