// adjoints.h - what kind of adjoint each variable of a scope has, and how something is added to it (docs/ad.md 5).
#pragma once
#include <optional>
#include <unordered_map>

#include "compiler/ir/term.h"
#include "passes/ad/activity/activity.h"
#include "passes/ad/reverse/versions.h"

namespace raido::ad {

// Zero: nothing has been added yet, and nothing is there in the program.
// Value: a number or an array. If it is owned, no other name has it, so it may be updated in place.
// Acc: an accumulator that is open around this scope.
// Part: a part of another variable's accumulator, such as a row of a mapped array. Contributions go there at once.
// Entry: an array that is zero but for one element. The map that made the primal array goes back through that element only.
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
  bool is_zero() const { return kind == Kind::Zero; }
  bool is_value() const { return kind == Kind::Value; }
  // Whether contributions go to an accumulator that is open around the scope.
  bool accumulates() const { return kind == Kind::Acc || kind == Kind::Part; }
};
bool all_zero(const std::vector<Adjoint>& adjoints);

// The adjoints of one scope. Variables go by their names in the primal or by those that they have now (versions.h).
class Adjoints {
 public:
  Adjoints(Activity& activity, ir::Builder& builder, const Versions& names) : act_(activity), b_(builder), p_(builder.program), names_(names) {}
  // Those of an inner scope. `open`: the variables whose adjoints go in. Parts of accumulators are known in all inner scopes.
  Adjoints(const Adjoints& outer, const Versions& names, const std::vector<ir::Var>& open);

  bool is_zero(const ir::Atom& x) const;
  Adjoint::Kind kind(ir::Var x) const;                           // as it is, an Entry, too
  bool all_zero(const ir::Stm& s) const;                         // of all results of the statement
  ir::Atom value(ir::Var x);                                     // Zero becomes an array or number of zeros
  ir::Var own(ir::Var xs);                                       // as an array that may be updated in place
  Adjoint& state(ir::Var x);                                     // an Entry becomes an array
  Adjoint take(ir::Var x) { return std::exchange(state(x), {}); }
  std::vector<Adjoint> take_results(const ir::Stm& s);           // one for each binder

  void add(const ir::Atom& x, const ir::Atom& contribution, bool owned = false);      // x_adj += contribution
  void add_permuted(const ir::Atom& x, ir::Var contribution, const std::vector<int>& dims, bool owned);   // x_adj += permute contribution dims
  void add_at(ir::Var xs, const std::vector<ir::Selector>& at, const ir::Atom& contribution);   // xs_adj[at] += contribution

  // ---- loops and branches: an adjoint goes in and comes out (docs/ad.md 5.2) ----
  bool accumulates(ir::Var x) { return state(x).kind == Adjoint::Kind::Acc; }
  ir::Atom threaded(ir::Var x);                                  // what goes in or comes out, owned
  void thread(ir::Var x, ir::Var now, bool accumulator) { state(x) = accumulator ? Adjoint::acc(now) : Adjoint::of(now, true); }
  // Variables whose adjoints have to be handed to a scope around which these are free: no accumulators of the primal, and for
  // a part the variable that it is part of.
  std::vector<ir::Var> carriers(const std::vector<ir::Var>& free) const;

  // ---- one element (docs/ad.md 5.4) ----
  // xs_adj[index] += value, where `inside` holds. It stays an Entry if xs may have one and has no adjoint yet.
  void add_element(ir::Var xs, const ir::Atom& index, const ir::Atom& value, std::optional<ir::Atom> inside);
  // The one Entry that all adjoints of the binders have in common, with these as `values` (zero or the element).
  std::optional<Adjoint> take_entry(const ir::Stm& s, std::vector<Adjoint>& values);
  void allow_entry(ir::Var xs) { from_maps_.insert(xs); }
  bool may_be_entry(ir::Var xs) const { return from_maps_.contains(names_.original(xs)) && is_zero(xs); }
  const Adjoint* entry(ir::Var xs) const;

  // ---- accumulators of the primal (docs/ad.md 6.11) ----
  // Inside their scope the adjoint of every version of one is the adjoint of the finished arrays, read only.
  void gather(ir::Var token, std::vector<ir::Var> finished) { gathered_[token] = std::move(finished); }
  void end_gather(ir::Var token) { gathered_.erase(token); }
  const std::vector<ir::Var>& gathered(ir::Var token) const { return gathered_.at(token); }
  bool is_gathered(const ir::Type& t) const;
  bool updates_gathered(const ir::Stm& s) const;                 // has a result that is such an accumulator
  bool gathers() const { return !gathered_.empty(); }

 private:
  Activity& act_;
  ir::Builder& b_;
  ir::Program& p_;
  const Versions& names_;
  std::unordered_map<ir::Var, Adjoint> states_;                  // by the name in the primal
  ir::VarSet from_maps_;                                         // results of maps of this scope
  std::unordered_map<ir::Var, std::vector<ir::Var>> gathered_;   // by token

  Adjoint& slot(ir::Var x) { return states_[names_.original(x)]; }
  const Adjoint* find(ir::Var x) const;
  bool is_few(ir::Var xs) const;
  ir::Var choices(ir::Var xs, const ir::Atom& index, const ir::Atom& value, std::optional<ir::Atom> inside);
  void add_where(ir::Var xs, const ir::Atom& index, const ir::Atom& value, std::optional<ir::Atom> inside);
  void accumulate(Adjoint& acc, const std::vector<ir::Selector>& at, const ir::Atom& contribution, const std::vector<int>& dims = {});   // of `permute contribution dims`
  void accumulate(Adjoint& acc, const std::vector<ir::Selector>& at, std::vector<ir::Atom> index, const std::vector<size_t>& open, size_t d, const ir::Atom& part);
};

}  // namespace raido::ad
