// aliases.h - which arrays may share memory, and what a statement consumes: the only definition of consumption.
//
// Every array has a set of roots; two arrays may share memory if their roots meet. Views have the roots of their source,
// fresh arrays are their own root. The result of an in-place operation is its own root: its operand is consumed.
// States of a loop that move on, (a, b) for (.., a), at different times have the memory of one array, and never at once:
// such results are roots of their own, which overlap with what they may be of before the loop, and not with each other. Inside of a
// loop a state is a root of its own, whatever it begins as: where the body consumes it, the loop consumes what it begins as.
#pragma once
#include <concepts>

#include "compiler/base/small_vector.h"
#include "compiler/ir/types.h"

namespace raido::ir {

class Aliases {
 public:
  explicit Aliases(const Program& p);                    // of the whole program: constants and functions
  // Roots of an array; the array itself if it is fresh or unknown.
  using Roots = SmallVector<Var, 4>;
  Roots roots(Var v) const;
  // Its roots and what overlaps with them: all that is gone when the array is consumed.
  std::vector<Var> reach(Var v) const;
  bool may_alias(Var a, Var b) const;
  bool may_alias(const Atom& a, const Atom& b) const;    // only arrays do
  // The roots in scope before the statement that are gone after it. Those of loop state that the body updates, of inputs
  // whose elements are consumed and of marked arguments are among them.
  std::vector<Var> consumed(const Stm& s) const;
  // The arrays that it consumes itself, not a statement of an inner body.
  std::vector<Var> consumed_itself(const Stm& s) const;
  // Does the body of a loop consume this part of its state? Then each iteration returns what belongs to the loop.
  bool consumes(Var state) const { return consumed_.contains(state); }
  // Roots whose memory has to stay their own: consumed somewhere in the program, maybe by the next iteration of a loop or after
  // it, or returned to a caller, who may consume it.
  VarSet own_memory() const;
  bool has_root_in(Var v, const VarSet& roots) const;    // is one of its roots among these?

 private:
  friend class AliasAnalysis;
  VarMap<std::vector<Var>> roots_;
  VarMap<std::vector<Var>> overlaps_;                    // root -> other roots that may share memory with it
  VarSet consumed_;                                      // variables consumed somewhere, as roots
  std::vector<std::vector<std::vector<size_t>>> returns_;  // function, result -> parameters it may alias
  const Program& p_;
};

// What the operation consumes directly: not what its inner bodies consume of their parameters.
template <class E, class F> requires std::same_as<std::remove_const_t<E>, Exp> void each_consumed(const Program& p, E& e, F&& f) {
  match(e, [&](auto& x) {
    using Op = std::remove_const_t<std::remove_reference_t<decltype(x)>>;
    if constexpr (std::same_as<Op, Update>) f(x.array);
    else if constexpr (std::same_as<Op, Call>) {
      const Function& g = p.functions[x.callee.index];
      for (size_t i = 0; i < x.args.size(); i++)
        if (auto v = std::get_if<Var>(&x.args[i]); v && i < g.consumes.size() && g.consumes[i]) f(*v);
    } else if constexpr (requires { x.dests; }) {
      for (auto& d : x.dests) for (auto& v : d.arrays) f(v);
    }                                                    // the rest only reads
  });
}

}  // namespace raido::ir
