// operators.h - operators of reductions, scans and histograms, and their return sweeps.
#pragma once
#include "passes/ad/reverse/scope.h"

namespace raido::ad {

// Runs op again at (x, y) and its return sweep seeded by t; free variables contribute through `scope`. Returns the adjoints of x and y.
std::vector<ir::Atom> apply_back(Scope& scope, const ir::Combine& op, const std::vector<ir::Atom>& x, const std::vector<ir::Atom>& y,
                                 const std::vector<Adjoint>& t);
// The adjoint of x in op(x, y) seeded by t; nothing else is differentiated.
std::vector<ir::Atom> first_back(Scope& scope, const ir::Combine& op, const std::vector<ir::Atom>& x, const std::vector<ir::Atom>& y,
                                 const std::vector<Adjoint>& t);
// Adjoints that have these values, which other names may have, too.
std::vector<Adjoint> borrowed(const std::vector<ir::Atom>& values);
// Of an operator that combines elements from the left to the right: the components with an adjoint, and those that flow from the
// left into one of them. `have`: the results that have one. The left operands of other components receive nothing, ever.
std::vector<bool> carried(const ir::Program& p, const ir::Combine& op, std::vector<bool> have);
// The reduction or scan, a pure one, of some components and those that they are computed from: of those that have an adjoint. What
// stays out is neither read nor written. Each sweep makes its own: variables have other names in the return sweep.
ir::Stm part(Scope& scope, const ir::Stm& s, std::vector<bool> which);
ir::Stm part_with_adjoints(Scope& scope, const ir::Stm& s);
// out[i] = op(out[i-1], xs[i-1]), out[0] = neutral (all components).
std::vector<ir::Var> exclusive_scan(ir::Builder& b, const ir::Dim& width, const ir::Combine& op, const std::vector<ir::Var>& xs);
// The element of ys before index i: the neutral element at 0.
std::vector<ir::Atom> before(ir::Builder& b, const std::vector<ir::Var>& ys, const ir::Combine& op, const ir::Term& i);
// One loop from the right over ys[i] = op(ys[i-1], as[i]). `last`: the adjoints of what the last iteration makes. `ys_adj`: those of all
// ys. Either is empty, or zero for some.
void back_in_order(Scope& scope, const ir::Dim& width, const ir::Combine& op, const std::vector<ir::Var>& as, const std::vector<ir::Var>& ys,
                   const std::vector<Adjoint>& last, const std::vector<Adjoint>& ys_adj);
// An operator on elements of rows as one on whole rows.
ir::Combine without_shape(ir::Builder& b, const ir::Combine& op);
// Sum over the outer dimension.
ir::Atom sum_outer(ir::Builder& b, ir::Var xs);

}  // namespace raido::ad
