// traits.cc - the table by operation.
#include "compiler/ir/analysis/traits.h"

#include "compiler/ir/transform.h"

namespace raido::ir {

Traits traits_of(const Exp& e) {
  return match(e, []<class Operation>(const Operation&) { return traits<Operation>; });
}

bool may_mix(const For& loop) {
  bool makes = false;
  each_stm(loop.body, [&](const Stm& s) { makes = makes || kind_of(s.exp) == Kind::Make || kind_of(s.exp) == Kind::Block; });
  return loop.any_order && !loop.sums && !makes;
}

}  // namespace raido::ir
