// seg_updates.h - what rules for the updates of a grid seg share: where an update stands, what it adds at a point, and the seg without it.
#pragma once
#include <vector>

#include "compiler/ir/build.h"
#include "passes/pass.h"

namespace raido {

// Where an update stands: the number of a statement in each body from the seg's inwards, and the branch taken there.
struct PathStep {
  size_t statement;
  bool then_ = false;
};
using Path = std::vector<PathStep>;

class SegUpdates {
 protected:
  SegUpdates(ir::Program& p, PassContext& c) : p_(p), c_(c) {}

  ir::Program& p_;
  PassContext& c_;
  ir::VarMap<std::optional<ir::Dest>> dests_;         // by token

  static bool is_map(const ir::Seg& x) {
    return x.reduces.empty() && x.scans.empty() && x.post_reduces.empty() && x.dests.empty() && x.post.body.result.empty();
  }
  const ir::AccType& acc_type(const ir::Atom& a) const { return std::get<ir::AccType>(p_.type(*ir::var_of(a))); }
  // The version of v's accumulator that the seg begins with.
  ir::Var outside(const ir::Seg& x, ir::Var v) const;
  // The operator of numbers that the update combines with its cell.
  const ir::Combine* operator_of(const ir::AccUpdate& u) const;

  static std::vector<Path> updates_of(const ir::Seg& x);
  template <class B> static auto& at(B& b, const Path& path, size_t depth = 0) {
    auto& s = b.stms[path[depth].statement];
    if (depth + 1 == path.size()) return s;
    auto& x = std::get<ir::If>(s.exp);
    return at(path[depth].then_ ? x.then_ : x.else_, path, depth + 1);
  }
  // The update is left out.
  void pass_on(ir::Seg& x, const Path& path);
  // Accumulators that the seg does not update are no results of it: `names` says what they are. Returns whether it has no other results.
  bool drop_idle(ir::Stm& s, ir::Seg& x, ir::Subst& names);
  bool updates(const ir::Seg& x, ir::Var token) const;

  // What updates contribute at a point: their values, or neutral elements where a branch leads past them. Those in one branch come from one.
  struct Wanted { const Path* path; const ir::Combine* op; };
  ir::Body values_at_point(const ir::Seg& x, const std::vector<Wanted>& wanted);
  // Whether the code has loops, makes arrays or consumes them: it is too much to be there twice.
  static bool is_heavy(const ir::Body& b);

 private:
  static void find(const ir::Body& b, Path& here, std::vector<Path>& all);
  ir::Body value_code(const ir::Body& b, const std::vector<Wanted>& wanted, size_t depth);
  static size_t count(const std::vector<Wanted>& wanted, const std::vector<size_t>& which);
  ir::Body branch_code(const ir::Body& b, const std::vector<Wanted>& wanted, const std::vector<size_t>& inside, const std::vector<size_t>& others, size_t depth);
};

}  // namespace raido
