// layout.h - index functions. They say where the elements of an array lie in its block, by an offset and one stride for
// each dimension, counted in elements. With them comes the arithmetic that slicing, permuting and reshaping need.
#pragma once
#include <map>

#include "compiler/ir/build.h"

namespace raido::ir {

// Emits i64 arithmetic: folded where constant, each sum or product once, and each at the outermost open body where its
// operands are in scope. So the strides of an array are the same atoms wherever they are computed, and loop invariant.
class Sizes {
 public:
  explicit Sizes(Program& p) : p_(p) {}
  void open(List<Stm>& body) { open_.push_back({&body, {}}); }   // statements are appended to `body` until close()
  void close() { open_.pop_back(); }
  void bound(Var v) { level_[v] = uint32_t(open_.size()); seen_.insert(v); }   // v is in scope in the innermost open body
  bool in_scope(const Atom& a) const { return !var_of(a) || seen_.contains(*var_of(a)); }
  // Bound in a body that was open inside the innermost open one.
  bool deeper(const Atom& a) const { return var_of(a) && level_[*var_of(a)] > open_.size(); }
  // The number of open bodies where `a` was bound, and that number for an open body itself.
  size_t level(const Atom& a) const { return var_of(a) ? level_[*var_of(a)] : 0; }
  size_t depth_of(const List<Stm>& body) const {
    for (size_t k = 0; k < open_.size(); k++) if (open_[k].body == &body) return k + 1;
    return 0;
  }
  void bound_at(Var v, size_t level) { level_[v] = uint32_t(level); seen_.insert(v); }
  void bound_outermost(Var v) { bound_at(v, 1); }
  Atom add(const Atom& a, const Atom& b) { return combine(ScalarOp::add, a, b); }
  Atom mul(const Atom& a, const Atom& b) { return combine(ScalarOp::mul, a, b); }

 private:
  using Key = std::pair<int, uint64_t>;   // variable or constant
  struct Open {
    List<Stm>* body;
    std::map<std::tuple<ScalarOp, Key, Key>, Atom> known;
  };
  Program& p_;
  std::vector<Open> open_;
  VarMap<uint32_t> level_;
  VarSet seen_;
  Atom combine(ScalarOp op, Atom a, Atom b);
};

std::vector<Atom> row_major(Sizes& sizes, std::vector<Dim> shape);
Atom volume(Sizes& sizes, std::vector<Dim> shape);
// What `at` (a prefix of the dimensions) selects.
Lmad sliced(Sizes& sizes, Lmad l, std::vector<Selector> at);
Lmad permuted(const Lmad& l, const std::vector<int>& dims);
// True if elements follow each other row by row without gaps. Dimensions of extent 1 do not matter.
bool is_row_major(Sizes& sizes, Lmad l, std::vector<Dim> shape);
// The same elements in the same order under another shape, where that is an index function.
std::optional<Lmad> reshaped(Sizes& sizes, Lmad l, std::vector<Dim> from, std::vector<Dim> to);
// The same elements in the same order, with every dimension joined with the one before it, unless there are gaps.
std::pair<Lmad, std::vector<Dim>> without_gaps(Sizes& sizes, const Lmad& l, const std::vector<Dim>& shape);
bool same_place(const Place& a, const Place& b);

}  // namespace raido::ir
