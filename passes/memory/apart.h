// apart.h - finds straight loops whose iterations C compilers may run in any order, as vectors: none reads or stores an element that
// another one stores.
#pragma once
#include "passes/memory/block_aliases.h"
#include "passes/memory/positions.h"

namespace raido {

// Level memory. A C compiler that cannot prove this compares addresses before the loop: those of each array that is stored with those of
// each other array. If there are more than a few such pairs, it makes no vectors. Only these loops are found here (decision 055).
class ApartLoops {
 public:
  // `whole`: of the function.
  ApartLoops(const ir::Program& p, const BlockAliases& aliases, const ir::Body& whole);

  bool has(const ir::For& loop) const;
  bool has(const ir::Stm& s, const ir::Seg& task) const;

 private:
  class Iterations;

  const ir::Program& p_;
  const BlockAliases& aliases_;
  Positions positions_;
  std::unordered_map<ir::Var, ir::Place> written_;         // by token of an accumulator whose updates overwrite: where the array lies
};

}  // namespace raido
