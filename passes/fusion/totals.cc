// totals.cc - if only the last element of a scan is read, the scan becomes a reduction.
//
//   let ys = scan n op [ne] xs; .. ys[n - 1] ..   ==>   let t = reduce n op [ne] xs; .. t ..                      T1
//
// How many elements a filter keeps is read so. If its elements are not, the ranks need not be made.
#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/rewrite.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Totals {
 public:
  Totals(Program& p, PassContext& c) : p_(p), c_(c), forms_(p) {
    p.each_body([&](const Body& b) {
      uses_.add(p, b);
      each_stm(b, [&](const Stm& s) {
        auto read = std::get_if<Index>(&s.exp);
        if (read && is_last(*read)) reads_[read->array]++;
      });
    });
  }

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder&, Stm& s, Subst&) {
      if (auto read = std::get_if<Index>(&s.exp)) {
        if (auto total = totals_.find(read->array)) s.exp = Identity{*total};
        return false;
      }
      if (auto x = std::get_if<Screma>(&s.exp)) totals(s, *x);
      walk_parts(s, [&](Body& inner) { body(inner); });
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  Forms forms_;
  Uses uses_;
  FlatMap<Var, size_t> reads_;                 // of the last element
  FlatMap<Var, Var> totals_;                   // a scan that is a reduction now -> its result

  // The one element at n - 1 of a dimension of n.
  bool is_last(const Index& x) const {
    auto at = x.at.size() == 1 ? std::get_if<Atom>(&x.at[0]) : nullptr;
    return at && forms_.of(*at) - forms_.of(shape_of(p_.type(x.array))[0]) == Affine(-1);
  }
  bool only_last(Var v) const {
    auto reads = reads_.find(v);
    return reads && *reads == uses_.of(v);
  }
  void totals(Stm& s, Screma& x) {
    if (!identity_post(x)) return;
    for (size_t k = 0; k < x.scans.size();) {
      const size_t before = width_of(x.reduces), n = x.scans[k].neutral.size();
      size_t at = before;
      for (size_t j = 0; j < k; j++) at += x.scans[j].neutral.size();
      const auto results = s.pattern.begin() + i64(at);
      auto used = [&](Bind b) { return uses_.of(b.var) > 0; };
      if (!std::all_of(results, results + i64(n), [&](Bind b) { return !used(b) || only_last(b.var); }) || std::none_of(results, results + i64(n), used) || !c_.allow()) {
        k++;
        continue;
      }
      c_.stats.count("totals.T1");
      for (auto y = results; y != results + i64(n); y++) {
        const Var total = p_.fresh(p_.hint(y->var), row_type(p_.type(y->var)));
        totals_[y->var] = total;
        y->var = total;
      }
      // Its results and elements come after those of the other reductions.
      std::rotate(s.pattern.begin() + i64(before), results, results + i64(n));
      const auto elements = x.pre.body.result.begin() + i64(at);
      std::rotate(x.pre.body.result.begin() + i64(before), elements, elements + i64(n));
      x.reduces.push_back(std::move(x.scans[k]));
      x.scans.erase(x.scans.begin() + i64(k));
    }
  }
};

}  // namespace

void totals(Program& program, PassContext& context) {
  Totals pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
