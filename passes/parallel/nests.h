// nests.h - nests of maps on their way to grid segs (flatten.cc): code over a nest, and arrays of what its points hold.
//
// A nest is a list of index variables with extents that do not vary inside it, and a prefix: light statements (elements,
// views, cheap arithmetic, assertions) that every point of the nest repeats.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/build.h"
#include "compiler/ir/term.h"
#include "passes/parallel/regular.h"
#include "passes/pass.h"

namespace raido {

struct MapNest {
  std::vector<ir::Bind> index;
  std::vector<ir::Dim> extent;
  List<ir::Stm> prefix;
  ir::Subst accs;                             // an accumulator's name inside -> its present version outside
  ir::VarSet fresh;                           // arrays over the nest that the body at hand has made
  std::vector<ir::Var> proofs;                // that its segs need
  size_t operations = 0;                      // arithmetic in the prefix
};

class NestBuilder {
 protected:
  NestBuilder(ir::Program& p, PassContext& c) : p_(p), c_(c), regular_(p) {}

  ir::Program& p_;
  PassContext& c_;
  ir::Builder* out_ = nullptr;                // where segs and what stands around them go
  Regular regular_;
  bool irregular_ = false;                    // something varies that may not: the nest is taken back

  static std::vector<ir::Atom> at(const MapNest& nest);
  static void add(MapNest& nest, ir::Stm s);
  static void add_checks(ir::Body& b, const std::vector<ir::Var>& checks);
  // In the nest, `v` is what `made` holds at its point.
  void name(MapNest& nest, ir::Var v, const ir::Atom& made, ir::Source source);
  void name_all(MapNest& nest, const std::vector<ir::Bind>& pattern, const std::vector<ir::Atom>& made, ir::Source source);
  // One more dimension; `params` are the elements of `inputs` there.
  MapNest extended(const MapNest& nest, const ir::Dim& width, const std::vector<ir::Var>& inputs, const std::vector<ir::Bind>& params,
                   const ir::Stm& s);
  ir::Var fresh_index();

  // What the results need of the prefix and then `group`, as a lambda of its own over the nest.
  ir::Lambda code(const MapNest& nest, const List<ir::Stm>& group, const std::vector<ir::Atom>& results);
  // F0: one seg map; its results are arrays over the nest, accumulators their new versions.
  std::vector<ir::Atom> points(const MapNest& nest, const List<ir::Stm>& group, const std::vector<ir::Atom>& results);
  // Each atom as an array over the nest that nobody else knows; accumulators as they are outside.
  std::vector<ir::Atom> over_nest(const MapNest& nest, const std::vector<ir::Atom>& atoms, const List<ir::Stm>& group = {});
  // The destinations of all points together.
  std::vector<ir::Dest> over_nest(const MapNest& nest, const std::vector<ir::Dest>& dests);
  // F9: what an array is made of whose elements are there before the group, or little work.
  std::optional<ir::Atom> spread_from(const ir::Stm& s, const List<ir::Stm>& group) const;
  // An array over the nest of copies of `from`, a scalar or an array, with a point for each element.
  ir::Atom spread(const MapNest& nest, const ir::Atom& from, const std::vector<ir::Dim>& shape, const List<ir::Stm>& group = {},
                  const std::vector<ir::Var>& checks = {});

  // If v is the part of an array from outside at the nest's point: that array.
  std::optional<ir::Var> whole(const MapNest& nest, ir::Var v) const;

  // F24: whether rows of such extents have no elements, which then check nothing that the code asserts for each point. None if that cannot be.
  std::optional<ir::Term> checks_nothing(const List<ir::Stm>& code, const std::vector<ir::Dim>& extent) const;

  std::vector<std::string> hints_of(const std::vector<ir::Atom>& atoms) const;
  ir::Type element_type(const ir::Atom& array, const MapNest& nest) const;

 private:
  ir::Atom copied(const MapNest& nest, ir::Var v);
};

}  // namespace raido
