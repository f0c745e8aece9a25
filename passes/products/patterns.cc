// patterns.cc - triangles and bands (Q5, decision 009): what is added only where a comparison of indices holds is
// added only there.
//
//   reduce (+) (map n \j -> if j <= i then f j else 0)        ==>   reduce (+) (map (i + 1) f)
//   reduce (+) (map n \j -> (if j <= i then f j else 0) * x)  ==>   reduce (+) (map (i + 1) \j -> f j * x)       not with --fp-strict
//   map n \j a -> upd a [g j] (if j <= i then f j else 0)      ==>   map (i + 1) \j a -> upd a [g j] (f j)     a sums
//   for j < n (s) { in if j <= i then f j s else s }          ==>   for j < i + 1 (s) { f j s }
//   reduce (+) (map2 (*) (map n \j -> if j <= i then f j else 0) xs)
//                                                             ==>   reduce (+) (map2 (*) of the first i + 1 of both)
//
//   map n \r -> reduce (+) (map2 (*) r xs)    r a row of map n \i -> map m \j -> if abs (i - j) <= w then f i j else 0
//                                             ==>   map n \r i -> reduce (+) (map2 (*) of elements i - w to i + w of both)
//   reduce (+) (map n \j -> (if j == i then a else 0) + (if j - 1 == i then b else 0))
//                                             ==>   the same for j from i to i + 1, if that is inside
//
// So a band may be an array of any rank, also transposed, and a product of bands is a band. Of a sum of several such things
// the hull counts (regions.h). The comparison must be linear in j with the factor 1 or -1, and everything else in it known outside. All but the second are
// exact for any operator and its neutral element. In the second a literal 0 counts as an element that is not there: an infinity
// beside it does not become a NaN. A derivative of what was restricted visits the same elements. In a device's nest sums keep
// their width, which has to be the same for all threads there.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/facts.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"
#include "passes/products/contraction.h"
#include "passes/products/patterns.h"
#include "passes/products/regions.h"

namespace raido {
namespace {

using namespace ir;

class Patterns : Regions {
 public:
  Patterns(Program& p, PassContext& context) : Regions(p, context), aliases_(p) {}
  // For a guess: of code that never runs, of which nothing is known but what its own statements say.
  Patterns(Program& p, PassContext& context, VarSet varies) : Regions(p, context), varies_(std::move(varies)) {}

  void run() {
    for (Function& f : p_.functions) for (Bind b : f.lambda.params) facts_.bound(b.var);
    p_.each_body([&](Body& b) { body(b, false); });
  }
  // Whether a sum or loop that depends on what varies has a number of indices that no size is in.
  bool has_narrow(Body& b, const Definitions& outside) {
    for (Var v : free_vars(p_, b)) if (auto iota = outside.get<Iota>(v)) note_count(v, *iota);
    body(b, false);
    return narrow_;
  }

 private:
  std::optional<Aliases> aliases_;                       // none: it is a guess
  VarSet counting_, varies_;
  bool narrow_ = false;
  Var unnamed_ = index();                                // the index of what has no counter, where nothing depends on it

  void body(Body& whole, bool parallel) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      auto x = std::get_if<Screma>(&s.exp);
      if (auto scope = std::get_if<WithAcc>(&s.exp))
        for (size_t k = 0; k < scope->dests.size(); k++) dests_[scope->scope.params[k].var] = &scope->dests[k];
      std::optional<Iota> rows = x ? number_rows(*x) : std::nullopt;
      std::vector<Var> counters = x ? enter(*x) : std::vector<Var>{};
      facts_.in_bodies(s, [&](Body& inner) { body(inner, parallel || x || std::holds_alternative<Hist>(s.exp)); });
      if (rows) keep_number(b, *x, std::move(*rows));
      b.checks = s.checks;
      if (x) note_sums(s, *x, counters);
      if (x && !(parallel && context_.target == Target::Gpu)) restrict(b, s, *x, counters);
      if (x) note_bands(s, *x, counters);
      if (auto loop = std::get_if<For>(&s.exp)) restrict(b, s, *loop);
      if (auto iota = std::get_if<Iota>(&s.exp)) note_count(s.pattern[0].var, *iota);
      note_views(s);
      for (Bind y : s.pattern) {
        facts_.bound(y.var);
        facts_.define(y.var, s.exp);
      }
      return false;
    });
  }

  // ---- bands of arrays ----

  Var index() { return p_.fresh("i", scalar_type(Scalar::I64)); }   // a name for bounds alone
  void note_count(Var array, const Iota& x) {
    if (is_const(x.start, 0) && is_const(x.step, 1)) counting_.insert(array);
    facts_.bound(array);
    facts_.define(array, x);
  }

  // The rows of a band need a number: what a map over them that has none of its own would count. After differentiation, since slices
  // of rows keep the array, which may fuse with the derivative.
  std::optional<Iota> number_rows(Screma& x) {
    if (p_.level == Ad) return {};
    auto rows = [&](Var v) { auto band = bands_.find(v); return band != bands_.end() && band->second.index.size() > 1 && is_narrow(band->second); };
    if (std::ranges::none_of(x.inputs, rows) || std::ranges::any_of(x.inputs, [&](Var v) { return counting_.contains(v); })) return {};
    Iota count{x.width, i64_const(0), i64_const(1)};
    Var numbers = p_.fresh("is", array_type(Scalar::I64, {x.width}));
    counting_.insert(numbers);
    facts_.define(numbers, count);
    x.inputs.push_back(numbers);
    x.pre.params.push_back({index()});
    return count;
  }
  // Of one index there are as many as no size is in. A triangle that is an array is half full: whole rows, in tiles, are faster.
  bool is_narrow(const Band& band) const {
    auto counted = [&](Var v) { return facts_.form(v).has_value() || std::ranges::find(band.index, v) != band.index.end(); };
    return std::ranges::any_of(band.bounds, [&](const Affine& a) {
      return std::ranges::any_of(band.bounds, [&](const Affine& b) { return any_term(a, counted) && !any_term(a + b, counted); });
    });
  }
  void keep_number(Builder& b, Screma& x, Iota count) {
    if (mentions(p_, x.pre.body, x.pre.params.back().var)) {
      b.emit(Stm{{{x.inputs.back()}}, std::move(count), {}, {}, {}});
    } else {
      x.inputs.pop_back();
      x.pre.params.pop_back();
    }
  }
  // What is known of the elements. The parameters that count them; a name for their number where there is none.
  std::vector<Var> enter(const Screma& x) {
    std::vector<Var> counters;
    for (size_t k = 0; k < x.inputs.size(); k++)
      if (counting_.contains(x.inputs[k])) counters.push_back(x.pre.params[k].var);
    bool bands = std::ranges::any_of(x.inputs, [&](Var v) { return bands_.contains(v); });
    bool counted = !counters.empty();
    if (!counted) counters.push_back(bands ? index() : unnamed_);
    for (size_t k = 0; k < x.inputs.size(); k++)
      if (auto band = bands_.find(x.inputs[k]); band != bands_.end()) {
        Band row = band->second;
        if (row.index.size() > 1 && !is_narrow(row)) continue;
        for (Affine& l : row.bounds) l = with(l, row.index[0], Affine(counters[0]));
        row.index.erase(row.index.begin());
        if (!counted && !row.index.empty())              // what depends on a number without a name nobody could compute inside
          std::erase_if(row.bounds, [&](const Affine& l) { return l.factor(counters[0]) != 0; });
        bands_.insert_or_assign(x.pre.params[k].var, std::move(row));
      }
    return counters;
  }
  // What a map makes: of each result, what is known of its elements and does not depend on anything else inside.
  void note_bands(const Stm& s, const Screma& x, const std::vector<Var>& counters) {
    if (!is_plain(x)) return;
    Look look(x.pre, x.pre.body, counters);
    for (size_t k = width_of(x.reduces); k < s.pattern.size(); k++) {
      const Atom& element = x.pre.body.result[k];
      Band made;
      if (is_scalar(p_.type(element))) {
        Region r = where(element, look.of(constant(elem_of(p_, element), 0)));
        if (!r.nowhere) made.bounds = std::move(r.bounds);
      } else if (auto row = var_of(element); row && bands_.contains(*row)) {
        made = bands_.at(*row);
      }
      if (made.bounds.empty()) continue;
      made.index.insert(made.index.begin(), index());
      for (Affine& l : made.bounds) l = with(look.counted(l), counters[0], Affine(made.index[0]));
      std::erase_if(made.bounds, [&](const Affine& l) { return !look.is_outside(l); });
      if (!made.bounds.empty()) bands_.insert_or_assign(s.pattern[k].var, std::move(made));
    }
  }
  // A sum is zero where no index is left: each lower bound of it has to be at most each upper one.
  void note_sums(const Stm& s, const Screma& x, const std::vector<Var>& counters) {
    if (!is_plain(x)) return;
    Look look(x.pre, x.pre.body, counters);
    for (size_t k = 0, result = 0; k < x.reduces.size(); result += x.reduces[k++].neutral.size()) {
      auto neutral = const_of(x.reduces[k].neutral[0]);
      if (!x.reduces[k].shape.empty() || x.reduces[k].neutral.size() != 1 || !neutral || !is_zero(*neutral)) continue;
      Region r = where(x.pre.body.result[result], look.of(*neutral));
      if (r.nowhere || r.bounds.empty()) continue;
      std::vector<Affine> lower = {Affine(counters[0])}, upper, left;
      if (auto n = facts_.form(x.width)) upper.push_back(*n - 1 - Affine(counters[0]));
      for (Affine& l : r.bounds) {
        l = look.counted(l);
        i64 by = l.factor(counters[0]);
        (by == 1 ? lower : by == -1 ? upper : left).push_back(l);
      }
      for (const Affine& a : lower) for (const Affine& b : upper) add_new(left, {a + b});
      std::erase_if(left, [&](const Affine& l) { return l.factor(counters[0]) != 0 || !look.is_outside(l) || is_nonnegative(l); });
      if (!left.empty() && left.size() <= costs::band_bounds) bands_.insert_or_assign(s.pattern[result].var, Band{{}, std::move(left)});
    }
  }
  void note_views(const Stm& s) {
    auto like = [&](Var array, auto change) {
      auto band = bands_.find(array);
      if (band == bands_.end()) return;
      Band view = band->second;
      if (change(view)) bands_.insert_or_assign(s.pattern[0].var, std::move(view));
    };
    auto same = [](Band&) { return true; };
    if (auto x = std::get_if<Copy>(&s.exp)) like(x->array, same);
    if (auto x = std::get_if<Identity>(&s.exp)) if (auto v = var_of(x->value)) like(*v, same);
    if (auto x = std::get_if<Permute>(&s.exp))
      like(x->array, [&](Band& view) {
        if (view.index.size() != x->dims.size()) return false;
        auto old = view.index;
        for (size_t k = 0; k < old.size(); k++) view.index[k] = old[size_t(x->dims[k])];
        return true;
      });
  }

  // First index and number of indices, both within 0 .. n. Sizes are far from overflow; other numbers are brought there, which
  // changes no comparison with a size.
  std::pair<Term, Term> bounds(Builder& b, const Range& r, const Dim& n) const {
    constexpr i64 far = i64{1} << 61;
    struct Bound {
      Term term;
      std::optional<Affine> form;                        // none: nothing is known
    };
    auto value = [&](const Affine& l) {
      Bound sum{b.term(i64_const(l.constant)), l};
      for (auto [v, k] : l.terms) {
        Term x = b.term(v);
        if (!facts_.form(v)) {                           // of any value
          x = apply(ScalarOp::max, {b.term(i64_const(-far)), apply(ScalarOp::min, {b.term(i64_const(far)), x})});
          sum.form = {};
        }
        sum.term = k == 1 ? sum.term + x : k == -1 ? sum.term - x : sum.term + b.term(i64_const(k)) * x;
      }
      return sum;
    };
    auto proved = [&](const Bound& x, const Bound& y) { return x.form && y.form && facts_.nonnegative(*y.form - *x.form); };   // x <= y
    auto all = [](const auto& xs, auto holds) { return std::ranges::all_of(xs, holds); };
    std::vector<Bound> firsts = {value({})}, ends = {{b.term(n), facts_.form(n)}};
    for (const Affine& l : r.at_least) {
      Bound x = value(l);
      if (proved(x, firsts[0])) continue;
      if (proved(firsts[0], x)) firsts.erase(firsts.begin());
      firsts.push_back(x);
    }
    for (const Affine& l : r.at_most) {
      Bound x = value(l + 1);
      if (proved(ends[0], x)) continue;
      if (proved(x, ends[0])) ends.erase(ends.begin());
      ends.push_back(x);
    }
    auto picked = [](ScalarOp op, const std::vector<Bound>& xs) {
      Term t = xs[0].term;
      for (size_t k = 1; k < xs.size(); k++) t = apply(op, {t, xs[k].term});
      return t;
    };
    Bound size{b.term(n), facts_.form(n)};
    Term first = picked(ScalarOp::max, firsts), end = picked(ScalarOp::min, ends);
    if (!all(firsts, [&](const Bound& x) { return proved(x, size); })) first = apply(ScalarOp::min, {first, size.term});
    bool open = ends.size() == 1 && ends[0].term.atom == n;          // and first is at most n
    if (!open && !all(firsts, [&](const Bound& x) { return all(ends, [&](const Bound& y) { return proved(x, y); }); }))
      end = apply(ScalarOp::max, {end, first});
    return {first, is_const(first.atom, 0) ? end : end - first};
  }
  void take_conditions(const Range& r, Body& b) {
    Subst known;
    for (const Guard& g : r.known) known.emplace(g.condition, bool_const(g.value));
    substitute(p_, b, known);
  }

  // C compilers write out a loop of three iterations, or of one, but not one of some of three.
  static bool keeps_short(const Range& r, const Dim& n) {
    auto all = const_of(n);
    return all && all->as_i64() <= costs::short_band && std::ranges::none_of(r.at_least, [&](const Affine& first) {
      return std::ranges::any_of(r.at_most, [&](const Affine& last) { return (last - first).is_constant(); });
    });
  }
  // Slices of what is consumed would be something else.
  bool may_restrict(const Range& r, const Dim& n, const Stm* slices) {
    if (keeps_short(r, n)) return false;
    if (aliases_) return (!slices || aliases_->consumed(*slices).empty()) && context_.allow();
    auto varies = [&](Var v) { return varies_.contains(v); };
    auto has_size = [&](Var v) { return facts_.form(v).has_value(); };
    narrow_ = narrow_ || (std::ranges::any_of(r.bounds, [&](const Affine& l) { return any_term(l, varies); }) &&
                          std::ranges::any_of(r.at_least, [&](const Affine& a) {
                            return std::ranges::any_of(r.at_most, [&](const Affine& b) { return !any_term(b - a, has_size); });
                          }));
    return true;
  }

  // Maps, reductions or both, whose body gives what is combined and what is returned.
  static bool is_plain(const Screma& x) { return x.scans.empty() && x.post_reduces.empty() && identity_post(x); }
  void restrict(Builder& b, Stm& s, Screma& x, const std::vector<Var>& counters) {
    if (!is_plain(x)) return;
    Look look(x.pre, x.pre.body, counters);
    Region region{true};
    size_t at = 0;
    for (const Combine& c : x.reduces) {
      if (!c.shape.empty() || c.neutral.size() != 1) return;
      region = either(region, where(x.pre.body.result[at++], look.of(c.neutral[0])));
    }
    for (; at < x.pre.body.result.size(); at++) {
      const Atom& r = x.pre.body.result[at];
      if (!is_acc(p_.type(r))) return;
      region = either(region, updates(*var_of(r), x.pre.params, look));
    }
    if (region.nowhere) return;
    auto r = range(region, look, x.pre.body, x.width);
    if (!r || !may_restrict(*r, x.width, &s)) return;
    auto [first, count] = bounds(b, *r, x.width);
    take_conditions(*r, x.pre.body);
    for (size_t k = 0; k < x.inputs.size(); k++) {
      if (!is_array(p_.type(x.inputs[k]))) continue;
      if (!counting_.contains(x.inputs[k])) {
        x.inputs[k] = b.slice(p_.hint(x.inputs[k]), x.inputs[k], Slice{first.atom, count.atom, i64_const(1)});
        continue;
      }
      x.inputs[k] = b.iota(count.atom);
      counting_.insert(x.inputs[k]);
      shift(x.pre.body, x.pre.params[k], first);
    }
    x.width = count.atom;
    context_.stats.count("patterns.sum");
  }
  void restrict(Builder& b, Stm&, For& x) {
    if (x.state.empty()) return;
    Look look(x, x.body, {x.i.var});
    Region region{true};
    for (size_t k = 0; k < x.state.size(); k++) {
      const Atom& r = x.body.result[k];
      if (r == Atom(x.state[k].var)) continue;
      region = either(region, is_acc(p_.type(r)) ? updates(*var_of(r), x.state, look) : where(r, look.of(x.state[k].var)));
    }
    if (region.nowhere) return;
    auto r = range(region, look, x.body, x.n);
    if (!r || !may_restrict(*r, x.n, nullptr)) return;
    auto [first, count] = bounds(b, *r, x.n);
    take_conditions(*r, x.body);
    shift(x.body, x.i, first);
    x.n = count.atom;
    context_.stats.count("patterns.loop");
  }
  // The index that was `i` counts from `first` on.
  void shift(Body& body, Bind& i, const Term& first) {
    if (is_const(first.atom, 0)) return;
    Var old = i.var;
    i.var = p_.fresh(p_.hint(old), p_.type(old));
    body.stms.insert(0, Stm{{{old}}, Apply{ScalarOp::add, {first.atom, i.var}}, {}, {}, {}});
  }
};

}  // namespace

void patterns(ir::Program& program, PassContext& context) { Patterns(program, context).run(); }

bool has_narrow_sums(ir::Program& program, PassContext& context, const ir::Screma& map, const ir::Definitions& outside) {
  ir::Body guess;
  ir::Builder b(program, guess.stms);
  ir::Screma copy = std::get<ir::Screma>(clone(program, ir::Exp{map}));
  ir::VarSet varies = bound_in(copy);
  b.bind("guess", std::move(copy));
  return Patterns(program, context, std::move(varies)).has_narrow(guess, outside);
}

}  // namespace raido
