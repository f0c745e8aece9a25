// undo.h - arrays as they were before updates in place (docs/ad.md 7.3).
//
// An update overwrites elements that the return sweep may read. It saves these, not the array: going back it writes them
// into the array again. A branch saves what its branches save, a loop keeps what its body saves for every iteration.
// Whether that is better than to keep the array is not asked: what is saved and not read again is dead, and where an array
// cannot be updated in place, its copies stay (prepare.cc).
#pragma once
#include "passes/ad/records.h"

namespace raido::ad {

// A statement that updates arrays in place: what each was and became, what it saved, and how that is undone.
struct Undo {
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
Undo emit_with_undo(ir::Builder& b, const ir::Stm& s, const std::vector<size_t>& which, const Emit& emit);

// The state of a loop that its body only updates in place, and the steps of the body.
std::vector<size_t> updated_state(const ir::Program& p, const ir::For& loop);
struct BodyUndo {
  std::vector<Undo> steps;
  std::vector<ir::Atom> roots;                     // what the versions come from, in order of the results asked for
  std::vector<ir::Atom> slots;
  std::vector<ir::Var> undo(ir::Builder& b, const std::vector<ir::Var>& now, const std::vector<ir::Atom>& saved) const;
  std::vector<ir::Var> results, records;
};
// Makes the body save what it overwrites on the way to these results.
BodyUndo save_overwritten(ir::Program& p, ir::Body& body, const std::vector<ir::Atom>& results);

}  // namespace raido::ad
