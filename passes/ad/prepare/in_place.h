// in_place.h - which arrays a statement updates in place, if copies that nobody needs are gone.
#pragma once
#include "compiler/ir/build.h"

namespace raido::ad {

// The array of which result k of the statement is a version: the same memory if the update is done in place.
std::optional<ir::Var> earlier_version(const ir::Program& p, const ir::Stm& s, size_t k);
// The state of a loop that its body only updates in place.
std::vector<size_t> updated_state(const ir::Program& p, const ir::For& loop);

}  // namespace raido::ad
