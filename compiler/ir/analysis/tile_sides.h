// tile_sides.h - what of a contraction belongs to its rows, what to its columns, and what to both.
//
//   seg tile (i < n, j < m, k < q) { let x = a[i, k] let y = b[k, j] let z = x * y in z } reduces (add [0])
//
// x is of the rows: it is the same for all columns. y is of the columns. Only z is needed at each of the n m q points. So a tile of r rows
// and c columns reads r + c numbers for r c operations. Which side a statement is on follows from the indices that it varies on.
// Indices before these three belong to a batch of contractions.
#pragma once
#include "compiler/ir/ir.h"

namespace raido::ir {

class TileSides {
 public:
  enum Varies : uint8_t { Rows = 1, Columns = 2, Depth = 4 };          // with the last index but two, the last but one, the last
  enum class Side : uint8_t { Rows, Columns, Both };                   // what varies on neither is of the rows

  TileSides(const Program& p, const Seg& x) {
    for (size_t d = 0; d < 3; d++) varies_[x.index[x.index.size() - 3 + d].var] = uint8_t(1 << d);
    for (const Stm& s : x.body.stms) {
      uint8_t all = of(p, s);
      for (Bind b : s.pattern) varies_[b.var] = all;
    }
  }
  uint8_t of(Var v) const { return varies_[v]; }
  // A place in memory varies with what its layout says.
  uint8_t of(const Program& p, const Stm& s) const {
    uint8_t all = 0;
    each_use(p, s, [&](Var v) { all |= varies_[v]; });
    return all;
  }
  // Scalars of this side that statements on both sides and the sums use: what a tile keeps of it.
  std::vector<Var> operands(const Program& p, const Seg& x, Side side) const {
    VarSet made, seen;
    std::vector<Var> found;
    for (const Stm& s : x.body.stms) for (Bind b : s.pattern) made.insert(b.var);
    auto use = [&](Var v) {
      if (this->side(of(v)) == side && made.contains(v) && is_scalar(p.type(v)) && !seen.contains(v)) {
        seen.insert(v);
        found.push_back(v);
      }
    };
    for (const Stm& s : x.body.stms) {
      if (this->side(of(p, s)) != Side::Both) continue;
      each_use(p, s, use);
      if (auto read = std::get_if<Index>(&s.exp)) each_use(p, std::get<ArrayType>(p.type(read->array)), use);
    }
    for (const Atom& a : x.body.result) if (auto v = var_of(a)) use(*v);
    return found;
  }
  static Side side(uint8_t varies) { return !(varies & Columns) ? Side::Rows : !(varies & Rows) ? Side::Columns : Side::Both; }

 private:
  VarMap<uint8_t> varies_;
};

}  // namespace raido::ir
