// lane_sums.h - arrays of a loop's state to whose elements the iterations only add.
//
//   for .. (acc = init) { .. let old = index acc [e]; let c = add [x, old]; let acc' = update acc [e] c .. in acc' }
//
// also where loops and branches inside hand the array on.
#pragma once
#include "compiler/ir/analysis/defs.h"

namespace raido {

class LaneSums {
 public:
  LaneSums(const ir::Program& p, const ir::Uses& uses, const ir::Body& body) : p_(p), uses_(uses), body_(body) {}

  // Whether nothing else is done with the k-th state, the array `state`. Then the arrays that it becomes are known here.
  bool follow(ir::Var state, const ir::Atom& result);
  bool contains(ir::Var array) const { return arrays_.contains(array); }
  const std::vector<const ir::ArrayType*>& places() const { return places_; }
  // The number of the first statement of the body that uses one of the states; beyond the last one if none does.
  size_t first_use() const;

 private:
  const ir::Program& p_;
  const ir::Uses& uses_;
  const ir::Body& body_;
  ir::VarSet arrays_;
  std::vector<ir::Var> states_;
  std::vector<const ir::ArrayType*> places_;

  struct Chain {
    ir::VarSet arrays;
    std::vector<ir::Var> order;
    size_t uses = 0;                    // that are known
    void add(ir::Var v) { arrays.insert(v); order.push_back(v); }
    bool has(const ir::Atom& a) const { auto v = ir::var_of(a); return v && arrays.contains(*v); }
  };
  bool body(Chain& c, const ir::Body& b) const;
  bool statement(Chain& c, const ir::Body& b, const ir::Stm& s) const;
  bool adds(const Chain& c, const ir::Body& b, const ir::Update& x) const;
};

}  // namespace raido
