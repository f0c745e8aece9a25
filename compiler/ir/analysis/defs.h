// defs.h - where variables come from, how deep they are bound, who uses them last, and what of them changes from point to point.
//
// A statement keeps its address while it is in its list: what is noted here lasts until a pass takes the statement out.
#pragma once
#include "compiler/base/flat_map.h"
#include "compiler/ir/transform.h"

namespace raido::ir {

// The statements that bind variables, and the loops that variables are the state of.
class Definitions {
 public:
  struct State {
    const Stm* loop;
    size_t number;
  };

  Definitions() = default;
  explicit Definitions(const Program& p) { p.each_body([&](const Body& b) { add_all(b); }); }
  explicit Definitions(const Body& b) { add(b); }
  void add(const Stm& s);
  void add(const Body& b) { for (const Stm& s : b.stms) add(s); }        // without what stands in inner bodies
  void add_all(const Body& b) { each_stm(b, [&](const Stm& s) { add(s); }); }

  // Null: a parameter, a state, a counter, or of nothing that was noted.
  const Stm* of(Var v) const { auto found = made_by_.find(v); return found ? *found : nullptr; }
  const Stm* of(const Atom& a) const { auto v = var_of(a); return v ? of(*v) : nullptr; }
  // The operation that makes it, if that is a T.
  template <class T, class X> const T* get(const X& x) const {
    const Stm* s = of(x);
    return s ? std::get_if<T>(&s->exp) : nullptr;
  }
  // Null: no state of a loop that was noted.
  const State* state(Var v) const { return states_.find(v); }

 private:
  FlatMap<Var, const Stm*> made_by_;
  FlatMap<Var, State> states_;
};
// Whether it is a result of this statement. A statement that only checks has none.
bool binds(const Stm& s, const Atom& a);
// The number of the result that is this variable.
size_t number_of(const Stm& s, Var result);

// How many bodies and lambdas are around what binds a variable; 0: what computes constants, or a variable that was not noted.
class Depths {
 public:
  Depths() = default;
  explicit Depths(const Program& p);                     // functions and their parameters: 1
  void add(const Body& b, uint32_t depth);               // its statements are at this depth
  uint32_t of(Var v) const { return depth_[v]; }

 private:
  VarMap<uint32_t> depth_;
};

// How often variables are used: also in the types of what is bound, and in inner bodies.
class Uses {
 public:
  Uses() = default;
  template <class X> Uses(const Program& p, const X& x) { add(p, x); }
  template <class X> void add(const Program& p, const X& x) { each_use(p, x, [&](Var v) { count_[v]++; }); }
  size_t of(Var v) const { return count_.at(v); }

 private:
  VarMap<size_t> count_;
};

// The last statements of a list that use variables, counted from 1; 0: none does. What `after` uses counts as one more statement.
class LastUses {
 public:
  LastUses(const Program& p, const List<Stm>& stms, const std::vector<Atom>& after);
  size_t of(Var v) const { return last_[v]; }

 private:
  VarMap<size_t> last_;
};

// What x binds, in inner bodies, too.
template <class X> VarSet bound_in(const X& x) {
  VarSet bound;
  each_bind(x, [&](Var v) { bound.insert(v); });
  return bound;
}
// Whether x uses the variable, or one of them.
template <class X> bool mentions(const Program& p, const X& x, Var v) {
  bool found = false;
  each_use(p, x, [&](Var u) { found = found || u == v; });
  return found;
}
template <class X> bool mentions(const Program& p, const X& x, const VarSet& vars) {
  bool found = false;
  each_use(p, x, [&](Var u) { found = found || vars.contains(u); });
  return found;
}
template <class X> size_t count_uses(const Program& p, const X& x, Var v) {
  size_t n = 0;
  each_use(p, x, [&](Var u) { n += u == v; });
  return n;
}

// Drops the statements, in branches, too, that the results of the body do not need. What they would have checked is lost.
void keep_needed(const Program& p, Body& b);

}  // namespace raido::ir
