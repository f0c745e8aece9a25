// zero_seeds.cc - derivatives for a batch of k seeds (decision 008) are mostly zero where each of many parameters moves a few
// things: loops over the seeds run from the first to the last that is not zero (decision 015).
//
//   ts: [n][k]f64 batched                first, count: [n]i64 = for b < n { of the seeds j with ts[b, j] != 0 }
//   for v < m (..) {                     for v < m (..) {
//     for b < n (xs = xs0) {               for b < n (xs = xs0) {
//       let w = ..                           let w = ..
//       for j < k (ys = xs) {                if count[b] < k && |w| < inf
//         let t = index ts [b, j]     ==>    then for i < count[b] (ys = xs) { let j = first[b] + i .. the same }
//         ys[j] += w * t                     else the loop as it was
//       }
//     }                                    }
//   }                                    }
//
// What is added is zero where all rows that it reads are: sums of products with one factor of them. The other factors are
// looked at when the program runs, as zero times infinity is none; so only the sign of a zero may change. A factor of everything that is added,
// such as w here, makes it zero, too, if it is zero itself. Then no seed is left. Neither products of rows nor rows may be infinite for that,
// so they are compared with a root of the largest number. Rows are looked at in
// front of the outermost loop that does not make them, and never beyond their bounds: each of their other indices is a constant
// or the counter of a loop over that whole dimension.
#include <algorithm>
#include <cmath>

#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

struct Read {
  Var array;
  std::vector<Atom> at;                    // the last one is the seed
  friend bool operator==(const Read&, const Read&) = default;
};
// A loop over seeds that may run shorter.
struct Candidate {
  Var outer, loop;                         // first results of the loop that the rows are looked at before; of that over seeds
  i64 k = 0;
  std::vector<Read> reads;
  std::vector<Atom> factors, divisors, common;             // common: of all that is added
  double bound = INFINITY;                 // below it nothing that is added is infinite
  std::vector<Var> index;                  // counters of the loops between the two that the rows depend on
  std::vector<Dim> extent;
  Var first = {}, count = {};              // of these extents
};

// The body of a loop over seeds, statement by statement: does it add to elements of the state what is zero where all reads are?
class Additions {
 public:
  Additions(const Program& p, const For& loop) : p_(p), loop_(loop), places_(loop.state.size()), last_(loop.state.size()) {
    own_.insert(loop.i.var);
    for (const Stm& inner : loop.body.stms) for (Bind x : inner.pattern) own_.insert(x.var);
    for (Bind x : loop.state) own_.insert(x.var);
  }
  std::vector<Read> reads;
  std::vector<Atom> factors, divisors;                       // from outside, of what is zero

  // Factors of all that is added, and the bound below which rows and factors must be for what is added to be finite.
  std::vector<Atom> common() const { return divisors.empty() && added_->largest <= 1 && bound() > 1 ? added_->factors : std::vector<Atom>(); }
  double bound() const {
    const Scalar t = elem_of(p_.type(loop_.state[0].var));
    return std::pow(10, (t == Scalar::F64 ? 300 : t == Scalar::F32 ? 30 : 0) / int(added_->numbers));
  }

  bool add(const Stm& s) {
    if (!s.checks.empty() || !s.attrs.empty() || s.pattern.size() != 1) return false;
    Var y = s.pattern[0].var;
    return match(s.exp, [&](const Index& x) { return read(x, y); }, [&](const Apply& x) { return compute(x, y); },
                 [&](const Update& x) { return write(x, y); }, [](const auto&) { return false; });
  }
  bool all_return_what_was_added() const {
    for (size_t c = 0; c < loop_.state.size(); c++) if (!last_[c] || loop_.body.result[c] != Atom(*last_[c])) return false;
    return true;
  }

 private:
  const Program& p_;
  const For& loop_;
  struct Sum {                                               // of products
    std::vector<Atom> factors;                               // from outside, of all of them
    size_t numbers = 1;                                      // of the longest product, constants not counted
    double largest = 0;                                      // constant factor
  };
  VarSet own_;                                               // made in the loop
  std::unordered_map<Var, Sum> zero_;                        // where what is read is zero
  std::optional<Sum> added_;                                 // to the states, all together
  std::unordered_map<Var, std::pair<size_t, bool>> state_;   // an element of a state -> which, whether something was added
  std::vector<std::vector<Atom>> places_;                    // of the elements, for each state
  std::vector<std::optional<Var>> last_;                     // each state after its update

  bool is_zero(const Atom& a) const { auto v = var_of(a); return v && zero_.contains(*v); }
  bool add_zero(Var v, Sum sum) { return zero_.emplace(v, std::move(sum)).second; }
  const Sum& sum(const Atom& a) const { return zero_.at(*var_of(a)); }
  static Sum product(Sum s, const Atom& by) {
    if (auto c = const_of(by)) {
      s.largest = std::max(s.largest, std::abs(c->as_f64()));
    } else {
      s.factors.push_back(by);
      s.numbers++;
    }
    return s;
  }
  static Sum both_of(Sum l, const Sum& r) {
    std::erase_if(l.factors, [&](const Atom& a) { return std::ranges::find(r.factors, a) == r.factors.end(); });
    return {std::move(l.factors), std::max(l.numbers, r.numbers), std::max(l.largest, r.largest)};
  }
  bool from_outside(const Atom& a) const { auto v = var_of(a); return v ? !own_.contains(*v) : std::isfinite(const_of(a)->as_f64()); }
  static void note(std::vector<Atom>& list, const Atom& a) { if (var_of(a) && std::ranges::find(list, a) == list.end()) list.push_back(a); }
  size_t state_of(Var v) const { return size_t(std::ranges::find(loop_.state, v, &Bind::var) - loop_.state.begin()); }
  // The last index is the seed, the others come from outside.
  std::optional<std::vector<Atom>> places_of(const std::vector<Selector>& at) const {
    std::vector<Atom> atoms;
    for (const Selector& x : at) {
      auto a = std::get_if<Atom>(&x);
      if (!a || (atoms.size() + 1 == at.size() ? *a != Atom(loop_.i.var) : var_of(*a) && own_.contains(*var_of(*a)))) return {};
      atoms.push_back(*a);
    }
    return atoms;
  }

  bool read(const Index& x, Var y) {
    auto at = places_of(x.at);
    if (!at || !is_scalar(p_.type(y))) return false;
    if (size_t which = state_of(x.array); which < loop_.state.size()) {
      if (!places_[which].empty() && places_[which] != *at) return false;
      places_[which] = *at;
      return state_.emplace(y, std::pair(which, false)).second;
    }
    const std::vector<Dim> shape = shape_of(p_.type(x.array));
    if (own_.contains(x.array) || !p_.vars[x.array.index].batched || shape.back() != loop_.n) return false;
    if (std::ranges::find(reads, Read{x.array, *at}) == reads.end()) reads.push_back({x.array, std::move(*at)});
    return add_zero(y, {});
  }
  bool compute(const Apply& x, Var y) {
    if (!is_float(elem_of(p_, x.args[0]))) return false;
    const Atom &l = x.args[0], &r = x.args.back();
    bool both = is_zero(l) && is_zero(r);
    switch (x.op) {
      case ScalarOp::neg: return is_zero(l) && add_zero(y, sum(l));
      case ScalarOp::div:
        if (!is_zero(l) || !from_outside(r) || (const_of(r) && const_of(r)->as_f64() == 0)) return false;
        note(divisors, r);
        return add_zero(y, sum(l));
      case ScalarOp::mul:
        if (both || !(is_zero(l) ? from_outside(r) : is_zero(r) && from_outside(l))) return false;
        note(factors, is_zero(l) ? r : l);
        return add_zero(y, is_zero(l) ? product(sum(l), r) : product(sum(r), l));
      case ScalarOp::add: case ScalarOp::sub: {
        if (both) return add_zero(y, both_of(sum(l), sum(r)));
        bool left = is_zero(r);
        auto old = var_of(left ? l : r);
        auto of = old ? state_.find(*old) : state_.end();
        if ((!left && (x.op == ScalarOp::sub || !is_zero(l))) || of == state_.end()) return false;
        const Sum& more = sum(left ? r : l);
        added_ = added_ ? both_of(std::move(*added_), more) : more;
        return state_.emplace(y, std::pair(of->second.first, true)).second;
      }
      default: return false;
    }
  }
  bool write(const Update& x, Var y) {
    size_t which = state_of(x.array);
    auto value = var_of(x.value);
    auto of = value ? state_.find(*value) : state_.end();
    auto at = places_of(x.at);
    if (which == loop_.state.size() || of == state_.end() || of->second != std::pair(which, true) || at != places_[which] || last_[which]) return false;
    last_[which] = y;
    return true;
  }
};

class ZeroSeeds {
 public:
  ZeroSeeds(Program& p, PassContext& context) : p_(p), context_(context) {}

  void find(const Body& b) {
    for (const Stm& s : b.stms) {
      for (Bind x : s.pattern) depth_[x.var] = loops_.size();
      if (auto loop = std::get_if<For>(&s.exp); loop && !loops_.empty()) {
        auto found = plan(s, *loop);
        if (found && context_.allow()) plans_.push_back(std::move(*found));
      }
      bool repeats = std::holds_alternative<For>(s.exp) || std::holds_alternative<While>(s.exp) || std::holds_alternative<Seg>(s.exp);
      if (repeats) {
        loops_.push_back(&s);
        each_bind(s.exp, [&](Var v) { depth_[v] = loops_.size(); });     // deeper ones once more below
      }
      walk_parts(s, [&](const Body& inner) { find(inner); });
      if (repeats) loops_.pop_back();
    }
  }
  void rewrite(Body& b) {
    if (plans_.empty()) return;
    Builder out(p_, b.stms);
    out.into(b, [&](List<Stm>& stms) {
      for (auto& item : stms.take()) {
        Stm& s = *item;
        out.source = s.source;
        for (Candidate& x : plans_) if (!s.pattern.empty() && x.outer == s.pattern[0].var) look(out, x);
        walk_parts(s, [&](Body& inner) { rewrite(inner); });
        auto x = std::ranges::find_if(plans_, [&](const Candidate& each) { return !s.pattern.empty() && each.loop == s.pattern[0].var; });
        if (x == plans_.end()) out.emit(std::move(s));
        else choose(out, *x, std::move(s));
      }
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  std::vector<const Stm*> loops_;          // around
  VarMap<size_t> depth_;                   // the number of loops around what binds it
  std::vector<Candidate> plans_;

  struct Counter {
    size_t loop;                           // in loops_
    Dim n;
  };
  std::optional<Counter> counter(const Atom& a) const {
    for (size_t k = 0; k < loops_.size(); k++) {
      if (auto f = std::get_if<For>(&loops_[k]->exp); f && a == Atom(f->i.var)) return Counter{k, f->n};
      if (auto x = std::get_if<Seg>(&loops_[k]->exp))
        for (size_t d = 0; d < x->index.size(); d++) if (a == Atom(x->index[d].var)) return Counter{k, x->extent[d]};
    }
    return {};
  }
  std::optional<i64> trips(const Stm& s) const {
    Dim n = i64_const(costs::batch_trips);
    if (auto f = std::get_if<For>(&s.exp)) n = f->n;
    if (auto x = std::get_if<Seg>(&s.exp)) n = x->extent[0];
    auto c = const_of(n);
    return c ? std::optional(c->as_i64()) : std::nullopt;
  }

  // What is added to the state for each seed, and what that reads; none unless it is zero where what is read is.
  std::optional<Candidate> plan(const Stm& s, const For& loop) const {
    auto k = const_of(loop.n);
    if (!k || k->as_i64() < costs::batch_trips || s.pattern.empty() || !s.checks.empty()) return {};
    Additions body(p_, loop);
    for (const Stm& inner : loop.body.stms) if (!body.add(inner)) return {};
    if (!body.all_return_what_was_added()) return {};
    if (body.reads.empty()) return {};
    Candidate out{{}, s.pattern[0].var, k->as_i64(), std::move(body.reads), std::move(body.factors), std::move(body.divisors), {}, INFINITY, {}, {}};
    out.common = body.common();
    if (!out.common.empty()) out.bound = body.bound();
    return where(out) ? std::optional(std::move(out)) : std::nullopt;
  }

  // Finds the loop before which all rows can be looked at.
  bool where(Candidate& x) const {
    size_t made = 0;                                         // loops around the last array that is made
    std::vector<Counter> counters;
    for (const Read& r : x.reads) {
      made = std::max(made, depth_[r.array]);
      const std::vector<Dim> shape = shape_of(p_.type(r.array));
      if (r.at.size() != shape.size()) return false;
      for (size_t d = 0; d + 1 < r.at.size(); d++) {
        auto of = counter(r.at[d]);
        auto c = const_of(r.at[d]), n = const_of(shape[d]);
        if (of ? of->n != shape[d] : !c || !n || c->as_i64() < 0 || c->as_i64() >= n->as_i64()) return false;
        if (of && std::ranges::find(x.index, *var_of(r.at[d])) == x.index.end()) {
          x.index.push_back(*var_of(r.at[d]));
          counters.push_back(*of);
        }
      }
    }
    size_t at = made;
    auto few = [&](const Stm& s) { auto n = trips(s); return n && *n < costs::batch_trips; };
    while (at < loops_.size() && (few(*loops_[at]) || std::ranges::any_of(counters, [&](const Counter& c) { return c.loop == at; }))) at++;
    if (at == loops_.size() || loops_[at]->pattern.empty()) return false;
    x.outer = loops_[at]->pattern[0].var;
    std::vector<Var> inside;
    for (size_t c = 0; c < counters.size(); c++) {
      if (counters[c].loop < at) continue;
      inside.push_back(x.index[c]);
      x.extent.push_back(counters[c].n);
    }
    x.index = std::move(inside);
    return true;
  }

  // first, count = for b < n .. { first[b], count[b] = the range of seeds that are not zero }
  void look(Builder& b, Candidate& x) {
    if (x.index.empty()) return range(b, x, {}, [&](Atom first, Atom count) {
      x.first = b.bind1("first", Identity{first});
      x.count = b.bind1("count", Identity{count});
    });
    std::vector<Atom> arrays;
    for (size_t c = 0; c < 2; c++) arrays.push_back(b.bind1(c == 0 ? "first" : "count", Scratch{Scalar::I64, x.extent}));
    std::vector<Atom> made = rows(b, x, arrays, {});
    x.first = *var_of(made[0]);
    x.count = *var_of(made[1]);
  }
  std::vector<Atom> rows(Builder& b, const Candidate& x, const std::vector<Atom>& arrays, std::vector<Atom> at) {
    if (at.size() == x.extent.size()) {
      std::vector<Atom> now;
      range(b, x, at, [&](Atom first, Atom count) {
        now = {b.update(*var_of(arrays[0]), at, first), b.update(*var_of(arrays[1]), at, count)};
      });
      return now;
    }
    For loop{{p_.fresh("i", scalar_type(Scalar::I64))}, x.extent[at.size()], {}, arrays, {}};
    std::vector<Atom> state;
    for (const Atom& a : arrays) {
      loop.state.push_back({p_.fresh(p_.hint(*var_of(a)), p_.type(a))});
      state.push_back(loop.state.back().var);
    }
    at.push_back(loop.i.var);
    loop.body = b.body([&] { return rows(b, x, state, at); });
    std::vector<Var> made = b.bind(std::vector<std::string>{"first", "count"}, std::move(loop));
    return {made.begin(), made.end()};
  }
  // f(first, count) for the rows at `at`. More than there are: they are too large.
  template <class F> void range(Builder& b, const Candidate& x, const std::vector<Atom>& at, F f) {
    Subst here;
    for (size_t c = 0; c < at.size(); c++) here.emplace(x.index[c], at[c]);
    const Type i64_type = scalar_type(Scalar::I64);
    Term none = b.term(i64_const(0)), all = b.term(i64_const(x.k));
    For loop{{p_.fresh("j", i64_type)}, i64_const(x.k), {{p_.fresh("first", i64_type)}, {p_.fresh("end", i64_type)}}, {all.atom, none.atom}, {}};
    loop.body = b.body([&] {
      Term some = b.term(bool_const(false)), wild = some, j = b.term(loop.i.var);
      for (const Read& r : x.reads) {
        std::vector<Atom> place;
        for (const Atom& a : r.at) {
          auto found = var_of(a) ? here.find(*var_of(a)) : here.end();
          place.push_back(found == here.end() ? a : found->second);
        }
        place.back() = loop.i.var;
        Term value = b.term(b.index("t", r.array, place));
        some = or_(some, not_(eq(value, b.number(value.scalar(), 0))));
        if (!x.common.empty()) wild = or_(wild, not_(lt(apply(ScalarOp::abs, {value}), b.number(value.scalar(), x.bound))));
      }
      Term start = select({some, j, all}), end = select({some, j + 1, none});
      if (!x.common.empty()) start = select({wild, none, start}), end = select({wild, all + 1, end});
      Term first = apply(ScalarOp::min, {b.term(loop.state[0].var), start});
      return std::vector<Atom>{first.atom, apply(ScalarOp::max, {b.term(loop.state[1].var), end}).atom};
    });
    std::vector<Var> made = b.bind(std::vector<std::string>{"first", "end"}, std::move(loop));
    Term first = b.term(made[0]);
    f(first.atom, apply(ScalarOp::max, {b.term(made[1]) - first, none}).atom);
  }

  void choose(Builder& b, const Candidate& x, Stm s) {
    For& loop = std::get<For>(s.exp);
    Term first = b.term(x.first), count = b.term(x.count);
    if (!x.index.empty()) {
      std::vector<Atom> at(x.index.begin(), x.index.end());
      first = b.term(b.index("first", x.first, at));
      count = b.term(b.index("count", x.count, at));
    }
    Term all = b.term(i64_const(x.k)), zero = b.term(bool_const(false));
    for (const Atom& a : x.common) {
      Term value = b.term(a);
      zero = or_(zero, eq(value, b.number(value.scalar(), 0)));
    }
    Term fewer = lt(count, select({zero, all + 1, all}));
    auto size = [&](const Atom& a) { return apply(ScalarOp::abs, {b.term(a)}); };
    for (const Atom& a : x.factors) {
      Term value = size(a);
      fewer = and_(fewer, lt(value, b.number(value.scalar(), x.bound)));
    }
    for (const Atom& a : x.divisors) {
      Term value = size(a);
      fewer = and_(fewer, lt(b.number(value.scalar(), 0), value));
    }
    For some = clone(p_, loop);
    Var j = p_.fresh("j", scalar_type(Scalar::I64));
    substitute(p_, some.body, {{some.i.var, j}});
    some.n = select({zero, b.term(i64_const(0)), count}).atom;
    b.into(some.body, [&](List<Stm>& stms) {
      b.emit({{{j}}, Apply{ScalarOp::add, {first.atom, some.i.var}}, {}, s.source, {}});
      b.emit_all(std::move(stms));
    });
    auto branch = [&](For part) {
      return b.body([&] {
        b.attrs = s.attrs;
        std::vector<Var> rows = b.bind("row", std::move(part));
        b.attrs = {};
        return std::vector<Atom>(rows.begin(), rows.end());
      });
    };
    If both{fewer.atom, branch(std::move(some)), branch(std::move(loop))};
    context_.stats.count("zero_seeds.range");
    b.emit({s.pattern, std::move(both), {}, s.source, {}});
  }
};

}  // namespace

void zero_seeds(Program& program, PassContext& context) {
  if (context.options.strict_fp || context.target == Target::Gpu) return;
  program.each_body([&](Body& b) {
    ZeroSeeds pass(program, context);
    pass.find(b);
    pass.rewrite(b);
  });
}

}  // namespace raido
