// schedules.h - how many states of a loop are kept for the return sweep (docs/ad.md 7.7, 7.8).
#pragma once
#include <functional>

#include "passes/ad/activity/activity.h"

namespace raido::ad {

// What stands around the operator: whether that is a parallel operation, and how often each of those runs its body.
struct Around {
  bool parallel = false;
  std::vector<ir::Dim> widths = {};
};

// A `for` loop with #[stripmine(k)] becomes k nested ones (stripmine.cc).
void stripmine(ir::Builder& b, ir::Stm& s);
// Under --ad-memory a nest of loops, or a parallel operation with loops inside, keeps as many states as fit (budget.cc). Emits it, or
// two versions of which the sizes choose one, by `emit`. Emits nothing and returns false if the statement stays as it is.
bool fit_memory(ir::Builder& b, ir::Stm& s, Activity& varied, const Around& around, const std::function<void(ir::Stm&)>& emit);
// The same of a loop in code that is differentiated again (levels.cc): it becomes a nest, or has several versions.
bool fit_levels(ir::Builder& b, ir::Stm& s, Activity& varied, bool parallel, const std::function<void(ir::Stm&)>& emit);
bool chooses_levels(ir::Builder& b, ir::Stm& s, Activity& varied);   // whether the loop will have several versions
bool has_schedule(const ir::Stm& s);                                 // how many of its states are kept is decided
bool is_parallel(const ir::Exp& e);

}  // namespace raido::ad
