// long_loops.h - loops that C compilers make no vectors of, so that it pays to run several of them side by side.
#pragma once
#include <algorithm>

#include "compiler/ir/transform.h"

namespace raido {

// A loop whose iterations hand on numbers in an order, or nobody knows how many there are.
inline bool is_ordered_loop(const ir::Program& p, const ir::Exp& e) {
  if (std::holds_alternative<ir::While>(e)) return true;
  auto loop = std::get_if<ir::For>(&e);
  return loop && !loop->any_order && std::ranges::any_of(loop->state, [&](ir::Bind b) { return is_scalar(p.type(b.var)); });
}
// Such a loop, or one with such a loop inside.
inline bool is_long_loop(const ir::Program& p, const ir::Exp& e) {
  if (is_ordered_loop(p, e)) return true;
  auto loop = std::get_if<ir::For>(&e);
  bool found = false;
  if (loop) each_stm(loop->body, [&](const ir::Stm& s) { found = found || is_ordered_loop(p, s.exp); });
  return found;
}

}  // namespace raido
