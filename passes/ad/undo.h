// undo.h - what a loop keeps of every iteration, and arrays as they were before updates in place (docs/ad.md 7.2, 7.3).
//
// An update overwrites elements that the return sweep may read. It saves these, not the array: going back it writes them
// into the array again. A branch saves what its branches save, a loop keeps what its body saves for every iteration.
// Whether that is better than to keep the array is not asked: what is saved and not read again is dead, and where an array
// cannot be updated in place, its copies stay (prepare.cc).
#pragma once
#include <functional>

#include "compiler/ir/term.h"

namespace raido::ad {

using Emit = std::function<void(ir::Stm)>;

// Values of the body of a loop, one for each iteration, as values outside: `slots`. read: from those, what they were in
// iteration i, in order.
struct Kept {
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
Kept keep(ir::Builder& b, ir::Stm& loop, const std::vector<ir::Atom>& values, const Emit& emit);

// A statement that updates arrays in place: what each was and became, what it saved, and how that is undone.
struct Step {
  struct Version { ir::Var before, after; };
  std::vector<Version> versions;
  std::vector<ir::Atom> slots;
  // From what the arrays are now to what they were.
  std::function<std::vector<ir::Var>(ir::Builder&, const std::vector<ir::Var>& now, const std::vector<ir::Atom>& slots)> undo;
  std::vector<ir::Var> records = {};
};
// The array of which result k of the statement is a version: the same memory, if it is updated in place.
std::optional<ir::Var> earlier_version(const ir::Program& p, const ir::Stm& s, size_t k);
// Emits the statement so that its results `which`, all versions of different arrays, can be undone.
Step emit_step(ir::Builder& b, const ir::Stm& s, const std::vector<size_t>& which, const Emit& emit);

// The state of a loop that its body only updates in place, and the steps of the body.
std::vector<size_t> updated_state(const ir::Program& p, const ir::For& loop);
struct Steps {
  std::vector<Step> steps;
  std::vector<ir::Atom> roots;                     // what the versions come from, in order of the results asked for
  std::vector<ir::Atom> slots;
  std::vector<ir::Var> undo(ir::Builder& b, const std::vector<ir::Var>& now, const std::vector<ir::Atom>& saved) const;
  std::vector<ir::Var> results, records;
};
// Makes the body save what it overwrites on the way to these results.
Steps save_overwritten(ir::Program& p, ir::Body& body, const std::vector<ir::Atom>& results);

}  // namespace raido::ad
