// checks_apart.h - a nest of maps whose checks stand in a map of their own, before it.
#pragma once
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace raido {

struct ChecksApart {
  std::vector<ir::Dim> entered;            // the checks stand outside of maps that run so often: this holds where none of these is 0
  std::vector<ir::Var> made;               // the arrays that the map before makes
};
// Takes the checks that do not vary in the nest out of it, and ranges that need them. They hold before it, where none of `entered` is 0.
List<ir::Stm> take_fixed_checks(const ir::Program& p, ir::Stm& nest, std::vector<ir::Dim>& entered);
// The body is one statement. It becomes the map and the nest, if all checks of the nest can be made in one map.
std::optional<ChecksApart> take_checks_apart(ir::Program& p, ir::Body& whole);

}  // namespace raido
