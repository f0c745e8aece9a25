// versions.h - what of the primal is there in the return sweep, and under which name (docs/ad.md 4.4).
//
// Preparation copies whatever the primal consumes, so that most names mean the same value in both sweeps. Two kinds of arrays that
// a loop updates in place are other:
//
// - An array whose updates are undone has another name after each undo. The names of one array form a chain from its first one.
// - An array that is written once (write_once.h) is read under the name that it has in the end, and is not written again.
#pragma once
#include "passes/ad/activity/activity.h"
#include "passes/ad/prepare/write_once.h"
#include "passes/ad/reverse/undo.h"

namespace raido::ad {

class Versions {
 public:
  explicit Versions(Activity& activity) : act_(activity) {}
  // Those of an inner scope: it sees the written-once and the carried arrays, and undoes no updates of the scope around it.
  static Versions inner(const Versions& outer);

  // ---- arrays whose updates are undone: those that this scope owns ----
  void own(ir::Var xs) { owned_.insert(xs); }
  bool owns(ir::Var xs) const { return owned_.contains(xs); }
  ir::Var current(ir::Var xs) const;                               // the name that it has now
  ir::Var original(ir::Var xs) const;                              // the name that it has in the primal
  void restore(ir::Var xs, ir::Var restored);                      // what xs stands for is now called `restored`
  // The results of the statement that are versions of owned arrays, one for each array.
  std::vector<size_t> updated(const ir::Program& p, const ir::Stm& s) const;
  // Emits what undoes the updates of the statement, and gives the arrays before it their new names.
  void undo(ir::Builder& b, const ir::Stm& s, const Undo& undone);
  // The statement with its operands under the names that they have now; nothing if these are the names in the primal.
  std::optional<ir::Stm> renamed(ir::Program& p, const ir::Stm& s) const;
  void start();                                                    // of a return sweep: all arrays have their names in the primal
  void end(const ir::Stm& s);                                      // what s binds is not there before s

  // ---- arrays that are written once ----
  void finish(ir::Var xs, const Old& old) { finished_.insert_or_assign(xs, old); }
  bool is_finished(const ir::Atom& xs) const;
  bool any_finished() const { return !finished_.empty(); }
  void write_nothing(const ir::Program& p, ir::Stm& s) { if (any_finished()) without_updates(p, s, finished_); }

  // ---- arrays that the loop around carries back, and their versions: a copy of one costs more than its adjoint ----
  void carry(ir::Var xs) { carried_.insert(xs); any_carried_ = true; }
  void carry_on(const ir::Program& p, const ir::Stm& s);           // to the results of the statement that are versions of such arrays
  bool is_carried(ir::Var xs) const { return carried_.contains(xs); }

 private:
  Activity& act_;
  ir::VarSet owned_, carried_;
  bool any_carried_ = false;
  Finished finished_;
  std::unordered_map<ir::Var, ir::Var> current_, original_;
};

}  // namespace raido::ad
