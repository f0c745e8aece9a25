// rule_sorted.h - the return sweep of a histogram on a device: elements in the order of their bins (rule_sorted.cc).
#pragma once
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

// What does not depend on adjoints is emitted by the constructor: a batch of seeds shares it.
class Sorted {
 public:
  // For devices, outside of parallel operations, operators on scalars, pointwise on rows or not. `olds`: the destinations before.
  static bool applies(const Scope& scope, const ir::Hist& op);
  Sorted(Scope& scope, const ir::Hist& op, const std::vector<ir::Var>& olds);
  void back(Scope& scope, const std::vector<ir::Var>& h_adj) const;

 private:
  const ir::Hist& op_;
  ir::Combine combine_;                        // of one cell
  std::vector<ir::Var> indices_, values_;      // of op_
  std::vector<ir::Dim> bins_, row_;            // its shape
  ir::Atom bin_count_, cell_count_;            // their sizes
  ir::Dim inside_;                             // elements that have a bin; of those, sorted:
  ir::Var bin_, element_, first_, last_;       // bin, index, whether they are the first and the last of their bin
  std::vector<ir::Var> left_, here_, right_;   // their values and what is before and after them in the bin; cells first

  ir::Var flat(ir::Builder& b, ir::Var xs, const ir::Atom& outer) const;
  // f of each cell of a row, which has its results in front; of scalars f once.
  template <class F> std::vector<ir::Var> cells(ir::Builder& b, F f) const;
  void sort(ir::Builder& b);
  void combine_segments(ir::Builder& b, const std::vector<ir::Var>& olds);
};

}  // namespace raido::ad
