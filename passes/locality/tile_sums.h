// tile_sums.h - where a nest of maps contracts, and how its sums are taken out of it.
//
// Three maps and their counters are a contraction if what they compute at each point is added up over one counter. Each pair of the two
// others has a sum of its own. There may be more maps, which make batches of contractions, or on devices count rows, columns or points
// together. There are two ways to write
// that. One is a reduction inside of two maps. In the other, which derivatives use, the innermost of three maps updates an
// accumulator. One counter has no part in the index of that update.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido {

// A statement inside of others: its number in the outermost body, and so on inwards.
using StmPath = std::vector<size_t>;

// A result of a costly statement in a map or in one inside of it, which points of the sum read. It becomes an array, made before.
struct NestValue {
  ir::Var var, made;
  size_t depth;                            // of the body that has the statement: 0 is the outermost
  size_t maps;                             // around it, without that of the points
  bool same = false;                       // in all iterations of the outermost map: the array has no dimension for it
};
// A sum over all points of such a nest, of a body that `path` begins in.
struct TileSum {
  StmPath path;                            // of the reduction or of the update
  ir::Seg tile;
  std::vector<NestValue> values = {};
  List<ir::Stm> before = {};           // makes the arrays of them
  std::vector<size_t> order = {};          // the maps of the tile's dimensions, without the last, if that is not the order of the maps
  List<ir::Stm> sizes = {};            // of dimensions that count several maps
  std::vector<ir::Dim> shape = {};         // of the sums, one for each map, if there are such dimensions
  std::vector<ir::Dim> extent = {};        // of the sums, in the order of the maps
  // Of an update only: the index, by the counters of the dimensions that the sums have. The scope of the accumulator is statement number
  // `scope` of the path, with so many maps around it.
  std::vector<size_t> kept = {};           // these dimensions, as numbers of maps
  ir::Body at = {};
  ir::Var token = {};
  size_t scope = 0, maps = 0;
  bool in_range = false;
};

// Rows, columns and points of a sum from which tiles pay.
std::array<i64, 3> least_tile(ir::Target target);

class TileSums {
 public:
  // `outside`: what stands around the body.
  TileSums(ir::Program& p, PassContext& c, const ir::Definitions& outside) : p_(p), c_(c), outside_(outside) {}

  // The first one in the body that pays, in the order of the program.
  std::optional<TileSum> first(ir::Body& whole);
  bool reads_points_in_order(const ir::Seg& tile) const;
  // Tiles compute its sums, and the nest does the rest.
  void take_out(ir::Body& whole, TileSum& found);

 private:
  ir::Program& p_;
  PassContext& c_;
  const ir::Definitions& outside_;

  ir::Body* whole_ = nullptr;
  ir::Definitions inside_;
  ir::VarSet bound_;                       // in the whole body
  std::vector<ir::Bind> counters_;         // of the maps, and of the sum

  bool search(ir::Body& b, StmPath& path, size_t maps, std::optional<TileSum>& found);
  bool of_reduction(const StmPath& path, std::optional<TileSum>& found);
  bool of_update(const StmPath& path, std::optional<TileSum>& found);
  std::optional<ir::Body> points(TileSum& c, std::vector<ir::Atom> wanted);
  std::optional<List<ir::Stm>> slice(TileSum& c, const ir::Body& b, size_t end, ir::VarSet& needed, size_t depth, size_t map);
  bool keep_value(TileSum& c, const ir::Stm& s, const ir::VarSet& needed, size_t depth, size_t maps, List<ir::Stm>& reads);
  bool elements(const ir::Screma& x, size_t map, ir::VarSet& needed, List<ir::Stm>& out, ir::Subst& counted);
  bool make_values(TileSum& c);
  std::optional<ir::Body> maker(const TileSum& c, const std::vector<NestValue>& values);
  bool pays(const ir::Seg& tile) const;
  bool arrange(TileSum& c, const std::vector<const ir::Screma*>& maps, std::vector<size_t> kept, size_t summed);
  bool arrange_together(TileSum& c, const std::vector<const ir::Screma*>& maps, const std::vector<size_t>& kept, const std::vector<size_t>& summed, unsigned last);
  void count_together(ir::Seg& tile, List<ir::Stm>& sizes, ir::Builder& digits, const std::vector<const ir::Screma*>& maps, const std::vector<size_t>& group);
  size_t most_maps() const;
  bool is_scalar_sum(const ir::Screma& x) const;
  bool counts(ir::Var array) const;
  std::vector<const ir::Screma*> maps_of(const StmPath& path) const;
  ir::Var expose(ir::Body& b, const StmPath& path, size_t from, size_t to, ir::Var v, ir::Var last = {});
  void pass_in(const std::vector<ir::Screma*>& maps, size_t first, size_t n, ir::Var array, ir::Bind element);
  void add_sums(ir::Body& whole, TileSum& c, ir::Builder& before, ir::Var sums, size_t home, const std::vector<ir::Screma*>& maps);
  bool is_whole(const TileSum& c, const ir::Dest& d) const;
};

}  // namespace raido
