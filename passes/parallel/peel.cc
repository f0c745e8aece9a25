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
    if (auto n = const_of(loop.n); n && n->as_i64() < costs::peeled_trips) return {};
    const VarSet inside = bound_in(loop);
    VarSet state;
    for (Bind x : loop.state) state.insert(x.var);
    for (Bind x : loop.state) {
      bool depends = false;
      walk(p_.type(x.var), [&](const Var& v) { depends = depends || state.contains(v); });
      if (depends) return {};
    }
    Plan out = range(loop);
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
      if (decide(out, loop, inside, *x, inner.pattern[0].var) && extremum) choices = true;
    };
    each_stm(loop.body, look);
    if (nested || !choices || statements > costs::peeled_statements || out.between.empty() || !s.checks.empty()) return {};
    return out;
  }

 private:
  const Program& p_;
  Forms forms_;
  std::unordered_map<Var, std::vector<Atom>> minima_;      // their operands

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
  // Where the comparison turns: for i < at it is `before`, for others not.
  bool decide(Plan& out, const For& loop, const VarSet& inside, const Apply& x, Var result) const {
    Affine l = forms_.of(x.args[0]), r = forms_.of(x.args[1]), n = forms_.of(out.whole);
    for (Affine* a : {&l, &r}) if (a->factor(loop.i.var) != 0) *a = *a - forms_.of(out.begin);
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

void peel(Program& p, PassContext& context, const Peeler& peeler, Body& b) {
  Builder out(p, b.stms);
  out.into(b, [&](List<Stm>& stms) {
    for (auto& item : stms.take()) {
      Stm& s = *item;
      walk_parts(s, [&](Body& inner) { peel(p, context, peeler, inner); });
      auto loop = std::get_if<For>(&s.exp);
      auto plan = loop ? peeler.plan(s, *loop) : std::nullopt;
      if (!plan || !context.allow()) {
        out.emit(std::move(s));
        continue;
      }
      context.stats.count("peel.loops");
      out.source = s.source;
      Term n = out.term(loop->n), zero = out.term(i64_const(0)), begin = out.term(plan->begin);
      bool part_of_range = plan->whole != loop->n;
      // The iteration of this loop that is number `at` of the range; where that is in another part, the nearest end.
      auto iteration = [&](const Term& at) { return part_of_range ? apply(ScalarOp::max, {zero, apply(ScalarOp::min, {n, at - begin})}) : at; };
      Term first = plan->first == 0 ? zero : iteration(out.term(i64_const(plan->first)));
      Term from = part_of_range || plan->first == 0 ? first : apply(ScalarOp::min, {n, first});
      Term to = plan->last > 0 ? apply(ScalarOp::max, {from, iteration(out.term(plan->whole) - plan->last)}) : n;
      std::vector<Atom> state = loop->init;
      auto part = [&](const Term& begin, const Term& trips, bool between, bool last) {
        For x = *loop;
        x.n = trips.atom;
        x.init = state;
        x.i = {p.fresh("i", scalar_type(Scalar::I64))};
        if (between)
          each_stm(x.body, [&](Stm& inner) {
            auto found = inner.pattern.size() == 1 ? plan->between.find(inner.pattern[0].var) : plan->between.end();
            if (found != plan->between.end()) inner.exp = Identity{found->second};
          });
        List<Stm> before;
        Builder front(p, before);
        front.source = s.source;
        Atom i = (front.term(x.i.var) + begin).atom;
        x.body.stms.splice(0, std::move(before));
        Subst index;
        index.emplace(loop->i.var, i);
        substitute(p, x.body, index);
        Stm made{{}, clone(p, x), {}, s.source, s.attrs};
        state.clear();
        for (Bind v : s.pattern) {
          made.pattern.push_back({last ? v.var : p.fresh(p.hint(v.var), p.type(v.var))});
          state.push_back(made.pattern.back().var);
        }
        out.emit(std::move(made));
      };
      if (plan->first > 0) part(zero, from, false, false);
      part(first, to - from, true, plan->last == 0);
      if (plan->last > 0) part(to, n - to, false, true);
    }
  });
}

}  // namespace

void peel(Program& program, PassContext& context) {
  Peeler peeler(program);
  program.each_body([&](Body& b) { peel(program, context, peeler, b); });
}

}  // namespace raido
