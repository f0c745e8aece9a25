// long_loops.h - loops that C compilers make no vectors of, so that it pays to run several of them side by side.
#pragma once
#include "compiler/ir/transform.h"

namespace raido {

// A loop whose iterations hand on numbers in an order, or nobody knows how many there are, or such a loop is inside.
inline bool is_long_loop(const ir::Program& p, const ir::Exp& e) {
  if (std::holds_alternative<ir::While>(e)) return true;
  auto loop = std::get_if<ir::For>(&e);
  if (!loop) return false;
  bool found = false;
  for (ir::Bind b : loop->state) found = found || (!loop->any_order && is_scalar(p.type(b.var)));
  each_stm(loop->body, [&](const ir::Stm& s) { found = found || is_long_loop(p, s.exp); });
  return found;
}

}  // namespace raido
