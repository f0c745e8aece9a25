// traits.cc - the table by operation.
#include "compiler/ir/analysis/traits.h"

namespace raido::ir {

Traits traits_of(const Exp& e) {
  return match(e, []<class Operation>(const Operation&) { return traits<Operation>; });
}

}  // namespace raido::ir
