// facts.h - what a walk over a program knows of sizes and indices: their forms (affine.h), ranges, and proofs of sign.
//
// A variable is bounded if it is a size (some array has it as a dimension: 0 <= n), or an index (0 <= i <= n-1): of a loop or a
// map, a remainder, a quotient, masked bits, something that minimum and maximum keep inside. So is a state of a loop that is always one of
// some indices or remainders by constants. So are narrow integers that were widened, and their remainders by constants.
// Only expressions over bounded variables are reasoned about: arithmetic on sizes and indices does not wrap, arithmetic
// of the user may. All other variables are opaque: they have any value, and the walk knows only what they were compared with. In a
// branch after comparisons with zero and with a size, such a variable is an index.
// Forms are of i64 variables. An integer of another type has a form if its value is proved to fit into the type.
#pragma once
#include <array>
#include <optional>
#include <unordered_map>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/types.h"

namespace raido::ir {

class Facts {
 public:
  struct Range { i64 low, high; };                       // both included
  explicit Facts(const Program& p) : p_(p) {}
  // What is known from entering scope; called as the walk meets binders. Sizes in the types of binders are >= 0.
  void bound(Var v);
  // That something is a size is known only after the array was made: what was learned since a mark is forgotten again.
  size_t mark() const { return size_log_.size(); }
  void forget_since(size_t mark);
  // The same for definitions, where sizes that they are made of may be unknown again.
  size_t definitions() const { return defined_.size(); }
  void forget_definitions(size_t from, size_t to);
  void define(Var v, const Exp& e);                      // of an integer, a comparison of integers, or 0, 1 .. n-1
  // What a statement binds, where its checks hold: a remainder is less than its divisor. Uses of it come after the checks.
  void bind(const Stm& s);

  // Calls f with the bodies of a statement where what holds in them is known: of its indices and sizes, and of the condition of a branch.
  template <class S, class F> void in_bodies(S& s, F f) {
    size_t mark = enter(s.exp);
    if (auto choice = std::get_if<If>(&s.exp)) {
      for (bool holds : {true, false}) {
        size_t branch = assume(choice->cond, holds);
        std::vector<Chosen> chosen = indices_since(branch);
        f(holds ? choice->then_ : choice->else_);
        assumed_.resize(branch);
        for (const Chosen& x : chosen) unbounded(x);
      }
    } else {
      chosen_states(s);
      walk_parts(s, f);
    }
    assumed_.resize(mark);
  }

  std::optional<Affine> form(const Atom& a) const;     // none: has an unbounded variable
  bool nonnegative(const Affine& l) const;
  // Whether x < y, x <= y, x == y always or never; none if unknown.
  std::optional<bool> less(const Atom& x, const Atom& y) const;
  std::optional<bool> less_equal(const Atom& x, const Atom& y) const;
  std::optional<bool> equal(const Atom& x, const Atom& y) const;

 private:
  const Program& p_;
  VarSet size_, indexed_, not_negative_;
  std::vector<Var> size_log_;                            // members of size_ in the order of their discovery
  std::unordered_map<Var, Dim> counts_;                  // 0, 1 .. n-1
  struct Upper { Affine top; i64 divisor = 1; };         // divisor * index <= top
  std::unordered_map<Var, Affine> form_;                 // a definition as a linear form
  std::unordered_map<Var, Affine> wraps_;                // the same of what may wrap around: it holds where its value fits into the type
  std::unordered_map<Var, std::vector<Upper>> upper_;    // of an index: all hold
  std::unordered_map<Var, i64> lower_;                   // of an index whose least value is not 0
  std::unordered_map<Var, Range> range_;                 // of integers narrower than i64
  std::unordered_map<Var, std::array<Atom, 2>> products_;  // factors that are not negative
  std::unordered_map<Var, Affine> at_most_;              // of what is not bounded below
  std::unordered_map<Var, Affine> raised_;               // of max 0 x: x
  std::unordered_map<Var, std::array<std::vector<Affine>, 2>> tells_;  // what is not negative where a condition is false, true
  std::unordered_map<Var, Atom> checked_;                // by the check: the condition
  std::unordered_map<Var, std::unordered_map<Var, Apply>> waits_;      // for an unbounded variable, which may turn out to be a size: what is made of it
  std::vector<Var> defined_;                             // in order, some more than once
  std::vector<Affine> assumed_;                          // what is not negative here
  void size(Var n);
  void settle(Var n);                                    // n has a form
  void unsettle(Var n);
  void index(Var i, const Dim& n);                       // 0 <= i < n
  void runs(const Dim& n);                               // something runs n times: where it does n is not 0
  size_t enter(const Exp& e);                            // the scopes that it opens; how many assumptions there were before
  size_t assume(const Atom& condition, bool holds);
  struct Chosen { Var index; bool settled; };            // an opaque variable that is an index in a branch
  std::vector<Chosen> indices_since(size_t mark);        // by what was assumed since
  void unbounded(const Chosen& x);                       // it is opaque again
  void elements(const std::vector<Var>& inputs, const Lambda& f);
  void chosen_states(const Stm& s);                      // of a loop
  std::vector<Affine> apart(const Affine& difference) const;
  void condition(Var v, const If& x);
  void tells_all(Var v, bool value, const std::vector<Atom>& parts);
  void tells_opposite(Var v, const Atom& of);
  void choice(Var v, const Apply& select);
  void least(Var v, const Atom& x, const Atom& y);
  void largest(Var v, const Atom& x, const Atom& y);
  void remainder(Var v, const Atom& n);
  void quotient(Var v, const Atom& x, const Atom& y);
  void arithmetic(Var v, const Apply& x);
  void mask(Var v, const Atom& x, const Atom& y);
  void converted(Var v, const Convert& x);
  std::optional<Affine> largest_remainder(const Apply& x) const;
  void narrow(Var v, const Apply& x);
  void bounded(Var v, Affine top, i64 divisor = 1);
  void known_form(Var v, const Affine& l);
  bool fits(const Affine& l, Scalar type) const;
  std::optional<Affine> value(const Atom& a) const;      // its form, or the opaque variable; none: of another type than integers
  bool opaque(Var v) const { return !size_.contains(v) && !indexed_.contains(v); }
  std::optional<Range> range(const Atom& a) const;
  const std::vector<Upper>& uppers(Var v) const;
  bool not_negative(const Atom& a) const;
  std::optional<Affine> top(const Atom& a) const;        // a linear form that it does not exceed
  std::optional<Affine> top_of_sizes(Affine l) const;    // the same of a linear form, of sizes alone
  bool follows(const Affine& l, int depth) const;
  bool eliminated(const Affine& l, int depth) const;
  bool bounds_another(Var v, const Affine& l) const;
};

}  // namespace raido::ir
