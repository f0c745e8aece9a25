// scatters.h - a scatter as the rules see it: a `with_acc` without operator, which does nothing but update one place in each iteration of
// a map.
#pragma once
#include "compiler/ir/build.h"
#include "passes/ad/activity/activity.h"

namespace raido::ad {

struct Scatter {
  size_t map;                    // the statement of the scope
  std::vector<size_t> updates;   // the statements of the map's body, one for each destination
};
// The destinations agree in the dimensions that are indexed.
std::optional<Scatter> scatter(const ir::Program& p, const ir::WithAcc& op);

// Whether one thread goes back through the scatter from the last update to the first. Then nobody asks which of several updates of one
// place counts. Where an operator around differentiates again, a loop would have to record its state.
bool goes_back_in_order(const Activity& act, const ir::Stm& s, const ir::WithAcc& op);

// Emits arrays of what op scatters to, one for each dimension; not empty.
std::vector<ir::Var> scatter_indices(ir::Builder& b, const ir::WithAcc& op);

// The first of the indices, but -1 for all but one of those that name the same place in an array of this shape. A few indices are
// compared with each other. Of more indices a scatter says which is the last:
//
//   last = scatter (scratch shape) is (iota width);   map2 (\i j -> if last[i] == j then i else -1) is (iota width)
ir::Var each_place_once(ir::Builder& b, const std::vector<ir::Dim>& shape, const ir::Dim& width, const std::vector<ir::Var>& indices);

// The arrays with values[..][j] at (indices[0][j], ..) for each j < width; they are consumed.
ir::WithAcc scatter_of(ir::Builder& b, const std::vector<ir::Var>& arrays, const ir::Dim& width, const std::vector<ir::Var>& indices,
                       const std::vector<ir::Var>& values);

// Whether the cell at (at[0], ..) is in an array of this shape.
ir::Term is_inside(ir::Builder& b, const std::vector<ir::Dim>& shape, const std::vector<ir::Atom>& at);

}  // namespace raido::ad
