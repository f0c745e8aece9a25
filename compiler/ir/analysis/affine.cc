// affine.cc - forms, and proofs about them: by elimination of variables from systems of constraints.
#include "compiler/ir/analysis/affine.h"

#include <numeric>

#include "compiler/ir/analysis/integer_sets.h"
#include "compiler/ir/transform.h"

namespace raido::ir {
namespace {

i64 wrapping_add(i64 a, i64 b) { return i64(uint64_t(a) + uint64_t(b)); }
i64 wrapping_mul(i64 a, i64 b) { return i64(uint64_t(a) * uint64_t(b)); }

}  // namespace

i64 Affine::factor(Var v) const {
  auto t = std::ranges::lower_bound(terms, v, {}, &Term::var);
  return t != terms.end() && t->var == v ? t->factor : 0;
}
void Affine::add(const Affine& other, i64 times) {
  constant = wrapping_add(constant, wrapping_mul(times, other.constant));
  SmallVector<Term, 4> all;
  const Term *a = terms.begin(), *b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->var < b->var)) { all.push_back(*a++); continue; }
    i64 factor = wrapping_mul(times, b->factor);
    if (a != terms.end() && a->var == b->var) factor = wrapping_add(factor, a++->factor);
    if (factor != 0) all.push_back({b->var, factor});
    b++;
  }
  terms = std::move(all);
}
Affine Affine::without(Var v) const {
  Affine out(constant);
  for (const Term& t : terms) if (t.var != v) out.terms.push_back(t);
  return out;
}
bool Affine::is_small() const {
  constexpr i64 most_constant = i64{1} << 40, most_factor = i64{1} << 20;
  auto within = [](i64 x, i64 most) { return -most <= x && x <= most; };
  return within(constant, most_constant) && std::ranges::all_of(terms, [&](const Term& t) { return within(t.factor, most_factor); });
}
Affine operator*(i64 k, Affine a) {
  Affine out;
  out.add(a, k);
  return out;
}

Forms::Forms(const Program& p) {
  p.each_body([&](const Body& b) { each_stm(b, [&](const Stm& s) { define(p, s); }); });
}
void Forms::define(const Program& p, const Stm& s) {
  constexpr size_t most_terms = 12;                      // what has more is a name of its own
  auto iota = std::get_if<Iota>(&s.exp);
  if (iota && is_const(iota->start, 0) && is_const(iota->step, 1)) counting_.insert(s.pattern[0].var);
  auto is_i64 = [&](const Atom& a) { return is_scalar(p.type(a)) && elem_of(p, a) == Scalar::I64; };
  if (auto same = std::get_if<Identity>(&s.exp); same && is_i64(same->value)) define(s.pattern[0].var, of(same->value));
  auto x = std::get_if<Apply>(&s.exp);
  if (!x || x->args.size() > 2 || !is_i64(x->args[0])) return;
  Affine sum;
  switch (x->op) {
    case ScalarOp::neg: sum = -1 * of(x->args[0]); break;
    case ScalarOp::add: sum = of(x->args[0]) + of(x->args[1]); break;
    case ScalarOp::sub: sum = of(x->args[0]) - of(x->args[1]); break;
    case ScalarOp::mul: {
      Affine l = of(x->args[0]), r = of(x->args[1]);
      if (!l.is_constant() && !r.is_constant()) return;
      sum = l.is_constant() ? l.constant * r : r.constant * l;
      break;
    }
    default: return;
  }
  if (sum.is_small() && sum.terms.size() <= most_terms) define(s.pattern[0].var, std::move(sum));
}
Affine Forms::of(const Atom& a) const {
  if (auto c = const_of(a)) return c->as_i64();
  auto found = known_.find(*var_of(a));
  return found != known_.end() ? found->second : Affine(*var_of(a));
}

// ---- Constraints ----

namespace {

// Equations first, which say what a variable is; then each variable goes, the cheapest first, and leaves what every lower bound of
// it says to every upper bound. All are divided by what their factors have in common, which for integers says more.
class Elimination {
 public:
  bool contradiction = false;

  explicit Elimination(const Constraints& c) {
    for (auto* all : {&c.zero, &c.not_negative})
      for (const Affine& a : *all) for (const Affine::Term& t : a.terms) vars_.push_back(t.var);
    std::ranges::sort(vars_);
    vars_.erase(std::unique(vars_.begin(), vars_.end()), vars_.end());
    for (const Affine& a : c.zero) if (auto r = divided(row(a), true)) equations_.push_back(std::move(*r));
    for (const Affine& a : c.not_negative) if (auto r = divided(row(a), false)) add(std::move(*r));
  }
  void run() {
    while (!stop() && !equations_.empty()) solve();
    while (!stop() && !bounds_.empty()) eliminate();
  }

 private:
  static constexpr size_t most = 400;                    // bounds; what needs more is not proved
  using Row = std::vector<i64>;                          // constant, then the factor of each variable
  std::vector<Var> vars_;
  std::vector<Row> equations_, bounds_;
  bool too_large_ = false;

  bool stop() const { return contradiction || too_large_; }
  Row row(const Affine& a) const {
    Row r(vars_.size() + 1);
    r[0] = a.constant;
    for (const Affine::Term& t : a.terms) r[size_t(std::ranges::lower_bound(vars_, t.var) - vars_.begin()) + 1] = t.factor;
    return r;
  }
  // Null: it says nothing about variables, and nothing that is wrong.
  std::optional<Row> divided(Row r, bool equation) {
    i64 common = 0;
    for (size_t k = 1; k < r.size(); k++) {
      if (r[k] == INT64_MIN) too_large_ = true;
      else common = std::gcd(common, r[k]);
    }
    if (too_large_) return {};
    if (common == 0) {
      contradiction = contradiction || (equation ? r[0] != 0 : r[0] < 0);
      return {};
    }
    i64 rest = ((r[0] % common) + common) % common;
    if (equation && rest != 0) contradiction = true;
    for (size_t k = 1; k < r.size(); k++) r[k] /= common;
    r[0] = r[0] / common - (r[0] % common < 0);
    return r;
  }
  void add(Row r) {
    auto same = std::ranges::find_if(bounds_, [&](const Row& b) { return std::equal(b.begin() + 1, b.end(), r.begin() + 1); });
    if (same != bounds_.end()) (*same)[0] = std::min((*same)[0], r[0]);
    else bounds_.push_back(std::move(r));
    too_large_ = too_large_ || bounds_.size() > most;
  }
  // by * x + times * y
  Row combined(const Row& x, i64 by, const Row& y, i64 times) {
    Row out(x.size());
    for (size_t k = 0; k < x.size(); k++) {
      i64 a, b;
      if (__builtin_mul_overflow(x[k], by, &a) || __builtin_mul_overflow(y[k], times, &b) || __builtin_add_overflow(a, b, &out[k])) too_large_ = true;
    }
    return out;
  }
  void solve() {
    auto least = [](const Row& r) {
      size_t at = 0;
      for (size_t k = 1; k < r.size(); k++) if (r[k] != 0 && (at == 0 || std::abs(r[k]) < std::abs(r[at]))) at = k;
      return at;
    };
    auto one = std::ranges::min_element(equations_, {}, [&](const Row& r) { return std::abs(r[least(r)]); });
    Row e = *one;
    equations_.erase(one);
    size_t v = least(e);
    i64 sign = e[v] < 0 ? -1 : 1;
    auto replaced = [&](const Row& r) { return combined(r, std::abs(e[v]), e, -sign * r[v]); };
    std::vector<Row> others = std::exchange(equations_, {}), bounds = std::exchange(bounds_, {});
    for (const Row& r : others) if (auto rest = divided(r[v] ? replaced(r) : r, true)) equations_.push_back(std::move(*rest));
    for (const Row& r : bounds) if (auto rest = divided(r[v] ? replaced(r) : r, false)) add(std::move(*rest));
  }
  void eliminate() {
    size_t best = 0, cost = SIZE_MAX;
    for (size_t v = 1; v <= vars_.size(); v++) {
      size_t below = 0, above = 0;
      for (const Row& r : bounds_) below += r[v] > 0, above += r[v] < 0;
      if (below + above > 0 && below * above < cost) best = v, cost = below * above;
    }
    std::vector<Row> all = std::exchange(bounds_, {}), below, above;
    for (Row& r : all) (r[best] > 0 ? below : r[best] < 0 ? above : bounds_).push_back(std::move(r));
    for (const Row& l : below)
      for (const Row& u : above) {
        if (stop()) return;
        i64 common = std::gcd(l[best], u[best]);
        if (auto r = divided(combined(l, -u[best] / common, u, l[best] / common), false)) add(std::move(*r));
      }
  }
};

}  // namespace

bool eliminated(const Constraints& c) {
  Elimination e(c);
  e.run();
  return e.contradiction;
}

// ---- Accesses ----

std::optional<Affine> form_in(const Nest& nest, const VarSet& inside, const Atom& a, const Forms& forms) {
  Affine form = forms.of(a);
  auto is_counter = [&](Var v) { return std::ranges::find(nest, v, &Counter::var) != nest.end(); };
  if (any_term(form, [&](Var v) { return inside.contains(v) && !is_counter(v); })) return {};
  return form;
}
void add_counters(Nest& nest, const VarSet& inside, const Exp& e, const Forms& forms) {
  constexpr uint32_t unnamed = 0x20000000u;              // in the name of the first parameter
  auto add = [&](Var v, const Dim& n) { nest.push_back({v, form_in(nest, inside, n, forms)}); };
  auto elements = [&](const Dim& width, const std::vector<Var>& inputs, const Lambda& f) {
    auto counting = std::ranges::find_if(inputs, [&](Var v) { return forms.counts(v); });
    if (counting != inputs.end()) add(f.params[size_t(counting - inputs.begin())].var, width);
    else if (!f.params.empty()) add({f.params[0].var.index | unnamed}, width);
  };
  match(e, [&](const For& x) { add(x.i.var, x.n); },
        [&](const Seg& x) { for (size_t k = 0; k < x.index.size(); k++) add(x.index[k].var, x.extent[k]); },
        [&](const Screma& x) { elements(x.width, x.inputs, x.pre); },
        [&](const Hist& x) { elements(x.width, x.inputs, x.pre); },
        [](const auto&) {});                             // no other operation counts
}
Access access(Nest nest, const VarSet& inside, const std::vector<Atom>& at, const Forms& forms) {
  Access out{std::move(nest), {}};
  for (const Atom& a : at) out.at.push_back(form_in(out.nest, inside, a, forms));
  return out;
}
Access access(Nest nest, const VarSet& inside, const std::vector<Selector>& at, const Forms& forms) {
  Access out{std::move(nest), {}};
  for (const Selector& x : at) {
    auto one = std::get_if<Atom>(&x);
    out.at.push_back(one ? form_in(out.nest, inside, *one, forms) : std::nullopt);
  }
  return out;
}

std::optional<Affine> largest(Affine form, const Nest& nest) {
  for (size_t k = nest.size(); k-- > 0;) {
    i64 by = form.factor(nest[k].var);
    if (by == 0) continue;
    form = form.without(nest[k].var);
    if (by < 0) continue;                                // at its first step
    if (!nest[k].count) return {};
    form.add(*nest[k].count, by);                        // at its last one, count - 1
    form.constant -= by;
    if (!form.is_small()) return {};
  }
  return form;
}
std::optional<Affine> smallest(const Affine& form, const Nest& nest) {
  auto opposite = largest(-1 * form, nest);
  return opposite ? std::optional(-1 * *opposite) : std::nullopt;
}

std::vector<std::optional<Span>> footprint(const Access& a, size_t from) {
  Nest inner(a.nest.begin() + ptrdiff_t(from), a.nest.end());
  std::vector<std::optional<Span>> out;
  for (const auto& form : a.at) {
    auto first = form ? smallest(*form, inner) : std::nullopt, last = form ? largest(*form, inner) : std::nullopt;
    if (!first || !last) { out.emplace_back(); continue; }
    i64 step = 0;
    for (const Counter& c : inner) step = std::gcd(step, form->factor(c.var));
    out.push_back(Span{*first, *last, step});
  }
  return out;
}

bool is_invariant(const Access& a, Var counter) {
  return std::ranges::all_of(a.at, [&](const auto& form) { return form && form->factor(counter) == 0; });
}

namespace {

// The name of a counter at the other point.
constexpr uint32_t other_bit = 0x40000000u;
Var at_other(Var v) { return {v.index | other_bit}; }
Affine at_other(const Affine& a, const Nest& nest) {
  Affine out(a.constant);
  for (const Affine::Term& t : a.terms) {
    bool counts = std::ranges::find(nest, t.var, &Counter::var) != nest.end();
    out.add(Affine(counts ? at_other(t.var) : t.var), t.factor);
  }
  return out;
}
// The constraints of two points of the same cell.
class Pair {
 public:
  Constraints both;

  Pair(const Access& a, const Access& b, const Known& known) : known_(known) {
    for (const Counter& n : a.nest) counters_.push_back(n.var);
    for (const Counter& n : b.nest) counters_.push_back(at_other(n.var));
    both.not_negative = known.not_negative;
    for (const Affine& fact : known.not_negative) note_sizes(fact);
    for (const Counter& n : a.nest) range(n.var, n.count);
    for (const Counter& n : b.nest) range(at_other(n.var), n.count ? std::optional(at_other(*n.count, b.nest)) : std::nullopt);
    for (size_t d = 0; d < std::min(a.at.size(), b.at.size()); d++) {
      if (!a.at[d] || !b.at[d]) continue;
      Affine apart = *a.at[d] - at_other(*b.at[d], b.nest);
      if (!is_bounded(apart)) continue;
      note_sizes(apart);
      both.zero.push_back(std::move(apart));
    }
    for (Var v : sizes_) both.not_negative.push_back(Affine(v));
  }

 private:
  const Known& known_;
  std::vector<Var> counters_, sizes_;

  bool is_counter(Var v) const { return std::ranges::find(counters_, v) != counters_.end(); }
  bool is_bounded(const Affine& a) const {
    return a.is_small() && !any_term(a, [&](Var v) { return !is_counter(v) && !known_.sizes.contains(v); });
  }
  void note_sizes(const Affine& a) {
    for (const Affine::Term& t : a.terms)
      if (known_.sizes.contains(t.var) && std::ranges::find(sizes_, t.var) == sizes_.end()) sizes_.push_back(t.var);
  }
  void range(Var v, const std::optional<Affine>& count) {
    both.not_negative.push_back(Affine(v));
    if (!count) return;
    bool as_it_is = count->constant == 0 && count->terms.size() == 1 && count->terms[0].factor == 1;   // nothing is computed
    if (!as_it_is && !is_bounded(*count)) return;
    note_sizes(*count);
    both.not_negative.push_back(*count - Affine(v) - 1);
  }
};

}  // namespace

bool disjoint(const Access& a, const Access& b, size_t shared, Order order, const Known& known) {
  const Constraints both = Pair(a, b, known).both;
  auto impossible = [&](const Constraints& c) { return eliminated(c) || (known.exactly && exactly_empty(c) == true); };
  if (order == Anyhow) return impossible(both);
  auto ahead = [&](size_t k) { return Affine(at_other(b.nest[k].var)) - Affine(a.nest[k].var); };   // of b before a
  Constraints here = both;                               // where the counters so far are the same
  for (size_t k = 0; k < shared; k++) {
    for (Order one : {Earlier, Later}) {
      if (!(order & one)) continue;
      Constraints differ = here;
      differ.not_negative.push_back((one == Later ? 1 : -1) * ahead(k) - 1);
      if (!impossible(differ)) return false;
    }
    here.zero.push_back(ahead(k));
  }
  return !(order & Together) || impossible(here);
}
bool is_injective(const Access& a, const Known& known) {   // the pairs are the same in either order
  return disjoint(a, a, a.nest.size(), Later, known);
}

Distance distance(const Access& a, const Access& b) {
  size_t shared = 0;
  while (shared < a.nest.size() && shared < b.nest.size() && a.nest[shared].var == b.nest[shared].var) shared++;
  Distance out{false, std::vector<std::optional<i64>>(shared), std::vector<std::optional<i64>>(shared)};
  for (size_t d = 0; d < std::min(a.at.size(), b.at.size()); d++) {
    const auto &x = a.at[d], &y = b.at[d];
    if (!x || !y) continue;
    std::optional<size_t> only;                          // the counter that x depends on
    size_t counters = 0;
    for (size_t k = 0; k < a.nest.size(); k++) if (x->factor(a.nest[k].var) != 0) only = k, counters++;
    Affine apart = *y - *x;
    if (counters == 0) out.never = out.never || (apart.is_constant() && apart.constant != 0);
    if (counters != 1 || *only >= shared) continue;
    size_t k = *only;
    i64 factor = x->factor(a.nest[k].var);
    if (apart.is_constant()) {
      bool same = apart.constant % factor == 0 && (!out.exactly[k] || *out.exactly[k] == apart.constant / factor);
      out.never = out.never || !same;
      out.exactly[k] = apart.constant / factor;
    } else if (std::abs(factor) == 1) {                  // what x is short of y at I is what J is ahead by
      auto most = largest(factor * apart, b.nest);
      if (most && most->is_constant()) out.at_most[k] = most->constant;
    }
  }
  return out;
}

}  // namespace raido::ir
