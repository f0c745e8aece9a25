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
// The comparison must be linear in j with the factor 1 or -1, and everything else in it known outside. All but the second are
// exact for any operator and its neutral element. In the second a literal 0 counts as an element that is not there: an infinity
// beside it does not become a NaN. A derivative of what was restricted visits the same elements. In a device's nest sums keep
// their width, which has to be the same for all threads there.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/facts.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"
#include "passes/products/contraction.h"

namespace raido {
namespace {

using namespace ir;

struct Guard {                                           // of what matters only where `condition` is `value`
  Var condition;                                         // or an array, of what matters only where it is not known to be zero
  bool value;
  friend bool operator==(const Guard&, const Guard&) = default;
};
using Guards = std::vector<Guard>;
Guards either(Guards a, const Guards& b) {
  for (const Guard& g : b) if (std::ranges::find(a, g) == a.end()) a.push_back(g);
  return a;
}
Guards common(const Guards& a, const Guards& b) {
  Guards both;
  for (const Guard& g : a) if (std::ranges::find(b, g) != b.end()) both.push_back(g);
  return both;
}

struct Range {
  std::vector<Affine> at_least, at_most;                 // of the index
  VarSet known;                                          // conditions that say nothing more
};

class Patterns {
 public:
  Patterns(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), facts_(p), counting_(counting_arrays(p)) {}

  void run() {
    for (Function& f : p_.functions) for (Bind b : f.lambda.params) facts_.bound(b.var);
    p_.each_body([&](Body& b) { body(b, false); });
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  Facts facts_;
  VarSet counting_;
  std::unordered_map<Var, const Dest*> dests_;           // by token, of the scopes that are open
  std::unordered_map<Var, Range> bands_;                 // of arrays of one dimension: the indices outside of which they are zero
  std::unordered_map<Var, Var> elements_;                // parameters that are elements of these

  void body(Body& whole, bool parallel) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      bool nest = std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp);
      if (auto scope = std::get_if<WithAcc>(&s.exp))
        for (size_t k = 0; k < scope->dests.size(); k++) dests_[scope->scope.params[k].var] = &scope->dests[k];
      facts_.in_bodies(s, [&](Body& inner) { body(inner, parallel || nest); });
      b.checks = s.checks;
      if (auto x = std::get_if<Screma>(&s.exp); x && !(parallel && context_.target == Target::Gpu)) {
        for (size_t k = 0; k < x->inputs.size(); k++)
          if (bands_.contains(x->inputs[k])) elements_.emplace(x->pre.params[k].var, x->inputs[k]);
        restrict(b, s, *x);
        note_bands(s, *x);
      }
      if (auto x = std::get_if<For>(&s.exp)) restrict(b, s, *x);
      for (Bind x : s.pattern) {
        facts_.bound(x.var);
        facts_.define(x.var, s.exp);
      }
      return false;
    });
  }
  // ---- what matters only sometimes ----

  // Where `a` is something else than `nothing`: at most where these hold. What stands for `nothing` is a constant or a variable.
  Guards where(const Atom& a, const Atom& nothing, const Definitions& made) const {
    std::unordered_map<Var, Guards> known;
    return where(a, nothing, made, known);
  }
  // `known` are those of variables that are zero elsewhere: one that is used often is looked at once.
  Guards where(const Atom& a, const Atom& nothing, const Definitions& made, std::unordered_map<Var, Guards>& known) const {
    auto v = var_of(a);
    auto none = const_of(nothing);
    if (!v || !none || !is_zero(*none)) return look_where(a, nothing, made, known);
    if (auto found = known.find(*v); found != known.end()) return found->second;
    return known[*v] = look_where(a, nothing, made, known);
  }
  Guards look_where(const Atom& a, const Atom& nothing, const Definitions& made, std::unordered_map<Var, Guards>& known) const {
    auto v = var_of(a);
    auto none = const_of(nothing);
    bool zero = none && is_zero(*none);
    if (auto element = v ? elements_.find(*v) : elements_.end(); zero && element != elements_.end()) return {{element->second, true}};
    const Stm* found = made.of(a);
    if (!found) return {};
    const Stm& s = *found;
    auto is_nothing = [&](const Atom& x) { auto c = const_of(x); return x == nothing || (zero && c && is_zero(*c)); };
    auto choice = [&](const Atom& condition, const Atom& yes, const Atom& no) {
      auto c = var_of(condition);
      if (c && is_nothing(no)) return Guards{{*c, true}};
      if (c && is_nothing(yes)) return Guards{{*c, false}};
      return Guards{};
    };
    if (auto x = std::get_if<If>(&s.exp)) {
      for (size_t i = 0; i < s.pattern.size(); i++)
        if (s.pattern[i].var == *v) return choice(x->cond, x->then_.result[i], x->else_.result[i]);
      return {};
    }
    auto x = std::get_if<Apply>(&s.exp);
    if (!x) return {};
    bool exact = !is_float_type(p_.type(*v)) || !context_.options.strict_fp;
    if (x->op == ScalarOp::select) return choice(x->args[0], x->args[1], x->args[2]);
    if (x->op == ScalarOp::mul && zero && exact) return either(where(x->args[0], nothing, made, known), where(x->args[1], nothing, made, known));
    if (x->op == ScalarOp::neg && zero) return where(x->args[0], nothing, made, known);
    if ((x->op == ScalarOp::add || x->op == ScalarOp::sub) && zero) return common(where(x->args[0], nothing, made, known), where(x->args[1], nothing, made, known));
    if (x->op == ScalarOp::add && var_of(nothing) && exact) {       // a sum that is the state of a loop
      Const summand = constant(elem_of(p_.type(*v)), 0);
      for (size_t k : {0, 1}) if (x->args[k] == nothing) return where(x->args[1 - k], summand, made, known);
    }
    return {};
  }

  // Where an accumulator is updated with something else than a neutral element on its way from `params`; none: nowhere.
  std::optional<Guards> updates(const Atom& end, const std::vector<Bind>& params, const Definitions& made) const {
    std::optional<Guards> guards;
    auto here = [&](const Guards& g) { guards = guards ? common(*guards, g) : g; };
    for (Var acc = *var_of(end); std::ranges::none_of(params, [&](Bind x) { return x.var == acc; });) {
      const Stm* found = made.of(acc);
      if (!found) return Guards{};
      const Stm& s = *found;
      if (auto u = std::get_if<AccUpdate>(&s.exp)) {
        auto dest = dests_.find(std::get<AccType>(p_.type(acc)).token);
        if (dest == dests_.end() || !dest->second->combine || !dest->second->combine->shape.empty()) return Guards{};
        for (size_t k = 0; k < u->values.size(); k++) here(where(u->values[k], dest->second->combine->neutral.at(k), made));
        acc = u->acc;
      } else if (auto x = std::get_if<If>(&s.exp)) {
        size_t k = 0;
        while (s.pattern[k].var != acc) k++;
        auto c = var_of(x->cond);
        Var yes = *var_of(x->then_.result[k]), no = *var_of(x->else_.result[k]);
        auto from_outside = [](Var v, const Body& b) {
          bool inside = false;
          each_bind(b, [&](Var w) { inside = inside || w == v; });
          return !inside;
        };
        if (c && from_outside(no, x->else_)) { here({{*c, true}}); acc = no; }
        else if (c && from_outside(yes, x->then_)) { here({{*c, false}}); acc = yes; }
        else return Guards{};
      } else {
        return Guards{};
      }
    }
    return guards;
  }

  // ---- ranges ----

  // The form of an integer; a variable from outside counts as one whatever its value is.
  std::optional<Affine> form(const Atom& a, const VarSet& inside) const {
    if (auto l = facts_.form(a)) return l;
    auto v = var_of(a);
    return v && !inside.contains(*v) ? std::optional(Affine(*v)) : std::nullopt;
  }
  // Adds what `condition` being `value` says of j; false if it says more than that.
  bool learn(const Atom& condition, bool value, Var j, const VarSet& inside, const Definitions& made, Range& r) const {
    auto x = made.get<Apply>(condition);
    if (!x) return false;
    auto fact = [&](Affine l) {                          // l >= 0
      i64 by = l.factor(j);
      if (std::abs(by) != 1) return false;
      bool lower = by == 1;
      l = l.without(j);
      if (any_term(l, [&](Var w) { return inside.contains(w); })) return false;
      if (lower) r.at_least.push_back(-1 * l);
      else r.at_most.push_back(l);
      return true;
    };
    bool all = true;
    switch (x->op) {
      case ScalarOp::not_: return learn(x->args[0], !value, j, inside, made, r);
      case ScalarOp::and_: case ScalarOp::or_:
        if (value != (x->op == ScalarOp::and_)) return false;
        for (const Atom& part : x->args) all = learn(part, value, j, inside, made, r) && all;
        return all;
      case ScalarOp::lt: case ScalarOp::le: case ScalarOp::eq: case ScalarOp::ne: break;
      default: return false;
    }
    if (elem_of(p_, x->args[0]) != Scalar::I64) return false;
    auto b = form(x->args[1], inside);
    const Affine one = 1;
    if (auto abs = made.get<Apply>(x->args[0]); abs && value && b) {               // abs d <= b
      if (abs->op == ScalarOp::abs && (x->op == ScalarOp::lt || x->op == ScalarOp::le)) {
        auto inner = facts_.form(abs->args[0]);
        Affine most = x->op == ScalarOp::lt ? *b - one : *b;
        return inner && fact(most - *inner) && fact(most + *inner);
      }
    }
    auto a = form(x->args[0], inside);
    if (!a || !b) return false;
    bool equal = x->op == ScalarOp::eq || x->op == ScalarOp::ne;
    if (equal) return value == (x->op == ScalarOp::eq) && fact(*b - *a) && fact(*a - *b);
    Affine strict = x->op == ScalarOp::lt ? one : 0;
    return value ? fact(*b - *a - strict) : fact(*a - *b - (one - strict));
  }
  // Of the iterations of x with the body b, if j counts them; without j what arrays alone say.
  template <class X> std::optional<Range> range(const Guards& guards, std::optional<Var> j, const X& x, const Body& b) const {
    const VarSet inside = bound_in(x);
    const Definitions made(b);
    Range r;
    for (const Guard& g : guards) {
      if (auto band = bands_.find(g.condition); band != bands_.end()) {
        r.at_least.insert(r.at_least.end(), band->second.at_least.begin(), band->second.at_least.end());
        r.at_most.insert(r.at_most.end(), band->second.at_most.begin(), band->second.at_most.end());
      } else if (j && learn(g.condition, g.value, *j, inside, made, r)) {
        r.known.insert(g.condition);
      }
    }
    if (r.at_least.empty() && r.at_most.empty()) return {};
    return r;
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
  // Nothing stops the program where a guard does not hold.
  static bool cannot_fail(const Body& b, const Guards& guards) {
    bool fails = false;
    auto look = [&](const Stm& s) { fails = fails || std::holds_alternative<Assert>(s.exp) || std::holds_alternative<Call>(s.exp); };
    for (const Stm& s : b.stms) {
      auto choice = std::get_if<If>(&s.exp);
      auto guard = std::ranges::find_if(guards, [&](const Guard& g) { return choice && choice->cond == Atom(g.condition); });
      if (guard != guards.end()) {
        each_stm(guard->value ? choice->else_ : choice->then_, look);
        continue;
      }
      look(s);
      walk_parts(s, [&](const Body& inner) { each_stm(inner, look); });
    }
    return !fails;
  }
  void take_conditions(const Guards& guards, const Range& r, Body& b) {
    Subst known;
    for (const Guard& g : guards) if (r.known.contains(g.condition)) known.emplace(g.condition, bool_const(g.value));
    substitute(p_, b, known);
  }

  void restrict(Builder& b, Stm& s, Screma& x) {
    if (!x.scans.empty() || !x.post_reduces.empty() || !identity_post(x)) return;
    const Definitions made(x.pre.body);
    std::optional<Guards> guards;
    size_t at = 0;
    auto look = [&](const Atom& nothing) {
      Guards here = where(x.pre.body.result[at++], nothing, made);
      guards = guards ? common(*guards, here) : here;
    };
    for (const Combine& c : x.reduces) {
      if (!c.shape.empty() || c.neutral.size() != 1) return;
      look(c.neutral[0]);
    }
    for (; at < x.pre.body.result.size(); at++) {
      const Atom& r = x.pre.body.result[at];
      if (!is_acc(p_.type(r))) return;
      if (auto here = updates(r, x.pre.params, made)) guards = guards ? common(*guards, *here) : *here;
    }
    if (!guards || !cannot_fail(x.pre.body, *guards)) return;
    auto restrict_by = [&](std::optional<Var> counter) {
      auto r = range(*guards, counter, x.pre, x.pre.body);
      if (!r || !aliases_.consumed(s).empty() || !context_.allow()) return false;
      auto [first, count] = bounds(b, *r, x.width);
      take_conditions(*guards, *r, x.pre.body);
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
      return true;
    };
    for (std::optional<Var> counter : counters(x)) if (restrict_by(counter)) return;
  }
  // The parameters that count the iterations; none if there is no such parameter.
  std::vector<std::optional<Var>> counters(const Screma& x) const {
    std::vector<std::optional<Var>> found;
    for (size_t i = 0; i < x.inputs.size(); i++)
      if (counting_.contains(x.inputs[i])) found.push_back(x.pre.params[i].var);
    if (found.empty()) found.push_back({});
    return found;
  }
  // Which rows that a map makes are zero outside of some indices.
  void note_bands(const Stm& s, const Screma& x) {
    if (!is_map(x)) return;
    const Definitions made(x.pre.body);
    for (size_t k = 0; k < s.pattern.size(); k++) {
      const Atom& element = x.pre.body.result[k];
      if (!is_scalar(p_.type(element))) continue;
      Guards guards = where(element, constant(elem_of(p_, element), 0), made);
      if (guards.empty()) continue;
      for (std::optional<Var> counter : counters(x))
        if (auto r = range(guards, counter, x.pre, x.pre.body)) {
          bands_.insert_or_assign(s.pattern[k].var, *r);
          break;
        }
    }
  }
  void restrict(Builder& b, Stm&, For& x) {
    if (x.state.empty()) return;
    const Definitions made(x.body);
    std::optional<Guards> guards;
    for (size_t k = 0; k < x.state.size(); k++) {
      const Atom& r = x.body.result[k];
      if (r == Atom(x.state[k].var)) continue;
      auto here = is_acc(p_.type(r)) ? updates(r, x.state, made) : where(r, x.state[k].var, made);
      if (here) guards = guards ? common(*guards, *here) : *here;
    }
    if (!guards || !cannot_fail(x.body, *guards)) return;
    auto r = range(*guards, x.i.var, x, x.body);
    if (!r || !context_.allow()) return;
    auto [first, count] = bounds(b, *r, x.n);
    take_conditions(*guards, *r, x.body);
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

}  // namespace raido
