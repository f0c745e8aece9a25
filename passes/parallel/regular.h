// regular.h - what in a nest of maps varies from point to point, and which of its statements are worth kernels of their own.
#pragma once
#include <optional>
#include <vector>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/transform.h"

namespace raido {

bool is_costly(ScalarOp op);                  // more than a few cycles: functions, powers; not divisions, mostly of indices

class Regular {
 public:
  explicit Regular(const ir::Program& p);     // learns of counters and of what is updated in place

  bool sequential = false;                    // nothing inside a nest is parallel

  void enter(const ir::Stm& s);               // a nest begins: what is bound inside varies
  void add(ir::Var v) { local_.insert(v); }
  template <class X> void add(const X& x) { ir::each_bind(x, [&](ir::Var v) { local_.insert(v); }); }
  void remove(ir::Var v) { local_.erase(v); } // a counter of a loop that now stands outside

  bool varies(ir::Var v) const { return local_.contains(v); }
  bool varies(const ir::Atom& a) const { return ir::var_of(a) && varies(*ir::var_of(a)); }
  bool varies(const std::vector<ir::Dim>& dims) const;
  bool has_varying_shape(const ir::Type& t) const;
  bool has_varying_shape(const std::vector<ir::Bind>& binds) const;

  // What every kernel of the nest may compute again, after so many operations of this kind. An element of an array that is
  // updated later may not.
  bool is_light(size_t operations, const ir::Stm& s) const;
  // Whether s is worth segs of its own inside a nest, and can have them.
  // in_loop: only where it would be worth launches in each iteration of a loop.
  bool is_parallel(const ir::Stm& s, bool in_loop = false) const;
  bool contains_parallel(const ir::Body& b, bool in_loop = false) const;
  bool updates_outside(const ir::Body& b) const;   // accumulators of a scope around the nest

  bool accumulates_only(const ir::For& x) const;
  // What the length of a loop does not exceed, if something from outside is known: a counter's own limit.
  std::optional<ir::Dim> bound_of(ir::Dim n) const;
  // The same of any number of counters, such as n - i: a form of what is known outside.
  std::optional<ir::Affine> bound_of_form(const ir::Dim& n) const;
  const ir::Forms& forms() const { return forms_; }
  // What has been asserted of the lengths of those inputs that count, where it stands outside. A counter in place of an element needs nothing else.
  std::vector<ir::Var> asserted_lengths(const std::vector<ir::Var>& inputs) const;
  // The same wherever it stands.
  std::vector<ir::Var> all_asserted_lengths(const std::vector<ir::Var>& inputs) const;

 private:
  const ir::Program& p_;
  ir::Aliases aliases_;
  ir::VarSet local_;                          // bound inside the nests
  ir::VarSet modified_;                       // arrays that a nest updates in place, as roots
  ir::Forms forms_;
  ir::VarMap<std::optional<ir::Dim>> limit_;  // a counter: what it stays below
  ir::VarMap<std::vector<ir::Var>> proofs_;   // of arrays that count

  template <class X> bool any_varies(const X& x) const;
  bool reduces_varying_row(const ir::Screma& x) const;
  bool vary(const std::vector<ir::Dest>& dests) const;
};

}  // namespace raido
