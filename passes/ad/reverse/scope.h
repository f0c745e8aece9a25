// scope.h - one lexical scope of the return sweep (docs/ad.md 4; figure 3 of Schenck et al., SC 2022).
//
// A rule emits its forward sweep at once. It returns what its return sweep needs: the values that it keeps, and a function that emits
// the return sweep. A scope runs the rules of its statements in order, and then what they returned in reverse order. That list
// lives in the compiler only; there is no tape. An inner scope (lambda, branch, loop body) executes a clone of the primal body
// again, which preparation has made free of consumption (prepare.cc).
#pragma once
#include <functional>
#include <map>
#include <memory>

#include "passes/ad/reverse/adjoints.h"
#include "passes/ad/reverse/versions.h"

namespace raido::ad {

class Scope;

// What the rule of a statement leaves for the return sweep.
struct Back {
  // Values of the forward sweep that the return sweep reads, beside operands and results of the statement.
  std::vector<ir::Atom> kept;
  // Emits the return sweep. `s` is the statement with its operands under the names that they have there (versions.h).
  std::function<void(Scope&, const ir::Stm& s, const std::vector<ir::Atom>& kept)> emit;
};

class Scope {
 public:
  Scope(Activity& activity, ir::Builder& builder)
      : act(activity), b(builder), p(builder.program), versions(activity), adjoints(activity, builder, versions) {}
  Scope(const Scope& outer, const std::vector<ir::Var>& open);   // an inner scope; `open`: variables whose adjoints go in
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  Activity& act;
  ir::Builder& b;
  ir::Program& p;
  Versions versions;
  Adjoints adjoints;

  // Forward sweeps of the body, seeds into its results, return sweeps. The body must be fresh (a clone).
  void run(ir::Body body, const std::vector<Adjoint>& seeds);
  // The same in two steps, between which a scope for the return sweep alone may begin.
  struct Done {
    ir::Stm* statement;
    Back back = {};
    std::optional<Undo> undo = {};                               // what it updated in place
    bool earlier = false;                                        // its return sweep undoes updates, also where no adjoint goes back
  };
  struct Sweeps {
    ir::Body body;
    std::vector<Done> done;
  };
  std::unique_ptr<Sweeps> forth(ir::Body body);
  // Statement `at` of the body that comes next ran before: what it left, unless its rule is a `back`, and how its updates are undone, with
  // names of the primal. And its results where they are needed, by position.
  struct Earlier {
    std::optional<Back> back;
    std::optional<Undo> undo;
    std::map<size_t, ir::Atom> results;
  };
  void ran_before(size_t at, Earlier earlier) { earlier_.emplace(at, std::move(earlier)); }
  void back(const Sweeps& sweeps, const std::vector<Adjoint>& seeds);

  // Substitutes values for the parameters of a cloned lambda and carries over which are varied.
  ir::Body bind(ir::Lambda l, const std::vector<ir::Atom>& values);
  // Emits the primal statement, without the accumulators that are gathered.
  void forward(const ir::Stm& s);
  // Varied variables free in x whose adjoints have to be handed to a scope around x.
  template <class X> std::vector<ir::Var> free_in(const X& x) const { return adjoints.carriers(act.free_varied(x)); }

  // The map of a return sweep. `fill(inner, rows)` emits what happens for one element and returns results; it may add to
  // the adjoints of `free`: arrays through accumulators, scalars by a sum over the map. Returns the results of fill.
  using Fill = std::function<std::vector<ir::Atom>(Scope& inner, const std::vector<ir::Var>& rows)>;
  std::vector<ir::Var> map(const std::string& hint, const ir::Dim& width, const std::vector<ir::Var>& inputs,
                           const std::vector<ir::Var>& free, const Fill& fill);

  // Whether this code runs inside a parallel operation.
  void make_parallel() { parallel_ = true; }
  bool in_parallel() const { return parallel_; }
  // Whether it is part of another scope: of a lambda, a branch or the body of a loop.
  bool runs_again() const { return again_; }

 private:
  bool parallel_ = false;
  bool again_ = false;                                           // the code runs for the return sweep only: nobody wants its results
  int depth_ = 0;                                                // of bodies that rules run in the scope around them
  std::map<size_t, Earlier> earlier_;

  Done forth(ir::Stm& s, bool matters);
  Done resume(ir::Stm& s, Earlier earlier);
  std::optional<Undo> emit(const ir::Stm& s);
};

}  // namespace raido::ad
