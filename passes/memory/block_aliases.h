// block_aliases.h - level memory: which names of blocks may mean one block.
//
// What a function allocates is a block of its own. Results of calls and branches and states of loops may be any of those that are bound in
// the same way. Two states that begin apart and stay so are not. Nor is what an iteration allocates a block that was there before.
#pragma once
#include <algorithm>
#include <set>

#include "compiler/ir/ir.h"

namespace raido {

class BlockAliases {
 public:
  // `whole`: of the function.
  BlockAliases(const ir::Program& p, const ir::Body& whole) : p_(p) { find(whole); }

  bool may_be_others(ir::Var block) const { return aliased_.contains(block); }
  // Both are in scope at one place.
  bool may_be_one(ir::Var a, ir::Var b) const {
    return a == b || (aliased_.contains(a) && aliased_.contains(b) && !apart_.contains(std::minmax(a, b)) && !is_newer(a, b) && !is_newer(b, a));
  }

 private:
  const ir::Program& p_;
  ir::VarSet aliased_;                 // blocks that may be another one of them
  std::set<std::pair<ir::Var, ir::Var>> apart_;   // states of a loop, the first one first, that never are one block
  ir::VarSet allocated_;
  ir::VarMap<uint32_t> bound_;         // in the order of the text; 0: the function's parameters
  uint32_t last_ = 0;

  bool is_newer(ir::Var a, ir::Var b) const { return allocated_.contains(a) && bound_[b] < bound_[a]; }
  void bind(ir::Bind b) { bound_[b.var] = ++last_; }
  void find(const ir::Body& b);
  void find_apart(const ir::For& loop);
};

}  // namespace raido
