// values_after.h - the values of a loop's iterations, told to code that follows the loop (time_sums.cc).
#pragma once
#include <unordered_map>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/term.h"

namespace raido {

using Around = std::vector<ir::Stm*>;                      // maps and scopes, from the outermost

// The maps among them, and how wide these are.
std::vector<const ir::Stm*> maps_of(const Around& around);
std::vector<ir::Dim> widths(const Around& around);
// The number of the result.
std::optional<size_t> result_of(const ir::Body& b, const ir::Atom& a);
// Whether each of its accumulators is one of one array. Then results of the scope are those of its statement.
bool single(const ir::WithAcc& scope);

// A value is followed back through the steps of the innermost map, and through maps that make an array whose element it is. This ends at elements
// of arrays that are there after the loop, and at what the loop keeps: an array of its states, or of values of its maps, with a row for each iteration.
// What is kept lacks a dimension of the code that asks. It is as large as rows of arrays that the loop goes through, up to a factor.
class ValuesAfter {
 public:
  // The loop is x, in s.
  ValuesAfter(ir::Program& p, const ir::Aliases& aliases, const ir::Forms& forms, ir::Stm& s, ir::For& x);

  // Whether the loop goes through arrays. Else it is not known that its number of iterations is a size.
  bool has_rows() const { return !rows_.empty(); }
  // Whether it goes through them from the last row to the first.
  bool goes_back() const { return back_; }
  bool outside(const ir::Atom& a) const { auto v = ir::var_of(a); return !v || !inside_.contains(*v); }

  // A point of a nest of maps after the loop, over the iterations and the dimensions of an update.
  struct Point {
    ir::Builder& b;
    std::vector<ir::Dim> dims;                             // of the nest, without the iterations
    std::unordered_map<const ir::Stm*, ir::Atom> counter = {};   // of maps
    ir::Atom row;                                          // the number of the row of this iteration
    std::vector<ir::Var> counters;                         // of the nest, the iterations' first
    std::optional<ir::Atom> both = {};                     // the number of a row where iterations and sequences are one dimension
    bool along = false, failed = false;                    // along: only what is kept already
    std::unordered_map<ir::Var, ir::Atom> known = {};
  };
  // The value there of a number that an iteration computes. `at` fails if it cannot be told.
  ir::Atom scalar(Point& at, const ir::Atom& a);

  struct Kept {
    ir::Var value, array;                                  // array: what the loop returns
    Around around;
  };
  struct Needed {
    std::vector<Kept> kept;
    std::vector<std::pair<ir::Var, ir::Var>> views;        // arrays, and their names where iterations and sequences are one dimension
    std::optional<ir::Dim> sequences;                      // their number
  };
  Needed needed;                                           // by all values that have been told
  ir::Dim both();                                          // the number of iterations times that of sequences

 private:
  struct Place {
    Around around;
    ir::Stm* made;                                         // none: a parameter of the last of these, or a state
    size_t number;                                         // of the result, or of the parameter
  };

  ir::Program& p_;
  const ir::Aliases& aliases_;
  const ir::Forms& forms_;
  ir::For& x_;
  ir::VarSet inside_;
  bool back_ = false;
  std::vector<std::vector<ir::Dim>> rows_;                 // the shapes of states, and of rows of arrays with one for each iteration
  std::unordered_map<ir::Var, Place> places_;
  std::optional<ir::Var> both_;

  ir::Affine from_last() const { return forms_.of(x_.n) - ir::Affine(1) - ir::Affine(x_.i.var); }
  void find(ir::Body& b, const Around& around);            // where variables are bound
  ir::Atom fail(Point& at);
  ir::Atom iteration(Point& at);
  // Whether a value that has these dimensions lacks one of the nest.
  static bool smaller(std::vector<ir::Dim> dims, const Point& at);
  // How many rows of arrays that are there have as many elements.
  std::optional<int64_t> like_rows(std::vector<ir::Dim> dims) const;
  bool fits(const std::vector<ir::Dim>& dims) const;
  std::vector<ir::Dim> row_of(const Kept& kept) const;
  // Made of what is there after the loop by steps and reads, once for each of few points.
  bool available(const ir::Atom& a) const;
  ir::Atom made_scalar(Point& at, ir::Var v);
  // Steps from one element of an array that is not there after the loop: it is as well to keep that, which further steps may need.
  bool of_one(const ir::Stm& s) const;
  // The value is a result of the map around it, and the loop keeps the map's whole result.
  std::optional<ir::Atom> kept_result(Point& at, ir::Var v, const Place& place);
  // The map or scope around returns the value: this is the name that it has after that.
  std::optional<ir::Var> result_around(ir::Var v) const;
  bool is_kept(ir::Var v) const;
  ir::Atom read_part(Point& at, const ir::Index& x, const std::vector<ir::Atom>& inner);
  // The element of an array. The indices are values after the loop.
  ir::Atom element(Point& at, ir::Var array, const std::vector<ir::Atom>& index);
  // What is kept of a value of the loop, and of the maps around it in each of their points.
  ir::Atom keep(Point& at, ir::Var v, std::vector<ir::Atom> index);
  bool may_be_consumed(ir::Var v) const;
  ir::Atom read(Point& at, ir::Var array, std::vector<ir::Atom> index);
};

}  // namespace raido
