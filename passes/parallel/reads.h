// reads.h - how the places that a reduction inside a map reads and updates move with both indices.
#pragma once
#include "compiler/base/flat_map.h"
#include "compiler/ir/ir.h"

namespace raido {

class Reads {
 public:
  // `views`: what makes an array outside, if that is a view or an iota.
  Reads(const ir::Program& p, const ir::VarMap<const ir::Exp*>& views) : p_(p), views_(views) {}

  // Whether the elements that `reduce` reads would be neighbours in the map. `at`: where in the map it stands.
  bool gain(const ir::Screma& map, const ir::Screma& at, const ir::Screma& reduce);
  // After `gain`: whether all updates have places that the map's index does not change, and the reduction's does.
  bool updates_rows() const { return own_rows_; }

 private:
  enum class Stride : uint8_t { None, Next, Far };       // not at all, to the neighbour, further (or it is not known how far)
  using Strides = std::vector<Stride>;                   // for the map, the reduction, the reductions inside

  const ir::Program& p_;
  const ir::VarMap<const ir::Exp*>& views_;
  FlatMap<ir::Var, Strides> moves_;                      // where an array begins; by how much an integer grows
  FlatMap<ir::Var, Strides> order_;                      // of a parameter or a view inside: the steps along its dimensions
  int next_ = 0, far_ = 0;
  bool own_rows_ = true;                                 // see updates_rows
  bool plain_ = true;                                    // nothing but arithmetic, reads, updates of accumulators, reductions

  static Stride sum(Stride a, Stride b) { return a == Stride::None ? b : b == Stride::None ? a : Stride::Far; }
  static Strides left(const Strides& dims, const std::vector<ir::Selector>& at);
  Strides order(ir::Var v);
  Stride moves(const ir::Atom& a, size_t depth);
  void set(ir::Var v, size_t depth, Stride s);
  void read(ir::Var place, size_t depth);
  void enter(const ir::Screma& x, size_t depth);
  void statement(const ir::Stm& s, size_t depth);
};

}  // namespace raido
