// undo.h - arrays as they were before updates in place (docs/ad.md 7.3).
//
// An update overwrites elements that the return sweep may read. It saves these elements, not the array; the return sweep writes them
// into the array again. A branch saves what its branches save. A loop records what its body saves in every iteration.
// Nobody asks whether that is better than to keep the array: what is saved and not read again is dead. Where an array cannot be
// updated in place, its copies stay (prepare.cc).
#pragma once
#include "passes/ad/prepare/in_place.h"
#include "passes/ad/reverse/records.h"

namespace raido::ad {

// How the updates in place of a statement are undone. A version is an array before and after the statement; `slots` is what the
// statement has saved; `records` are the arrays among it that loops have recorded.
struct Undo {
  struct Version { ir::Var before, after; };
  std::vector<Version> versions;
  std::vector<ir::Atom> slots;
  // Emits the arrays before the statement, from those after it.
  std::function<std::vector<ir::Var>(ir::Builder&, const std::vector<ir::Var>& now, const std::vector<ir::Atom>& slots)> undo;
  std::vector<ir::Var> records = {};
};
// Emits the statement so that its results `which`, all versions of different arrays, can be undone.
Undo emit_with_undo(ir::Builder& b, const ir::Stm& s, const std::vector<size_t>& which, const Emit& emit);

// The same for the statements of a body.
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
