// affine.h - indices and sizes as sums, constant + factor * variable + .., and the questions that are asked of them.
//
// What a form says holds modulo 2^64 for any values of its variables, so equal forms are equal values. It holds of integers where
// nothing wraps around: for small forms of sizes and indices. Every question but equality asks about integers, so its forms have
// to be small. Answers are proofs: true means that it is so, false that it is not known.
//
// An access is a nest of counters and the cell that each of its points reads or writes. Pairs of accesses are asked whether two
// points may have the same cell, which is the question after parallel stores, tiles and gathers. Each such question asks whether
// some constraints have a solution: elimination answers at once where it can, and ISL answers the rest (integer_sets.h).
#pragma once
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/base/small_vector.h"
#include "compiler/ir/ir.h"

namespace raido::ir {

struct Affine {
  struct Term {
    Var var;
    i64 factor;
    friend bool operator==(const Term&, const Term&) = default;
  };
  i64 constant = 0;
  SmallVector<Term, 4> terms;          // in the order of their variables; no factor is 0

  Affine() = default;
  Affine(i64 c) : constant(c) {}
  explicit Affine(Var v) : terms{{v, 1}} {}
  bool is_constant() const { return terms.empty(); }
  i64 factor(Var v) const;             // 0: it has no such term
  // Adds a multiple of another form, modulo 2^64.
  void add(const Affine& other, i64 times = 1);
  Affine without(Var v) const;
  // The numbers in it are so small that no form of a few sizes and indices wraps around. Nor does a product of two such numbers.
  bool is_small() const;
  friend bool operator==(const Affine& a, const Affine& b) {
    return a.constant == b.constant && std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end());
  }
};
inline Affine operator+(Affine a, const Affine& b) { a.add(b); return a; }
inline Affine operator-(Affine a, const Affine& b) { a.add(b, -1); return a; }
Affine operator*(i64 k, Affine a);
template <class F> bool any_term(const Affine& a, F holds) {
  for (const Affine::Term& t : a.terms) if (holds(t.var)) return true;
  return false;
}

// The forms of the i64 variables of a program, or of what a walk has met: sums, differences, negations, multiples and other names
// are looked through, and every other variable stands for itself. They stay as they are when statements move.
class Forms {
 public:
  Forms() = default;
  explicit Forms(const Program& p);
  void define(const Program& p, const Stm& s);
  void define(Var v, Affine form) { known_.insert_or_assign(v, std::move(form)); }
  Affine of(const Atom& a) const;
  bool counts(Var array) const { return counting_.contains(array); }   // 0, 1, 2, ..

 private:
  std::unordered_map<Var, Affine> known_;
  VarSet counting_;
};

// What is known, and what is asked: whether integers exist for which all `zero` are 0 and no `not_negative` is negative.
struct Constraints {
  std::vector<Affine> zero, not_negative;
};
// Whether there are none, by elimination of one variable after the other. The numbers may be of any size.
bool eliminated(const Constraints& c);

// ---- Accesses ----

struct Counter {                       // 0 <= var < count
  Var var;
  std::optional<Affine> count;         // may depend on the counters around; none: not known
};
using Nest = std::vector<Counter>;     // from the outermost inwards; each variable once
struct Access {
  Nest nest;
  // By dimension of the array, in counters and in what is the same at all points; none: any place there.
  std::vector<std::optional<Affine>> at;
};
// What is known of variables that are the same at all points: sizes are far from overflow and not negative. Of other variables
// anything may be true, also that sums of them wrap around: they only help where they cancel out.
struct Known {
  VarSet sizes;
  std::vector<Affine> not_negative;    // of sizes
  bool exactly = true;                 // ISL is asked where elimination does not answer
};

// The form, if it is one of counters of the nest and of what is bound outside. `inside`: what the outermost counted operation binds.
std::optional<Affine> form_in(const Nest& nest, const VarSet& inside, const Atom& a, const Forms& forms);
// Adds the counters of a loop, of a seg, and of a map over 0, 1, 2, .. (whose parameter is its counter). Another screma or hist has
// a counter without a name in the program: no form depends on it.
void add_counters(Nest& nest, const VarSet& inside, const Exp& e, const Forms& forms);
// The access of an array in the nest.
Access access(Nest nest, const VarSet& inside, const std::vector<Atom>& at, const Forms& forms);
Access access(Nest nest, const VarSet& inside, const std::vector<Selector>& at, const Forms& forms);

// How far a form moves in each step of the counter, if it is a fixed number. `varies`: what is no counter and changes with it.
template <class Varies> std::optional<i64> stride(const Affine& form, Var counter, Varies varies) {
  if (any_term(form, [&](Var v) { return v != counter && varies(v); })) return {};
  return form.factor(counter);
}

// The largest and the smallest value of a form over all points of the nest, in what is no counter of it. The nest has points.
std::optional<Affine> largest(Affine form, const Nest& nest);
std::optional<Affine> smallest(const Affine& form, const Nest& nest);

// The cells of one dimension over all points of the inner counters: first, first + step, .. up to last at most. Step 0: one cell.
struct Span {
  Affine first, last;
  i64 step = 0;
};
// For each dimension, over the counters from number `from` on: a box that has all cells. None where the place is not known.
std::vector<std::optional<Span>> footprint(const Access& a, size_t from);

// Whether the cell is the same at all points that differ in this counter only.
bool is_invariant(const Access& a, Var counter);

// How a point of one access lies to a point of another, by the first counters, which both nests share: the first that differs decides.
enum Order : uint8_t { Earlier = 1, Together = 2, Later = 4, Apart = Earlier | Later, Anyhow = 7 };
// Whether no point of `a` and point of `b` that lies so to it (`b` earlier, together, later) have the same cell. `shared`: the number
// of shared counters; the others of one are independent of those of the other.
bool disjoint(const Access& a, const Access& b, size_t shared, Order order, const Known& known);
// Whether no two points of the nest have the same cell.
bool is_injective(const Access& a, const Known& known);

// How far J, a point of `a`, lies from I, a point of `b`, where both have the same cell: J - I by shared counter.
struct Distance {
  bool never = false;                  // they never have the same cell
  std::vector<std::optional<i64>> exactly, at_most;
};
Distance distance(const Access& a, const Access& b);

}  // namespace raido::ir
