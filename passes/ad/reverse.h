// reverse.h - one lexical scope of the return sweep (docs/ad.md 4; figure 3 of Schenck et al., SC 2022).
//
// A rule emits its forward sweep at once and returns the code that will emit its return sweep; a scope runs the rules of
// its statements in order and then what they returned in reverse order. That is all there is to the "tape". An inner
// scope (lambda, branch, loop body) is a Reverse of its own: it executes a clone of the primal body again.
//
// The primal code was prepared (prepare.cc): it consumes nothing that it does not copy first, so primal names stay valid.
#pragma once
#include <memory>
#include <unordered_map>

#include "compiler/ir/term.h"
#include "passes/ad/activity.h"
#include "passes/ad/differentiate.h"
#include "passes/ad/once.h"
#include "passes/ad/undo.h"

namespace raido::ad {

using ReturnSweep = std::function<void()>;

// The adjoint of a variable: symbolically zero, a value (owned: nobody else has it, so it may be updated in place), an
// accumulator that is open around this scope, or part of another variable's accumulator (a row of a mapped array whose
// adjoint accumulates outside: contributions go there at once, instead of into an array that is added later), or an
// array that is zero but for one element: a map whose results were read at one place goes back through that place only.
struct Adjoint {
  enum class Kind : uint8_t { Zero, Value, Acc, Part, Entry } kind = Kind::Zero;
  ir::Atom value;                      // Part: the variable whose adjoint it is part of; Entry: the element
  bool owned = false;
  std::vector<ir::Atom> prefix;        // Part: the indices of the part; Entry: the index of the element
  std::optional<ir::Atom> inside = {}; // Entry: whether there is such an element, where that is not known
  std::vector<ir::Var> checks = {};    // Entry: proofs that there is
  static Adjoint of(ir::Atom value, bool owned) { return {Kind::Value, value, owned, {}}; }
  static Adjoint acc(ir::Var v) { return {Kind::Acc, v, true, {}}; }
  static Adjoint part(ir::Var of, std::vector<ir::Atom> prefix) { return {Kind::Part, of, false, std::move(prefix)}; }
};

class Reverse {
 public:
  Reverse(Activity& activity, ir::Builder& builder) : act(activity), b(builder), p(builder.program) {}
  Reverse(const Reverse& outer, const std::vector<ir::Var>& open);   // an inner scope; `open`: variables whose state goes in
  Activity& act;
  ir::Builder& b;
  ir::Program& p;

  // The adjoint arrays of accumulators of the primal, by their token: inside, the adjoint of every version of such an
  // accumulator is the adjoint of the finished array, read only (docs/ad.md 6.11).
  std::unordered_map<ir::Var, std::vector<ir::Var>> gathered;

  bool is_zero(const ir::Atom& x) const;
  ir::Atom adjoint(ir::Var x);                                   // forced to a value
  ir::Term term(const ir::Atom& x) { return b.term(x); }
  void add(const ir::Atom& x, const ir::Atom& contribution, bool owned = false);      // x_adj += contribution
  void add_at(ir::Var xs, const std::vector<ir::Selector>& at, const ir::Atom& contribution);   // xs_adj[at] += contribution
  ir::Var own(ir::Var xs);                                       // the adjoint of an array, dense and updatable; state: this
  Adjoint& state(ir::Var x);                                     // an entry becomes an array
  Adjoint take(ir::Var x) { return std::exchange(state(x), {}); }
  // xs_adj[index] += value, where `inside` holds. It stays an entry if xs comes from a map of this scope and has no adjoint yet.
  void add_element(ir::Var xs, const ir::Atom& index, const ir::Atom& value, std::optional<ir::Atom> inside);
  // The one entry that all adjoints of the binders have in common, with these as `values` (zero or the element).
  std::optional<Adjoint> take_entry(const ir::Stm& s, std::vector<Adjoint>& values);

  // The same across a scope inside: an array whose adjoint may stay an entry there, and what became of it.
  bool may_be_entry(ir::Var xs) const { return mapped_.contains(xs) && is_zero(xs); }
  void make_entry_of(ir::Var xs) { mapped_.insert(xs); }
  const Adjoint* entry(ir::Var xs) const {
    auto found = find(xs);
    return found && found->kind == Adjoint::Kind::Entry ? found : nullptr;
  }

  // Forward sweeps of the body, seeds into its results, return sweeps. The body must be fresh (a clone).
  void scope(ir::Body body, const std::vector<Adjoint>& seeds);
  // The same in two steps, between which a scope for the return sweep alone may begin.
  struct Done {
    ir::Stm* statement;
    ReturnSweep back;
    std::optional<Step> step;                                    // what it updated in place
  };
  struct Sweeps {
    ir::Body body;
    std::vector<Done> done;
  };
  std::unique_ptr<Sweeps> forth(ir::Body body);
  void back(Sweeps& sweeps, const std::vector<Adjoint>& seeds);

  // Arrays that the primal updates in place have other names where the update is undone, equal to what they were before it.
  // Only those that this scope may consume do: its own, and what the scope around says.
  void make_ours(ir::Var xs) { ours_.insert(xs); }
  bool is_ours(ir::Var xs) const { return ours_.contains(xs); }
  ir::Var current(ir::Var xs) const;
  void restore(ir::Var xs, ir::Var restored);

  // Arrays of which each place is written once: they are as they are in the end, and not written again (once.h).
  void make_finished(ir::Var xs, const Old& old) { finished_.insert_or_assign(xs, old); any_finished_ = true; }
  bool is_finished(const ir::Atom& xs) const { auto v = ir::var_of(xs); return any_finished_ && v && finished_.contains(*v); }
  void write_nothing(ir::Stm& s) { if (any_finished_) without_updates(p, s, finished_); }
  // Arrays that the loop around carries back from iteration to iteration, and their versions: to copy one costs more than it
  // costs to make its adjoint.
  void make_carried(ir::Var xs) { carried_.insert(xs); }
  bool is_carried(ir::Var xs) const { return carried_.contains(xs); }

  // Whether this code runs inside a parallel operation.
  void make_parallel() { parallel_ = true; }
  bool in_parallel() const { return parallel_; }

  // The map of a return sweep. `fill(inner, rows)` emits what happens for one element and returns results; it may add to
  // the adjoints of `free`: arrays through accumulators, scalars by a sum over the map. Returns the results of fill.
  using Fill = std::function<std::vector<ir::Atom>(Reverse& inner, const std::vector<ir::Var>& rows)>;
  std::vector<ir::Var> map(const std::string& hint, const ir::Dim& width, const std::vector<ir::Var>& inputs,
                           const std::vector<ir::Var>& free, const Fill& fill);
  // Substitutes values for the parameters of a cloned lambda and carries over which are varied.
  ir::Body bind(ir::Lambda l, const std::vector<ir::Atom>& values);
  // Emits the primal statement, without the accumulators that are gathered.
  void forward(const ir::Stm& s);
  std::vector<Adjoint> take_results(const ir::Stm& s);           // one for each binder
  static bool all_zero(const std::vector<Adjoint>& seeds);
  bool updates_gathered(const ir::Stm& s) const;                 // has a result that is a gathered accumulator
  bool is_gathered(const ir::Type& t) const;
  // Varied variables free in x whose adjoints have to be handed to a scope around x: no accumulators of the primal, and
  // for a part the variable that it is part of.
  template <class X> std::vector<ir::Var> free_in(const X& x) const { return carriers(act.free_varied(x)); }

  std::vector<ir::Var> carriers(const std::vector<ir::Var>& free) const;

 private:
  std::unordered_map<ir::Var, Adjoint> states_;                  // by the name in the primal: slot, find
  ir::VarSet ours_, carried_;
  Finished finished_;
  bool any_finished_ = false, parallel_ = false;
  std::unordered_map<ir::Var, ir::Var> current_, original_;      // of arrays whose updates are undone
  int depth_ = 0;
  bool again_ = false;                                           // the code runs for the return sweep only: nobody wants its results
  ir::VarSet mapped_;                                            // results of maps of this scope
  ReturnSweep rule(const ir::Stm& s, bool matters, std::optional<Step>& step);
  std::optional<Step> emit(const ir::Stm& s);
  ir::Var original(ir::Var xs) const;
  Adjoint& slot(ir::Var x) { return states_[original(x)]; }
  const Adjoint* find(ir::Var x) const;
  void add_where(ir::Var xs, const ir::Atom& index, const ir::Atom& value, std::optional<ir::Atom> inside);
  void add_all(Adjoint& acc, const std::vector<ir::Atom>& prefix, const ir::Atom& contribution);
};

// ---- the rules that have files of their own; each is called after activity said that it matters ----
ReturnSweep vjp_map(Reverse& rev, const ir::Stm& s, const ir::Screma& op);
ReturnSweep vjp_reduce(Reverse& rev, const ir::Stm& s, const ir::Screma& op);
ReturnSweep vjp_scan(Reverse& rev, const ir::Stm& s, const ir::Screma& op);
ReturnSweep vjp_hist(Reverse& rev, const ir::Stm& s, const ir::Hist& op);
ReturnSweep vjp_for(Reverse& rev, const ir::Stm& s, const ir::For& op);
ReturnSweep vjp_if(Reverse& rev, const ir::Stm& s, const ir::If& op);
ReturnSweep vjp_with_acc(Reverse& rev, const ir::Stm& s, const ir::WithAcc& op);
ReturnSweep vjp_call(Reverse& rev, const ir::Stm& s, const ir::Call& op);
ReturnSweep vjp_upd(Reverse& rev, const ir::Stm& s, const ir::AccUpdate& op);

// out[i] = op(out[i-1], xs[i-1]), out[0] = neutral (all components).
std::vector<ir::Var> exclusive_scan(ir::Builder& b, const ir::Dim& width, const ir::Combine& op, const std::vector<ir::Var>& xs);
// Runs op again at (x, y) and its return sweep seeded by t; free variables contribute through `rev`. Returns the adjoints
// of x and y.
std::vector<ir::Atom> apply_back(Reverse& rev, const ir::Combine& op, const std::vector<ir::Atom>& x, const std::vector<ir::Atom>& y,
                                 const std::vector<ir::Atom>& t);
// The adjoint of x in op(x, y) seeded by t; nothing else is differentiated.
std::vector<ir::Atom> first_back(Reverse& rev, const ir::Combine& op, const std::vector<ir::Atom>& x, const std::vector<ir::Atom>& y,
                                 const std::vector<ir::Atom>& t);
// A row operator that is applied pointwise becomes one on whole rows.
ir::Combine without_shape(ir::Builder& b, const ir::Combine& op);
// Sum over the outer dimension.
ir::Atom sum_outer(ir::Builder& b, ir::Var xs);

}  // namespace raido::ad
