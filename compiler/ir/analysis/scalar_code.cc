// scalar_code.cc - see scalar_code.h.
#include "compiler/ir/analysis/scalar_code.h"

#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"

namespace raido::ir {

bool is_small_array(const Program& p, Var v) {
  if (!is_array(p.type(v))) return false;
  i64 cells = 1;
  for (const Dim& d : shape_of(p.type(v))) {
    auto n = const_of(d);
    if (!n || n->as_i64() > costs::unrolled_cells) return false;
    cells *= n->as_i64();
  }
  return cells <= costs::unrolled_cells;
}

bool is_scalar_code(const Program& p, const Stm& s) {
  switch (kind_of(s.exp)) {
    case Kind::Step: case Kind::Check: case Kind::Branch: case Kind::Read: case Kind::View: return true;
    case Kind::Make: case Kind::Write: return std::ranges::all_of(s.pattern, [&](Bind x) { return is_small_array(p, x.var); });
    case Kind::Constant: case Kind::Loop: case Kind::Parallel: case Kind::Scope: case Kind::Operator: case Kind::Call: case Kind::Block: return false;
  }
  PANIC("a statement of no kind");
}

std::optional<size_t> scalar_statements(const Program& p, const Body& b) {
  size_t statements = 0;
  bool scalar = true;
  each_stm(b, [&](const Stm& s) {
    statements++;
    scalar = scalar && is_scalar_code(p, s);
  });
  return scalar ? std::optional(statements) : std::nullopt;
}

}  // namespace raido::ir
