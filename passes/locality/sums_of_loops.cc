// sums_of_loops.cc - sums in loops that need nothing of other iterations, in maps before the loops.
//
//   for i < n (s) { let x = reduce k op (\j -> f i j) in g s x }   ==>   let xs = map n (\i -> reduce k op (\j -> f i j))
//                                                                        for i < n (s) { let x = xs[i] in g s x }                    tiles.loop
//
// So the search for the nearest of some points, written as a loop, has a contraction: all distances of all points. Only tiles are worth
// the array of the sums, so only the version with tiles has it.
#include "passes/locality/sums_of_loops.h"

#include <algorithm>

#include "compiler/ir/analysis/traits.h"

namespace raido {
using namespace ir;
namespace {

class SumsOfLoops {
 public:
  SumsOfLoops(Program& p, const Body& nest, Builder& before) : p_(p), before_(before), bound_(bound_in(nest)) {}

  bool body(Body& b) {
    bool any = false;
    for (size_t k = 0; k < b.stms.size(); k++) {
      walk_parts(b.stms[k], [&](Body& inner) { any = body(inner) || any; });
      auto loop = std::get_if<For>(&b.stms[k].exp);
      if (!loop) continue;
      List<Stm> maps = maps_before(*loop, b.stms[k]);
      const size_t count = maps.size();
      any = any || count > 0;
      b.stms.splice(k, std::move(maps));
      k += count;
    }
    return any;
  }

 private:
  Program& p_;
  Builder& before_;
  VarSet bound_;                                         // in the nest

  bool is_sum(const Stm& s) const {
    auto x = std::get_if<Screma>(&s.exp);
    if (!x || !s.checks.empty() || !s.attrs.empty() || !identity_post(*x) || x->reduces.size() != 1 || !x->scans.empty() || !x->post_reduces.empty()) return false;
    auto width = var_of(x->width);
    return x->pre.body.result.size() == 1 && x->reduces[0].shape.empty() && scalar_operator(p_, x->reduces[0]) && !(width && bound_.contains(*width));
  }
  // Arithmetic and views, which a map may do again.
  static bool is_simple(const Stm& s) {
    const bool step = is_step(s.exp) && !std::holds_alternative<Tunable>(s.exp);
    return s.checks.empty() && s.attrs.empty() && (step || std::holds_alternative<Index>(s.exp) || std::holds_alternative<Permute>(s.exp));
  }
  List<Stm> maps_before(For& loop, const Stm& s) {
    List<Stm> maps;
    auto n = var_of(loop.n);
    if ((n && bound_.contains(*n)) || elem_of(p_.type(loop.i.var)) != Scalar::I64) return maps;
    VarSet changes;                                      // with other iterations, or by more than arithmetic and views
    for (Bind v : loop.state) changes.insert(v.var);
    std::vector<size_t> sums;
    for (size_t k = 0; k < loop.body.stms.size(); k++) {
      const Stm& inner = loop.body.stms[k];
      const bool fixed = !mentions(p_, inner, changes);
      if (fixed && is_sum(inner)) sums.push_back(k);
      if (!fixed || !is_simple(inner)) for (Bind y : inner.pattern) changes.insert(y.var);
    }
    if (sums.empty()) return maps;
    const Dim width = n ? Dim(before_.bind1("count", Apply{ScalarOp::max, {loop.n, i64_const(0)}})) : loop.n;
    const Var numbers = before_.iota(width);
    Builder b(p_, maps);
    b.source = s.source;
    b.checks = s.checks;
    for (size_t k : sums) {
      Stm& sum = loop.body.stms[k];
      const Var made = sum.pattern[0].var;
      Lambda f{{loop.i}, Body{}};
      VarSet needed;
      each_use(p_, sum, [&](Var v) { needed.insert(v); });
      std::vector<size_t> parts = {k};
      for (size_t j = k; j-- > 0;) {
        const Stm& part = loop.body.stms[j];
        if (std::ranges::none_of(part.pattern, [&](Bind y) { return needed.contains(y.var); })) continue;
        parts.push_back(j);
        each_use(p_, part, [&](Var v) { needed.insert(v); });
      }
      for (size_t j : std::vector<size_t>(parts.rbegin(), parts.rend())) f.body.stms.push_back(loop.body.stms[j]);
      f.body.result = {made};
      const Var all = b.map(p_.hint(made), width, clone(p_, f), {numbers})[0];
      sum.exp = Index{all, {Atom(loop.i.var)}};
    }
    return maps;
  }
};

}  // namespace

bool take_sums_out_of_loops(Program& p, Body& nest, Builder& before) { return SumsOfLoops(p, nest, before).body(nest); }

}  // namespace raido
