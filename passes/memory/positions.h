// positions.h - where elements lie in their blocks. Two ways to one element, as row i of an array at j and the array at [i, j], are seen to be one.
#pragma once
#include <map>
#include <unordered_map>

#include "compiler/ir/ir.h"

namespace raido {

// Level memory. A position is a sum of products of variables, with what defines them put in their place. Sums and products of i64 wrap around, and so
// do positions: equal sums are equal numbers.
class Positions {
 public:
  Positions(const ir::Program& p, const ir::Body& whole);

  // Whether both elements are one, if the blocks are. False if it is not known.
  bool same(const ir::Lmad& a, const std::vector<ir::Selector>& at, const ir::Lmad& b, const std::vector<ir::Selector>& there) const;

 private:
  using Sum = std::map<std::vector<ir::Var>, uint64_t>;      // factors of products, in order of their variables
  std::unordered_map<ir::Var, ir::Apply> made_;              // sums, differences and products

  std::optional<Sum> of(const ir::Atom& a, int depth) const;
  std::optional<Sum> of(const ir::Lmad& layout, const std::vector<ir::Selector>& at) const;
};

}  // namespace raido
