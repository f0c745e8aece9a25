// budget.cc - loops whose states do not fit into --ad-memory                                                docs/ad.md 7.8
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
// Rules: loop.budget.
#include <algorithm>
#include <limits>

#include "compiler/ir/analysis/flow.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/ad/activity/activity.h"
#include "passes/ad/activity/common.h"
#include "passes/ad/prepare/in_place.h"
#include "passes/ad/prepare/schedules.h"

namespace raido::ad {

using namespace ir;

bool is_parallel(const Exp& e) {
  Kind kind = kind_of(e);
  return kind == Kind::Parallel || kind == Kind::Scope;
}

bool has_schedule(const Stm& s) {
  auto loop = std::get_if<For>(&s.exp);
  return (loop && (loop->blocks || loop->budget)) || has_attr(s.attrs, "stripmine") || has_attr(s.attrs, "checkpoint");
}

namespace {

// What the return sweep of a body reads of the primal (docs/ad.md 7.2): what partial derivatives, indices, conditions and sizes of
// varied statements mention, and what that is computed from.
class Needed {
 public:
  Needed(Program& p, const Activity& act, const Body& body) : p_(p), act_(act) {
    each_stm(body, [&](const Stm& s) { if (goes_back(s)) start(s); });
    do {
      more_ = false;
      each_stm(body, [&](const Stm& s) { follow(s); });
    } while (more_);
  }
  bool operator()(Var v) const { return needed_.contains(v); }

 private:
  Program& p_;
  const Activity& act_;
  VarSet needed_;
  bool more_ = false;

  void need(Var v) {
    more_ = more_ || !needed_.contains(v);
    needed_.insert(v);
  }
  void need(const Atom& a) { if (auto v = var_of(a)) need(*v); }
  template <class X> void need_all(const X& x) { each_use(p_, x, [&](Var v) { need(v); }); }
  bool goes_back(const Stm& s) const {
    bool varied = std::ranges::any_of(s.pattern, [&](Bind x) { return act_.varied(x.var); });
    walk_parts(s, [&](const Body& part) { for (const Stm& inner : part.stms) varied = varied || goes_back(inner); });
    return varied;
  }
  bool adds(const Combine& c) const { return pointwise_operator(p_, c.op) == ScalarOp::add; }
  void start(const Stm& s) {
    match(s.exp,
      [&](const Apply& x) {
        Body made;
        Builder b(p_, made.stms);
        auto arg = [&](size_t i) { return b.term(x.args[std::min(i, x.args.size() - 1)]); };
        for (size_t i = 0; i < x.args.size(); i++)
          if (act_.varied(x.args[i]))
            if (auto d = partial(x.op, int(i), arg(0), x.args.size() > 1 ? arg(1) : arg(0), b.term(x.args.back()), b.term(s.pattern[0].var)))
              made.result.push_back(d->atom);
        need_all(made);
      },
      [&](const If& x) { need(x.cond); }, [&](const For& x) { need(x.n); }, [&](const While&) { need_all(s); },
      [&](const Screma& x) {
        bool sums = std::ranges::all_of(x.reduces, [&](const Combine& c) { return adds(c); }) &&
                    std::ranges::all_of(x.scans, [&](const Combine& c) { return adds(c); });
        if (!sums) need_all(s);
      },
      [&](const Hist&) { need_all(s); }, [&](const Call&) { need_all(s); }, [&](const Custom&) { need_all(s); },
      [](const WithAcc&) {},
      [&](const auto& x) {                          // linear: its indices and sizes
        each_use(p_, x, [&](Var v) { if (is_scalar(p_.type(v)) && !act_.varied(v)) need(v); });
      });
  }
  void follow(const Stm& s) {
    if (std::ranges::any_of(s.pattern, [&](Bind x) { return needed_.contains(x.var); })) need_all(s);
    each_flow(p_, s, [&](const Atom& from, Var to, Flow) { if (needed_.contains(to)) need(from); }, [](const Body&) {});
  }
};

// Bytes as expressions over what is there before the loop.
class Bytes {
 public:
  Bytes(Builder& b, const For& loop) : b_(b), p_(b.program) { each_bind(loop, [&](Var v) { bound_.insert(v); }); }
  bool outside(const Atom& a) const { return !var_of(a) || !bound_.contains(*var_of(a)); }
  bool known(const Type& t) const {
    return (is_scalar(t) || is_array(t)) && std::ranges::all_of(shape_of(t), [&](const Dim& d) { return outside(d); });
  }
  Term of(const Type& t) {
    Term size = b_.term(i64_const(bytes_of(elem_of(t))));
    for (const Dim& d : shape_of(t)) size = size * b_.term(d);
    return size;
  }
  // What updates overwrite of arrays that are needed, at most.
  Term overwritten(const Body& body, const Needed& needed) {
    Term sum = b_.term(i64_const(0));
    for (const Stm& s : body.stms) {
      if (auto x = std::get_if<Update>(&s.exp); x && needed(x->array)) {
        const Type& part = p_.type(x->value);
        sum = sum + (known(part) ? of(part) : of(p_.type(x->array)));
      } else if (auto f = std::get_if<For>(&s.exp)) {
        Term inside = overwritten(f->body, needed);
        sum = outside(f->n) ? sum + inside * apply(ScalarOp::max, {b_.term(f->n), b_.term(i64_const(0))}) : sum + inside;
      } else if (auto branch = std::get_if<If>(&s.exp)) {
        sum = sum + overwritten(branch->then_, needed) + overwritten(branch->else_, needed);
      } else if (auto scope = std::get_if<WithAcc>(&s.exp)) {
        for (const Dest& d : scope->dests)
          for (Var v : d.arrays) if (needed(v) && known(p_.type(v))) sum = sum + of(p_.type(v));
      }
    }
    return sum;
  }

 private:
  Builder& b_;
  Program& p_;
  VarSet bound_;
};

std::optional<i64> number(const Term& x) {
  auto c = const_of(x.atom);
  return c ? std::optional(c->as_i64()) : std::nullopt;
}
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

class Fit {
 public:
  Fit(Builder& b, Stm& s, Activity& act, std::function<void(Stm&)> emit)
      : b_(b), p_(b.program), act_(act), s_(s), op_(std::get<For>(s.exp)), emit_(std::move(emit)), memory_(act.context.options.ad_memory) {
    Needed needed(p_, act, op_.body);
    Bytes bytes(b, op_);
    std::vector<size_t> updated = updated_state(p_, op_);
    Term none = b.term(i64_const(0));
    state_ = whole_ = old_ = none;
    bool any_updated = false;
    for (size_t k = 0; k < op_.state.size(); k++) {
      const Type& t = p_.type(op_.state[k].var);
      fixed_ = fixed_ && bytes.known(t);
      if (!fixed_) return;
      if (!needed(op_.state[k].var)) continue;
      bool in_place = std::ranges::find(updated, k) != updated.end();
      Term& sum = in_place ? whole_ : state_;
      sum = sum + bytes.of(t);
      any_updated = any_updated || in_place;
    }
    if (any_updated) old_ = bytes.overwritten(op_.body, needed);
  }
  // Whether anything is recorded, and its size does not change.
  bool matters() const { return fixed_ && !(number(of(1)) == 0 && number(whole_) == 0); }

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
  bool fixed_ = true;
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

bool chooses(Builder& b, Stm& s, Activity& varied) {
  if (varied.context.options.ad_memory == 0 || has_schedule(s)) return false;
  if (std::holds_alternative<While>(s.exp)) return true;             // the number of iterations is found at run time
  Fit fit(b, s, varied, {});
  return fit.matters() && !fit.levels();
}

bool fit_memory(Builder& b, Stm& s, Activity& varied, bool parallel, const std::function<void(Stm&)>& emit) {
  if (varied.context.options.ad_memory == 0 || has_schedule(s)) return false;
  Fit fit(b, s, varied, emit);
  if (!fit.matters()) return false;
  if (auto k = fit.levels()) return fit.one(*k), true;
  return !parallel && (fit.choose(), true);
}

}  // namespace raido::ad
