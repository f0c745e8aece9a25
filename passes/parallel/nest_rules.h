// nest_rules.h - the rules for single statements of a nest, and the counts that versions are chosen by (flatten.cc has the order).
#pragma once
#include "passes/parallel/nests.h"

namespace raido {

class NestRules : protected NestBuilder {
 protected:
  using NestBuilder::NestBuilder;

  // Each returns whether the rule took the statement.
  bool row_updated(MapNest& nest, ir::Stm& s);                          // F12
  bool asserted_before(const MapNest& nest, ir::Stm& s);                // F23
  // F9, of a row that the body updates afterwards. A fill needs no proof that the update has.
  bool filled_before(MapNest& nest, ir::Stm& s, const List<ir::Stm>& group, const std::vector<std::unique_ptr<ir::Stm>>& body);

  void updates_apart(const MapNest& nest, ir::Body& b);                 // F25
  // Where every use of the counter is n - 1 - i, the iterations are counted from the other end.
  void count_from_other_end(ir::For& x);
  // F28: the nest with the elements of the greatest row. In x those of each row become neutral from its end on.
  MapNest guarded_row(const MapNest& nest, const ir::Stm& s, ir::Screma& x);

  // What the width does not exceed, outside.
  ir::Dim bound(const ir::Dim& width);
  // Whether the nest has so many points that threads hide the latency of memory.
  ir::Term is_full(const std::vector<ir::Dim>& extent);
  // Whether flat code launches kernels in each of many iterations.
  bool iterates(const ir::Stm& s) const;
  bool iterates(const ir::Body& b) const;
  // How many elements there are for the threads of a point at once, in one iteration of loops. None if that is not known outside.
  std::optional<ir::Term> volume(const ir::Stm& s);
  std::optional<ir::Term> volume(const ir::Body& b);
  // F27: whether one thread makes the whole element of a reduction. Then there are many elements, each of a few others. The sum of a
  // single row is a number, which the CPU would read from one version or the other; and its elements are few beside what they are made of.
  std::optional<ir::Term> alone(const MapNest& inner, const ir::Screma& x);

 private:
  // The loop that accumulates what the map does, if light statements make the values and nothing else is in it.
  std::optional<ir::Stm> updates_of(const MapNest& nest, const ir::Stm& s, const ir::Screma& x);
};

}  // namespace raido
