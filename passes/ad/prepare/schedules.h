// schedules.h - how many states of a loop are kept, and which iterations run again (docs/ad.md 7.7, 7.8).
#pragma once
#include <functional>

#include "passes/ad/activity/activity.h"

namespace raido::ad {

// A `for` loop with #[stripmine(k)] becomes k nested ones (stripmine.cc).
void stripmine(ir::Builder& b, ir::Stm& s);
// A loop of reverse mode whose states do not fit into --ad-memory becomes a nest, or several versions of which the number of
// iterations chooses one if that is not known. Emits each by `emit`. Emits nothing and returns false if the loop stays as it is
// (budget.cc).
bool fit_memory(ir::Builder& b, ir::Stm& s, Activity& varied, bool parallel, const std::function<void(ir::Stm&)>& emit);
bool chooses(ir::Builder& b, ir::Stm& s, Activity& varied);          // whether the loop will have several versions
bool has_schedule(const ir::Stm& s);                                 // how many of its states are kept is decided
bool is_parallel(const ir::Exp& e);

}  // namespace raido::ad
