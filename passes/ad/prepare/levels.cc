// levels.cc - loops whose states do not fit into --ad-memory, in code that is differentiated again              docs/ad.md 7.8
//
//   for i < n body   ==>   if n <= (memory / S) then for i < n body
//                          else if n <= (memory / 2S) ^ 2 then #[stripmine(2)] for i < n body
//                          else #[stripmine(3)] for i < n body
//
// S: the bytes that the return sweep needs of every iteration. k levels keep k times the k-th root of n states, so each has
// its limit of n. What is decided here leaves one loop (and then there may be more levels). A choice at run time is not made
// inside parallel operations, whose memory must be known before they begin, nor inside another one: versions of versions are
// too much code, in derivatives of derivatives above all. Loops that were made here say so (For::budget):
// their derivatives are not looked at again, but inherit what was chosen.
//
// Rules: loop.budget.levels.
#include <algorithm>
#include <limits>

#include "compiler/ir/costs.h"
#include "passes/ad/prepare/kept.h"
#include "passes/ad/prepare/schedules.h"

namespace raido::ad {

using namespace ir;

namespace {

// The least m with m^k >= n.
i64 root(i64 n, i64 k) {
  auto reaches = [&](i64 m) {
    i64 left = n;
    for (i64 j = 0; j < k && left > 1; j++) left = (left + m - 1) / m;
    return left <= 1;
  };
  i64 low = 1, high = std::max<i64>(n, 1);
  while (low < high) {
    i64 middle = low + (high - low) / 2;
    if (reaches(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

class Levels {
 public:
  Levels(Builder& b, Stm& s, Activity& act, std::function<void(Stm&)> emit)
      : b_(b), p_(b.program), act_(act), s_(s), op_(std::get<For>(s.exp)), emit_(std::move(emit)), memory_(act.context.options.ad_memory) {
    Ranges ranges(b, s);
    Kept kept = kept_by(b, act, ranges, op_, {});
    if (!kept.fixed || !kept.state || !kept.whole || !kept.overwritten) return;
    known_ = true;
    state_ = *kept.state, whole_ = *kept.whole, old_ = *kept.overwritten;
  }
  // Whether anything is recorded, and it is known how much.
  bool matters() const { return known_ && !(number(of(1)) == 0 && number(whole_) == 0); }

  // The number of levels, if that is known here.
  std::optional<i64> levels() {
    auto n = number(b_.term(op_.n));
    if (!n || !number(of(1)) || !number(whole_)) return {};
    i64 best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (i64 k = 1; k <= costs::ad::budget_levels; k++) {
      double needs = double(*number(of(k))) * double(root(std::max<i64>(*n, 0), k));
      if (needs <= double(memory_)) return k;
      if (needs < least) least = needs, best = k;
    }
    return best;
  }
  void one(i64 k) {
    Stm s = std::move(s_);
    version(s, k);
    emit_(s);
  }
  // A version for each of one, two and three levels.
  void choose() {
    Term n = b_.term(op_.n), all = le(n, limit(1)), two = le(n, limit(2)), three = le(n, limit(3));
    // Where not even three fit, several copies of arrays that are updated in place may be more than what is overwritten.
    if (number(whole_) != 0) all = or_(all, not_(or_(two, three)));
    Stm whole = branch(all, 1, [&] {
      Stm inner = branch(two, 2, [&] { return results(3); });
      std::vector<Atom> out;
      for (Bind& x : inner.pattern) {
        x = {p_.fresh(p_.hint(x.var), p_.type(x.var))};
        out.push_back(x.var);
      }
      b_.emit(std::move(inner));
      return out;
    });
    b_.emit(std::move(whole));
  }

 private:
  Builder& b_;
  Program& p_;
  Activity& act_;
  Stm& s_;
  For& op_;
  std::function<void(Stm&)> emit_;
  i64 memory_;
  bool known_ = false;
  Term state_, whole_, old_;                         // bytes: of plain state, of state that is updated in place, of what is overwritten

  // Bytes for each iteration of every level together.
  Term of(i64 k) const { return state_ * b_.term(i64_const(k)) + whole_ * b_.term(i64_const(k - 1)) + old_; }
  // Up to so many iterations k levels fit.
  Term limit(i64 k) const {
    constexpr i64 largest[] = {0, std::numeric_limits<i64>::max(), i64(1) << 31, i64(1) << 20};
    Term root = b_.term(i64_const(memory_)) / apply(ScalarOp::max, {of(k), b_.term(i64_const(1))}), out = root;
    if (k > 1) root = out = apply(ScalarOp::min, {root, b_.term(i64_const(largest[k]))});
    for (i64 j = 1; j < k; j++) out = out * root;
    return out;
  }
  void version(Stm& s, i64 k) {
    i64 each = number(of(1)).value_or(-1);
    if (k > 1) {
      s.attrs.push_back({"stripmine", {k}});
      stripmine(b_, s);
    }
    Stm* level = &s;
    for (i64 j = 1;; j++) {
      For& loop = std::get<For>(level->exp);
      loop.budget = {k, each, memory_};
      if (j == k) break;
      for (Stm& inner : loop.body.stms) if (std::holds_alternative<For>(inner.exp)) level = &inner;
    }
  }
  std::vector<Atom> results(i64 k) {
    Stm s = act_.clone(s_);
    std::vector<Atom> out;
    for (Bind x : s.pattern) out.push_back(x.var);
    version(s, k);
    emit_(s);
    return out;
  }
  template <class F> Stm branch(const Term& fits, i64 k, F otherwise) {
    If choice;
    choice.cond = fits.atom;
    choice.then_ = b_.body([&] { return results(k); });
    choice.else_ = b_.body(otherwise);
    return {s_.pattern, std::move(choice), s_.checks, s_.source, {}};
  }
};

}  // namespace

bool chooses_levels(Builder& b, Stm& s, Activity& varied) {
  if (has_schedule(s)) return false;
  if (std::holds_alternative<While>(s.exp)) return true;             // the number of iterations is found at run time
  Levels fit(b, s, varied, {});
  return fit.matters() && !fit.levels();
}

bool fit_levels(Builder& b, Stm& s, Activity& varied, bool parallel, const std::function<void(Stm&)>& emit) {
  if (has_schedule(s)) return false;
  Levels fit(b, s, varied, emit);
  if (!fit.matters()) return false;
  if (auto k = fit.levels()) return fit.one(*k), true;
  return !parallel && (fit.choose(), true);
}

}  // namespace raido::ad
