// own_rows.cc - CPU: a row that an iteration reads again and again is copied, so that lanes have the elements of their rows side by side.
//
//   for i < n { .. for j < m { .. for k < d { .. a[i, k] .. } } }   ==>   for i < n { row = copy a[i]; .. for j < m { .. for k < d { .. row[k] .. } } }   W1
//
// Lanes run several iterations of the outer loop at once (passes/memory/lane_loops.h). The elements that they read then lie as far apart as the
// rows do. Gathering a vector of them takes as long as 16 to 40 operations. An array of an iteration has a part for each lane, with the
// lanes innermost. So the row is gathered once, and not for each j. Points whose distances to many others are compared are such rows.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "passes/parallel/long_loops.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class OwnRows {
 public:
  OwnRows(Program& p, PassContext& c) : p_(p), c_(c) {}

  // Loops of which several iterations may run side by side, outermost ones first.
  void body(Body& whole) {
    for (Stm& s : whole.stms) {
      auto loop = std::get_if<For>(&s.exp);
      auto task = std::get_if<Seg>(&s.exp);
      if (loop && is_map(*loop)) rows(loop->i.var, loop->n, loop->body, s);
      else if (task && task->level == SegLevel::Task && task->index.size() == 1) rows(task->index[0].var, task->extent[0], task->body, s);
      else walk_parts(s, [&](Body& inner) { body(inner); });
    }
  }

 private:
  Program& p_;
  PassContext& c_;

  // Each iteration makes its own element or row of each state, or adds to it in any order.
  bool is_map(const For& x) const {
    return std::ranges::all_of(x.state, [&](Bind b) { return is_array(p_.type(b.var)) || x.any_order; });
  }

  struct Loop {
    Var i;
    Dim n;
  };
  // Copies rows of arrays from outside that all iterations have, each its own.
  void rows(Var i, const Dim& n, Body& whole, const Stm& outer) {
    if (auto c = const_of(n); c && c->as_i64() < costs::cpu::lanes) return;
    bool has_long = false;
    for (const Stm& s : whole.stms) has_long = has_long || is_long_loop(p_, s.exp);
    if (!has_long) return;
    const VarSet inside = bound_in(outer);
    std::vector<Loop> loops;
    FlatMap<Var, Var> row_of;                            // array -> the copy of the iteration's row
    std::vector<Stm> copies;
    auto is_row = [&](const Index& x) {
      auto a = std::get_if<ArrayType>(&p_.type(x.array));
      if (!a || inside.contains(x.array) || x.at.size() != a->shape.size() || x.at.size() < 2 || a->shape[0] != n || bytes_of(a->elem) < 4) return false;
      if (x.at[0] != Selector(Atom(i))) return false;
      size_t first = loops.size();                       // of the loops whose counters it is read at
      for (size_t d = 1; d < x.at.size(); d++) {
        auto at = std::get_if<Atom>(&x.at[d]);
        auto found = std::ranges::find_if(loops, [&](const Loop& l) { return at && *at == Atom(l.i) && l.n == a->shape[d]; });
        if (found == loops.end()) return false;
        first = std::min(first, size_t(found - loops.begin()));
      }
      return first > 0;
    };
    auto visit = [&](auto& self, Body& b) -> void {
      for (Stm& s : b.stms) {
        if (auto x = std::get_if<Index>(&s.exp); x && s.checks.empty() && is_row(*x)) {
          if (!row_of.find(x->array)) {
            if (!c_.allow()) continue;
            List<Stm> made;
            Builder out(p_, made);
            out.source = s.source;
            const Var row = *var_of(out.index(p_.hint(x->array), x->array, {i}));
            row_of[x->array] = out.copy(row);
            for (auto& stm : made.take()) copies.push_back(std::move(*stm));
            c_.stats.count("own_rows.W1");
          }
          x->array = *row_of.find(x->array);
          x->at.erase(x->at.begin());
        }
        auto loop = std::get_if<For>(&s.exp);
        if (loop) loops.push_back({loop->i.var, loop->n});
        else if (std::holds_alternative<While>(s.exp)) loops.push_back({s.pattern[0].var, i64_const(-1)});
        walk_parts(s, [&](Body& inner) { self(self, inner); });
        if (kind_of(s.exp) == Kind::Loop) loops.pop_back();
      }
    };
    visit(visit, whole);
    if (copies.empty()) return;
    List<Stm> old = std::exchange(whole.stms, {});
    for (Stm& s : copies) whole.stms.push_back(std::move(s));
    for (auto& s : old.take()) whole.stms.push_back(std::move(*s));
  }
};

}  // namespace

void own_rows(Program& program, PassContext& context) {
  program.each_body([&](Body& b) { OwnRows(program, context).body(b); });
}

}  // namespace raido
