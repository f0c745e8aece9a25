// sparse.h - whether a derivative costs less where its seed is zero but for one place (sparse.cc).
#pragma once
#include "compiler/ir/analysis/defs.h"
#include "passes/pass.h"

namespace raido {

// Whether nests of f are less deep once what its zeros leave out is left out. The lambda f stays as it is; only what depends on its
// parameters counts. `outside`: what makes the arrays that are free in it.
bool is_sparse(ir::Program& program, PassContext& context, const ir::Lambda& f, const ir::Definitions& outside);

}  // namespace raido
