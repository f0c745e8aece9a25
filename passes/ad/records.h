// records.h - what a loop records of every iteration, for the return sweep (docs/ad.md 7.2).
#pragma once
#include <functional>

#include "compiler/ir/term.h"

namespace raido::ad {

using Emit = std::function<void(ir::Stm)>;

// Values of the body of a loop, one for each iteration, as values outside: `slots`. read: from those, what they were in
// iteration i, in order.
struct Records {
  std::vector<ir::Atom> slots;
  std::function<std::vector<ir::Atom>(ir::Builder&, const ir::Atom& i, const std::vector<ir::Atom>& slots)> read;
  struct Record { ir::Var array, value; };                  // of which value of the body
  std::vector<Record> records = {};
  // Of slots that grew, how many rows are filled: behind the loop they can be cut to that.
  std::vector<std::pair<size_t, ir::Atom>> filled = {};
  void cut(ir::Builder& b);
};
// Makes the loop keep these values of its body (its state included), each once; what depends on the iteration and on nothing
// that the loop changes is computed again. An array whose size changes goes into one flat array, one iteration behind the other:
// the loop runs before to count, which dead code elimination reduces to what decides the sizes. What has to come before the
// loop is emitted. In a loop that is not counted before it runs (grow.cc) everything that is kept grows.
Records record(ir::Builder& b, ir::Stm& loop, const std::vector<ir::Atom>& values, const Emit& emit);

}  // namespace raido::ad
