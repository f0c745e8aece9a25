// contraction.h - what a nest of maps and sums computes, where that is a sum of products of elements of arrays:
//
//   r[i, j] = sum over k of a[i, k] * b[k, j]
//
// or of a nest of maps that adds such elements to zeros, at the letters of the result:
//
//   with_acc [zeros] (add) \acc -> map over k of map over j of upd acc [j] (a[k] * b[k, j])
//
// A Contraction says it by the letters i, j, k. Its tree says in which order the products are taken, and which letters are summed
// over where.
#pragma once
#include <memory>
#include <optional>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/zeros.h"

namespace raido {

using Letter = size_t;

struct Product {                               // a factor, or the product of two of them, summed over some letters
  ir::Var array;                               // of a factor: array[at[0], at[1], ..]; a scalar has no letters
  std::vector<Letter> at;
  std::shared_ptr<const Product> left, right;  // of a product
  std::vector<Letter> sums;
  bool is_factor() const { return !left; }
};
using ProductRef = std::shared_ptr<const Product>;

struct Contraction {
  ProductRef tree;
  std::vector<Letter> result;                  // the letters of the dimensions of the result
  std::vector<size_t> parts;                   // the statements of the body that it was put together from
  std::vector<ir::Var> checks;                 // what they wait for
};

// All arrays 0, 1, 2, ..
ir::VarSet counting_arrays(const ir::Program& p);

// Reads the statements of one body in order.
class Contractions {
 public:
  Contractions(const ir::Program& p, const ir::Body& body, const ir::VarSet& counting, const ir::Zeros& zeros);
  // What statement number k computes, as far back as nobody else uses what it is made from; none if that is anything else.
  std::optional<Contraction> read(size_t k);
  const ir::Dim& extent(Letter l) const { return extents_[l]; }

 private:
  const ir::Program& p_;
  const ir::Body& body_;
  const ir::VarSet& counting_;
  const ir::Zeros& zeros_;
  std::vector<ir::Dim> extents_;
  std::unordered_map<ir::Var, Contraction> known_;       // of values that only one place uses
  std::unordered_map<ir::Var, Letter> counters_;         // parameters that are indices
  ir::Uses uses_;
  ir::VarSet local_;                                     // bound in the nest that is being read
  std::vector<size_t> parts_;
  std::vector<ir::Var> checks_;

  Letter letter(const ir::Dim& extent) { extents_.push_back(extent); return extents_.size() - 1; }
  std::optional<Contraction> statement(const ir::Stm& s);
  std::optional<Contraction> screma(const ir::Screma& x);
  std::optional<Contraction> scope(const ir::WithAcc& x);
  std::optional<Contraction> updates(const ir::Body& b, ir::Var acc, std::vector<Letter> around, const ir::Dest& dest);
  bool read_inside(const ir::Screma& x, Letter l);
  bool wait_outside(const ir::Stm& s);
  bool is_local(const ir::Dim& d) const;
  std::optional<Contraction> value(const ir::Atom& a);
  Contraction at_letter(Contraction c, Letter l);
  ProductRef renamed(const ProductRef& t, const std::unordered_map<Letter, Letter>& to);
  ProductRef anew(const ProductRef& t);
};

// The factors of a tree from left to right.
void each_factor(const ProductRef& t, const std::function<void(const Product&)>& f);

}  // namespace raido
