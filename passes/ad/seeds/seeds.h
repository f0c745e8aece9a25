// seeds.h - many seeds at once (docs/ad.md 9).
#pragma once
#include <functional>

#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido::ad {

// A map over the seeds of a batch, one for each value: derive(rows) emits what happens for one of each. `before`: statements
// that come before the map, there when derive has run. On a device it is a loop if no map could do it (batch.cc).
std::vector<ir::Var> each_seed(ir::Builder& b, PassContext& context, const std::vector<ir::Dim>& batch, const std::vector<ir::Atom>& seeds,
                               const std::function<std::vector<ir::Atom>(const std::vector<ir::Var>&)>& derive,
                               List<ir::Stm>* before = nullptr);
// f for each of k seeds, side by side (lanes.cc). Nothing if they are not few or f has no such form; then f is as it was.
std::optional<std::vector<ir::Var>> in_lanes(ir::Builder& b, const ir::Dim& k, ir::Lambda& f, const std::vector<ir::Var>& seeds);
// Whether f has such a form, in which only scalar work is done lane by lane.
bool has_lanes(ir::Program& p, const ir::Lambda& f);
// f for each of n seeds, a chunk of them side by side at a time (chunks.cc). A map if f has no such form. `point`: types whose sizes a
// tangent has at least.
std::vector<ir::Var> in_chunks(ir::Builder& b, PassContext& context, const ir::Dim& n, ir::Lambda f,
                               const std::vector<ir::Var>& seeds, const std::vector<ir::Type>& point);

}  // namespace raido::ad
