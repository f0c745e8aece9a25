// verify.h - the rules that every program obeys at its level. Each has a number, used by documents and tests.
//
//   V1 every variable is bound once                       V6 nothing is used after its consumption, aliases included
//   V2 every use is in scope, sizes in types too          V7 accumulators are used linearly, their arrays not at all
//   V3 pattern types are those of the operation           V8 checks are proofs
//   V4 every operation is legal at the program's level    V9 seg extents are bound outside, levels nest, indices are i64
//   V5 operators: matching types and neutral elements     V10 (Memory) every array has a place that fits its shape
//   V11 what operations and variables say of themselves: in_place (Memory) of what lies in the same block, any_order by commutative
//       operators, parts of what has operators, batches of arrays; nothing that is said inside of `differentiate` alone
//   V12 attributes are hints of attributes.def that core programs have
#pragma once
#include <string>

#include "compiler/ir/types.h"

namespace raido::ir {

struct Violation {
  std::string rule;        // "V3"; empty if the program is well-formed
  std::string message;     // what, and the statement
};
Violation verify(const Program& p);

// The types of a function's results for its callers: sizes born inside are result numbers.
Types returns_of(const Program& p, const Lambda& l);

}  // namespace raido::ir
