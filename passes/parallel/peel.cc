// peel.cc - conditions that only the first or the last iterations of an inner loop decide otherwise, as the edges of a grid do.
//
//   for i < n (xs) {                                    xs1 = for i < min n 1 (xs) { the same }
//     let c = lt [0, i]                         ==>     xs2 = for j < .. (xs1) { let i = 1 + j .. a .. }
//     let x = if c { a } else { b } ..                  xs3 = for j < .. (xs2) { let i = (n - 1) + j .. the same }
//     let k = min [n - 1, i + 1] ..
//   }
//
// Between them nothing depends on where the iteration is. There are no branches, which keep the elements of a vector from being computed
// together. Indices are i + 1 instead of a minimum or a choice that wraps around. A condition is a comparison of i + c with a number near 0 or
// near n. Their minimum and maximum, which keep an index inside, are conditions as well. At most costs::peeled_ends iterations are apart at
// either end. Loops that hold other loops stay as they are: there a branch costs little beside what is inside.
//
// A loop over a part of the range, from begin = min [n, ..] to min [n, ..], is taken apart in the same way: its index is begin + i. Most
// parts have no iteration at either end.
//
//   for i < n (xs) {                                    xs1 = for i < max 0 (min n (k + 1)) (xs) { .. b .. }
//     let c = lt [k, i]                         ==>     xs2 = for j < .. (xs1) { let i = (k + 1) + j .. a .. }
//     let x = if c { a } else { b } ..
//   }
//
// Any other number that the loop does not change cuts it in two. An elimination changes what lies after row and column k, for example. If
// `eq` is among its comparisons, the iterations at which they turn are between the two.
#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Peeler {
 public:
  explicit Peeler(const Program& p) : p_(p), forms_(p) {
    p.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) {
        if (auto x = std::get_if<Apply>(&s.exp); x && x->op == ScalarOp::min) minima_.emplace(s.pattern[0].var, x->args);
      });
    });
  }
  // How many iterations are apart, and what is between them: the value of a comparison, or which operand min or max gives.
  struct Plan {
    Atom begin, whole;                                   // the range and where this loop begins in it
    i64 first = 0, last = 0;
    std::unordered_map<Var, Atom> between = {};
  };
  std::optional<Plan> plan(const Stm& s, const For& loop) const {
    const VarSet inside = bound_in(loop);
    Plan out = range(loop);
    auto decides = [&](const Apply& x, Var result) { return decide(out, loop, inside, x, result); };
    return has_choices(s, loop, decides) && !out.between.empty() ? std::optional(out) : std::nullopt;
  }
  // The iterations before bound + from, and those from bound + to on, each know the values of comparisons.
  struct Turn {
    Atom begin, bound;
    i64 from = 0, to = 0;
    std::unordered_map<Var, Atom> before = {}, after = {};
  };
  std::optional<Turn> turn(const Stm& s, const For& loop) const {
    const VarSet inside = bound_in(loop);
    std::optional<Turn> out;
    bool branches = false;
    each_stm(loop.body, [&](const Stm& inner) { branches = branches || std::holds_alternative<If>(inner.exp); });
    auto decides = [&](const Apply& x, Var result) { return turns(out, loop, inside, x, result); };
    return branches && has_choices(s, loop, decides) ? out : std::nullopt;
  }

 private:
  const Program& p_;
  Forms forms_;
  std::unordered_map<Var, std::vector<Atom>> minima_;      // their operands

  // Whether it has a body that may be copied, in which something depends on conditions. `decides` looks at all operations on two indices.
  template <class Decides> bool has_choices(const Stm& s, const For& loop, Decides decides) const {
    if (auto n = const_of(loop.n); n && n->as_i64() < costs::peeled_trips) return false;
    VarSet state;
    for (Bind x : loop.state) state.insert(x.var);
    for (Bind x : loop.state) {
      bool depends = false;
      walk(p_.type(x.var), [&](const Var& v) { depends = depends || state.contains(v); });
      if (depends) return false;
    }
    bool choices = false, nested = false;
    size_t statements = 0;
    auto look = [&](const Stm& inner) {
      statements++;
      nested = nested || !(is_simple(inner.exp) || std::holds_alternative<If>(inner.exp));
      choices = choices || std::holds_alternative<If>(inner.exp);
      auto x = std::get_if<Apply>(&inner.exp);
      choices = choices || (x && x->op == ScalarOp::select && elem_of(p_, x->args[1]) == Scalar::I64);
      if (!x || x->args.size() != 2 || elem_of(p_, x->args[0]) != Scalar::I64) return;
      bool extremum = x->op == ScalarOp::min || x->op == ScalarOp::max;
      if (decides(*x, inner.pattern[0].var) && extremum) choices = true;
    };
    each_stm(loop.body, look);
    return !nested && choices && statements <= (loop.sums ? costs::peeled_updates : costs::peeled_statements) && s.checks.empty();
  }
  static bool is_simple(const Exp& e) {
    Kind k = kind_of(e);
    return is_step(e) || k == Kind::Read || k == Kind::Check || k == Kind::Write;
  }
  // All of its own range, or a part: then its number of iterations is the difference of two minima.
  Plan range(const For& loop) const {
    Affine n = forms_.of(loop.n);
    for (const Affine::Term& begin : n.terms)
      for (const Affine::Term& end : n.terms) {
        auto from = minima_.find(begin.var), to = minima_.find(end.var);
        if (n != Affine(end.var) - Affine(begin.var) || from == minima_.end() || to == minima_.end()) continue;
        for (const Atom& whole : from->second)
          if (std::ranges::find(to->second, whole) != to->second.end()) return {.begin = begin.var, .whole = whole};
      }
    return {.begin = i64_const(0), .whole = loop.n};
  }
  // i, counted from the beginning of the range, plus a number.
  std::optional<i64> index(const Plan& of, const For& loop, const Atom& a) const {
    Affine form = forms_.of(a);
    if (form.factor(loop.i.var) != 0) form = form - forms_.of(of.begin);
    return form.factor(loop.i.var) == 1 && form.terms.size() == 1 && form.is_small() ? std::optional(form.constant) : std::nullopt;
  }
  // All comparisons with one bound.
  bool turns(std::optional<Turn>& out, const For& loop, const VarSet& inside, const Apply& x, Var result) const {
    if (x.op != ScalarOp::lt && x.op != ScalarOp::le && x.op != ScalarOp::eq) return false;
    const Plan of = range(loop);
    auto left = index(of, loop, x.args[0]), right = index(of, loop, x.args[1]);
    if (left.has_value() == right.has_value()) return false;
    const Atom& bound = x.args[left ? 1 : 0];
    auto v = var_of(bound);
    if (!v || inside.contains(*v) || *v == loop.i.var || (out && out->bound != bound)) return false;
    // It turns where i + c reaches the bound, and also after that if it is `eq`; i + c <= bound and bound < i + c turn after that only.
    const i64 equal = -(left ? *left : *right);
    const bool is_eq = x.op == ScalarOp::eq, later = is_eq || (x.op == ScalarOp::le) == left.has_value(), sooner = is_eq || !later;
    if (!out) out = Turn{of.begin, bound, equal + !sooner, equal + later};
    out->from = std::min(out->from, equal + !sooner);
    out->to = std::max(out->to, equal + later);
    out->before.emplace(result, bool_const(!is_eq && left));
    out->after.emplace(result, bool_const(!is_eq && right));
    return true;
  }
  // Where the comparison turns: for i < at it is `before`, for others not.
  bool decide(Plan& out, const For& loop, const VarSet& inside, const Apply& x, Var result) const {
    Affine l = forms_.of(x.args[0]), r = forms_.of(x.args[1]), n = forms_.of(out.whole);
    for (Affine* a : {&l, &r}) if (a->factor(loop.i.var) != 0) *a = *a - forms_.of(out.begin);
    // i + n < n + 1 is i < 1: nobody waits for a loop of so many iterations that 2 n overflows.
    if (n.is_small() && (l - n).terms.size() < l.terms.size() && (r - n).terms.size() < r.terms.size()) l = l - n, r = r - n;
    auto is_index = [&](const Affine& a) { return a.factor(loop.i.var) == 1 && a.terms.size() == 1; };
    bool left = is_index(l);
    const Affine &index = left ? l : r, &other = left ? r : l;
    if (!is_index(index) || any_term(other, [&](Var v) { return inside.contains(v); })) return false;
    // From both ends: i < at near 0, or near n.
    auto place = [&](const Affine& at) -> std::optional<bool> {   // true: `at` iterations at the beginning are on the other side
      Affine left_over = n - at;
      if (!at.is_small() || !left_over.is_small()) return {};
      if (at.is_constant() && at.constant >= 1 && at.constant <= costs::peeled_ends) return out.first = std::max(out.first, at.constant), true;
      if (!left_over.is_constant() || left_over.constant < 1 || left_over.constant > costs::peeled_ends) return {};
      return out.last = std::max(out.last, left_over.constant), false;
    };
    Affine bound = other - index.constant;               // i compared with it
    auto truth = [&](const Affine& at, bool before) {
      auto first = place(at);
      if (first) out.between.emplace(result, bool_const(*first ? !before : before));
      return first.has_value();
    };
    switch (x.op) {
      case ScalarOp::lt: return left ? truth(bound, true) : truth(bound + 1, false);
      case ScalarOp::le: return left ? truth(bound + 1, true) : truth(bound, false);
      case ScalarOp::eq: {                               // only there
        auto beginning = place(bound + 1), end = place(bound);
        bool found = beginning == true || end == false;
        if (found) out.between.emplace(result, bool_const(false));
        return found;
      }
      case ScalarOp::min: case ScalarOp::max: {          // i + c or the bound
        bool small = x.op == ScalarOp::min;
        auto first = place(small ? bound + 1 : bound);
        if (first) out.between.emplace(result, *first == small ? x.args[left ? 1 : 0] : x.args[left ? 0 : 1]);
        return first.has_value();
      }
      default: return false;
    }
  }
};

// Iterations from one on, and the values of variables in them.
struct Part {
  Term begin, trips;
  std::unordered_map<Var, Atom> known;
};
// The loop `s`, one part after the other.
void take_apart(Builder& out, const Stm& s, const For& loop, const std::vector<Part>& parts) {
  Program& p = out.program;
  std::vector<Atom> state = loop.init;
  for (const Part& part : parts) {
    For x = loop;
    x.n = part.trips.atom;
    x.init = state;
    x.i = {p.fresh("i", scalar_type(Scalar::I64))};
    each_stm(x.body, [&](Stm& inner) {
      auto found = inner.pattern.size() == 1 ? part.known.find(inner.pattern[0].var) : part.known.end();
      if (found != part.known.end()) inner.exp = Identity{found->second};
    });
    List<Stm> before;
    Builder front(p, before);
    front.source = s.source;
    Subst index;
    index.emplace(loop.i.var, (front.term(x.i.var) + front.term(part.begin.atom)).atom);
    x.body.stms.splice(0, std::move(before));
    substitute(p, x.body, index);
    Stm made{{}, clone(p, x), {}, s.source, s.attrs};
    state.clear();
    for (Bind v : s.pattern) {
      made.pattern.push_back({&part == &parts.back() ? v.var : p.fresh(p.hint(v.var), p.type(v.var))});
      state.push_back(made.pattern.back().var);
    }
    out.emit(std::move(made));
  }
}

void peel(Program& p, PassContext& context, const Peeler& peeler, Body& b) {
  Builder out(p, b.stms);
  out.into(b, [&](List<Stm>& stms) {
    for (auto& item : stms.take()) {
      Stm& s = *item;
      walk_parts(s, [&](Body& inner) { peel(p, context, peeler, inner); });
      auto loop = std::get_if<For>(&s.exp);
      auto plan = loop ? peeler.plan(s, *loop) : std::nullopt;
      auto turn = loop && !plan ? peeler.turn(s, *loop) : std::nullopt;
      if ((!plan && !turn) || !context.allow()) {
        out.emit(std::move(s));
        continue;
      }
      out.source = s.source;
      Term n = out.term(loop->n), zero = out.term(i64_const(0));
      std::vector<Part> parts;
      if (plan) {
        context.stats.count("peel.loops");
        Term begin = out.term(plan->begin);
        bool part_of_range = plan->whole != loop->n;
        // The iteration of this loop that is number `at` of the range; where that is in another part, the nearest end.
        auto iteration = [&](const Term& at) { return part_of_range ? apply(ScalarOp::max, {zero, apply(ScalarOp::min, {n, at - begin})}) : at; };
        Term first = plan->first == 0 ? zero : iteration(out.term(i64_const(plan->first)));
        Term from = part_of_range || plan->first == 0 ? first : apply(ScalarOp::min, {n, first});
        Term to = plan->last > 0 ? apply(ScalarOp::max, {from, iteration(out.term(plan->whole) - plan->last)}) : n;
        if (plan->first > 0) parts.push_back({zero, from, {}});
        parts.push_back({first, to - from, plan->between});
        if (plan->last > 0) parts.push_back({to, n - to, {}});
      } else {
        context.stats.count("peel.turns");
        // The bound has any value: what is added to it is added after it is clamped, so that nothing overflows.
        auto cut = [&](i64 plus) {
          Term shift = out.term(turn->begin) - plus;
          return apply(ScalarOp::max, {shift, apply(ScalarOp::min, {n + shift, out.term(turn->bound)})}) - shift;
        };
        Term from = cut(turn->from), to = turn->to == turn->from ? from : cut(turn->to);
        parts.push_back({zero, from, turn->before});
        if (turn->to != turn->from) parts.push_back({from, to - from, {}});
        parts.push_back({to, n - to, turn->after});
      }
      take_apart(out, s, *loop, parts);
    }
  });
}

}  // namespace

void peel(Program& program, PassContext& context) {
  Peeler peeler(program);
  program.each_body([&](Body& b) { peel(program, context, peeler, b); });
}

}  // namespace raido
