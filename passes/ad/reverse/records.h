// records.h - what a loop records of every iteration, for the return sweep (docs/ad.md 7.2).
#pragma once
#include <functional>

#include "compiler/ir/term.h"

namespace raido::ad {

using Emit = std::function<void(ir::Stm)>;

// Values of the body of a loop, one for each iteration. `slots` are what holds them outside of the loop. `read` emits what the values
// were in iteration i, in the order in which they were asked for.
struct Records {
  std::vector<ir::Atom> slots;
  std::function<std::vector<ir::Atom>(ir::Builder&, const ir::Atom& i, const std::vector<ir::Atom>& slots)> read;
  struct Record { ir::Var array, value; };                  // an array, and the value of the body that it records
  std::vector<Record> records = {};
  // Of slots that were enlarged, how many rows are filled. After the loop `cut` takes slices of that many rows.
  std::vector<std::pair<size_t, ir::Atom>> filled = {};
  void cut(ir::Builder& b);
};
// Makes the loop keep these values of its body (its state included), each once. A value that depends on the iteration and on nothing
// that the loop changes is computed again instead. An array whose size changes goes into one flat array, iteration after iteration.
// For its size the loop runs once before, which dead code elimination reduces to what decides the sizes. What has to come before the
// loop is emitted. In a loop that is counted while it runs (counted.h) all records are enlarged where they are full.
Records record(ir::Builder& b, ir::Stm& loop, const std::vector<ir::Atom>& values, const Emit& emit);

}  // namespace raido::ad
