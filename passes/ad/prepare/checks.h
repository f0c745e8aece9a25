// checks.h - --ad-check: what the program promises of its arrays is verified while it runs (docs/ad.md 11).
#pragma once
#include "compiler/ir/build.h"

namespace raido::ad {

// Emits a run of the loop that finds out whether #[true_dep] holds for this state. The loop itself runs after it. Returns false if
// that cannot be found out.
bool check_write_once(ir::Builder& b, ir::Stm& loop, size_t state);
// An assertion that no two of these indices that lie inside the shape are the same.
ir::Var check_distinct(ir::Builder& b, const std::vector<ir::Dim>& shape, const ir::Dim& width, const std::vector<ir::Var>& indices);

}  // namespace raido::ad
