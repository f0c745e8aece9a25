// place_origins.h - what `place` knows of a program before it changes anything. It knows which array a value started as, which loops
// work in place, and which constant arrays are overwritten.
#pragma once
#include <functional>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"

namespace raido::placement {

using namespace ir;

// A statement is looked at only until it is placed.
class Origins {
 public:
  explicit Origins(const Program& p);

  // Follows an array in place (updates, loops, branches over it) to the variable that it started as. Stops at what bodies at `depth` do
  // not bind.
  Var of(const Atom& a, uint32_t depth);
  // Whether state number k of the loop stays in the memory of its initial value.
  template <class Loop> bool works_in_place(const Loop& x, size_t k);
  // Calls f with what is bound outside of bodies deeper than `depth`, and may have the memory of `a`: views, and what is updated in place, are
  // followed back. States of a loop at that depth count as outside.
  void each_origin(const Atom& a, uint32_t depth, const std::function<void(Var)>& f) const;
  // What it was before, if `v` is the result of a state that stays in its memory, or of an accumulator. Or a kernel updates its rows.
  std::optional<Atom> starts_as(const Stm& s, Var v);
  // Each point of the kernel may read its own row of an array and update it. If result number k is such a row, this is the array.
  std::optional<Var> updated_rows(const Seg& x, size_t k, uint32_t depth);
  // Whether the array is made by a statement that can make it anywhere.
  bool creates(Var v) const;
  uint32_t depth(Var v) const { return depths_.of(v); }
  // The array that this is another shape of, if it is one. It stands in a body at `depth` or inside of one.
  std::optional<Atom> before_reshape(const Atom& a, uint32_t depth) const;
  // Whether an update, an accumulator or a call may overwrite it.
  bool is_overwritten(Var data) const { return overwritten_.contains(data); }

 private:
  const Program& p_;
  Definitions defs_;
  Depths depths_;
  VarSet overwritten_;
  std::unordered_map<Var, bool> in_place_;   // loop state

  bool is_array(const Atom& a) const { return var_of(a) && ir::is_array(p_.type(*var_of(a))); }
  void mark_overwritten(const Body& b);
  void mark_overwritten(const Atom& a);
};

// How many arrays the scope updates: its first results.
inline size_t arrays_of(const WithAcc& x) {
  size_t n = 0;
  for (const Dest& d : x.dests) n += d.arrays.size();
  return n;
}
// Whether results of `e` may lie in the blocks of its operands.
inline bool may_alias(const Exp& e) { return kind_of(e) != Kind::Make && !std::holds_alternative<Seg>(e); }

template <class Loop> bool Origins::works_in_place(const Loop& x, size_t k) {
  Var state = x.state[k].var;
  if (!is_array(state)) return false;
  auto found = in_place_.find(state);
  if (found != in_place_.end()) return found->second;
  bool same = of(x.body.result[k], depths_.of(state)) == state;
  in_place_[state] = same;
  return same;
}

}  // namespace raido::placement
