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
// The body is one statement. It becomes the map and the nest, if all checks of the nest can be made in one map.
std::optional<ChecksApart> take_checks_apart(ir::Program& p, ir::Body& whole);

}  // namespace raido
