// unswitch.cc - takes a branch out of a loop if it goes the same way in all iterations. There are two loops then.
//
//   for i < n (xs) { let y = if c { .. } else { .. } }   ==>   if c { for i < n (xs) { .. } } else { for i < n (xs) { .. } }
//
// C compilers make no vectors of a loop with such a branch, unless it is the only one and short. In a stencil, the rows at the edges are such
// branches. Nearly all iterations of the loops around take one side of each. Then there is one loop for all these sides together, and the loop as
// it was for the rest:
//
//   for i < n { for j < m { .. if 0 < i { .. } .. if i < n - 1 { .. } } }
//     ==>   for i < n { if 0 < i && i < n - 1 { for j < m { .. } } else { for j < m { .. if 0 < i .. } } }
//
// Only innermost loops with small bodies are copied, and loops and tasks that have code for large sizes: scans in vectors, products in tiles. In the
// version for short rows and small products, iterations are lanes. A branch that makes numbers stays where no vectors can be made, unless it is long. So it does in loops of few
// iterations, and in sums inside of other loops, whose iterations may be lanes.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// A loop, or a seg of tasks. (How updates of tasks are kept apart has been decided for the seg as it is.)
Body* repeated(Exp& e) {
  if (auto loop = std::get_if<For>(&e)) return &loop->body;
  auto seg = std::get_if<Seg>(&e);
  return seg && seg->level == SegLevel::Task ? &seg->body : nullptr;
}

class Unswitch {
 public:
  Unswitch(Program& p, PassContext& context) : p_(p), context_(context), forms_(p) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      note(s);
      auto loop = std::get_if<For>(&s.exp);
      auto seg = std::get_if<Seg>(&s.exp);
      const size_t around = counters_.size();
      if (loop) counters_.push_back({loop->i.var, loop->n});
      for (size_t d = 0; seg && seg->vectors != Vectors::No && d < seg->index.size(); d++) counters_.push_back({seg->index[d].var, seg->extent[d]});
      walk_parts(s, [&](Body& inner) { body(inner); });
      counters_.resize(around);
      const bool accumulates = std::ranges::any_of(s.pattern, [&](Bind x) { return is_acc(p_.type(x.var)); });
      if (!s.checks.empty() || (accumulates && !loop) || conditions(s.exp, costs::peeled_statements).empty() || !context_.allow()) return false;
      versions(b, std::move(s), costs::peeled_statements);
      context_.stats.count("unswitch.loops");
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  Forms forms_;
  std::unordered_map<Var, Apply> tests_;                   // what computes booleans
  std::unordered_map<Var, Apply> extrema_;
  struct Range { Var i; Dim n; };
  std::vector<Range> counters_;                            // of the loops around, and of tasks that are no parts of a loop

  void note(const Stm& s) {
    forms_.define(p_, s);
    auto x = std::get_if<Apply>(&s.exp);
    if (!x) return;
    if (x->op == ScalarOp::min || x->op == ScalarOp::max) extrema_.emplace(s.pattern[0].var, *x);
    else if (elem_of(p_.type(s.pattern[0].var)) == Scalar::Bool) tests_.emplace(s.pattern[0].var, *x);
  }

  // ---- which branches ----

  // The conditions of branches that are the same in all iterations, if the loop is to be divided; `most`: statements of its body.
  std::vector<Var> conditions(Exp& e, size_t most) const {
    const Body* body = repeated(e);
    const size_t statements = body ? count_statements(*body) : 0;
    if (!body || statements > (may_be_lanes(e) ? costs::switched_tiles * most : most)) return {};
    const VarSet inside = bound_in(e);
    if (auto loop = std::get_if<For>(&e)) {
      for (Bind x : loop->state) {
        bool depends = false;                                // on another state
        walk(p_.type(x.var), [&](const Var& v) { depends = depends || inside.contains(v); });
        if (depends) return {};
      }
    }
    const bool vectors = may_be_vectors(e);
    bool innermost = std::holds_alternative<For>(e) || vectors, scans = false;   // scans: the branch is between tiles, or a scan in vectors (vector_scans.h), and loops for short rows
    each_stm(*body, [&](const Stm& s) { innermost = innermost && kind_of(s.exp) != Kind::Loop && kind_of(s.exp) != Kind::Parallel; });
    std::vector<Var> found;
    auto take = [&](const Atom& a) {
      auto c = var_of(a);
      if (c && !inside.contains(*c) && std::ranges::find(found, *c) == found.end()) found.push_back(*c);
    };
    for (const Stm& s : body->stms) {
      auto choice = std::get_if<Apply>(&s.exp);
      if (choice && choice->op == ScalarOp::select && vectors) take(choice->args[0]);
      auto x = std::get_if<If>(&s.exp);
      if (!x) continue;
      each_stm(x->then_, [&](const Stm& inner) { scans = scans || std::holds_alternative<Seg>(inner.exp); });
      bool arrays = std::ranges::any_of(s.pattern, [&](Bind b) { return is_array(p_.type(b.var)); });
      if (vectors || arrays || count_statements(x->then_) + count_statements(x->else_) > costs::switched_statements) take(x->cond);
    }
    return (innermost && statements <= most) || scans ? found : std::vector<Var>{};
  }
  // Whether C compilers make vectors of the loop once its branches are gone: it is straight, and goes over elements.
  bool may_be_vectors(const Exp& e) const {
    auto loop = std::get_if<For>(&e);
    auto seg = std::get_if<Seg>(&e);
    const Body& body = loop ? loop->body : seg->body;
    if (loop ? is_short(loop->n) : !stores_numbers(*seg)) return false;
    const bool arrays = !loop || std::ranges::none_of(loop->state, [&](Bind x) { return is_scalar(p_.type(x.var)); });
    if (!arrays && !counters_.empty()) return false;
    if (loop && !loop->any_order && std::ranges::any_of(loop->state, [&](Bind x) { return is_scalar(p_.type(x.var)) && is_float(elem_of(p_.type(x.var))); })) return false;
    const VarSet inside = bound_in(e);
    bool straight = true;
    each_stm(body, [&](const Stm& s) { straight = straight && is_for_vectors(p_, s, inside); });
    return straight;
  }
  // Whether iterations may run side by side: each has its own element or row of each array, or adds to it.
  bool may_be_lanes(const Exp& e) const {
    auto loop = std::get_if<For>(&e);
    if (!loop || loop->sums) return true;
    for (size_t k = 0; k < loop->state.size(); k++) {
      const Var v = loop->state[k].var;
      auto is_own = [&](const Stm& s) {
        auto update = std::get_if<Update>(&s.exp);
        return update && update->array == v && update->at == std::vector<Selector>{Atom(loop->i.var)} && loop->body.result[k] == Atom(s.pattern[0].var);
      };
      if (is_scalar(p_.type(v)) ? !loop->any_order : std::none_of(loop->body.stms.begin(), loop->body.stms.end(), is_own)) return false;
    }
    return true;
  }
  bool stores_numbers(const Seg& x) const {
    return x.index.size() == 1 && x.reduces.empty() && x.scans.empty() && x.post_reduces.empty() && x.dests.empty() &&
           std::ranges::all_of(x.body.result, [&](const Atom& a) { return is_scalar(p_.type(a)); });
  }
  // As what `peel` leaves at the ends of a loop: the number of iterations is at most min [.., few], or n - max [.., n - few].
  bool is_short(const Dim& n) const {
    auto is_few = [](const Affine& a) { return a.is_constant() && a.constant < costs::peeled_trips; };
    const Affine trips = forms_.of(n);
    return is_few(trips) || std::ranges::any_of(trips.terms, [&](const Affine::Term& t) {
      auto x = extrema_.find(t.var);
      return x != extrema_.end() && (x->second.op == ScalarOp::min) == (t.factor > 0) &&
             std::ranges::any_of(x->second.args, [&](const Atom& a) { return is_few(trips - t.factor * Affine(t.var) + t.factor * forms_.of(a)); });
    });
  }

  // ---- which way they go ----

  // What a condition is in most iterations of the loops around: halfway through each of them, if all sizes are large.
  std::optional<bool> likely(const Atom& a) const {
    auto v = var_of(a);
    auto made = v ? tests_.find(*v) : tests_.end();
    if (made == tests_.end()) return {};
    const Apply& x = made->second;
    switch (x.op) {
      case ScalarOp::not_: {
        auto held = likely(x.args[0]);
        return held ? std::optional(!*held) : std::nullopt;
      }
      case ScalarOp::and_: case ScalarOp::or_: {
        auto left = likely(x.args[0]), right = likely(x.args[1]);
        if (!left || !right) return {};
        return x.op == ScalarOp::and_ ? *left && *right : *left || *right;
      }
      case ScalarOp::lt: case ScalarOp::le: case ScalarOp::eq: {
        if (elem_of(p_, x.args[0]) != Scalar::I64) return {};
        Affine difference = forms_.of(x.args[1]) - forms_.of(x.args[0]);
        if (!std::ranges::any_of(counters_, [&](const Range& r) { return difference.factor(r.i) != 0; })) return {};
        if (x.op == ScalarOp::eq) return false;
        difference = 2 * difference;
        for (auto r = counters_.rbegin(); r != counters_.rend(); ++r)
          if (i64 f = difference.factor(r->i)) difference = difference.without(r->i) + (f / 2) * forms_.of(r->n);
        return sign(difference);
      }
      default: return {};
    }
  }
  // Whether it is positive where its variables are large.
  static std::optional<bool> sign(const Affine& a) {
    auto same = [&](bool positive) { return std::ranges::all_of(a.terms, [&](const Affine::Term& t) { return (t.factor > 0) == positive; }); };
    if (a.is_constant()) return a.constant > 0;
    return same(true) ? std::optional(true) : same(false) ? std::optional(false) : std::nullopt;
  }

  // ---- the versions ----

  void versions(Builder& b, Stm s, size_t most) {
    const std::vector<Var> found = conditions(s.exp, most);
    if (found.empty()) return b.emit(std::move(s));
    Subst sides;
    for (Var c : found) {
      auto side = found.size() > 1 ? likely(c) : std::nullopt;
      if (!side) {                                           // a version for either side
        If choice{c, version(b, s, {{c, bool_const(true)}}, most / 2), {}};
        choice.else_ = version(b, s, {{c, bool_const(false)}}, most / 2);
        return b.emit({s.pattern, std::move(choice), {}, s.source, {}});
      }
      sides.emplace(c, bool_const(*side));
    }
    Term all = b.term(bool_const(true));
    for (Var c : found) all = and_(all, const_of(sides.at(c))->as<bool>() ? b.term(c) : not_(b.term(c)));
    If choice{all.atom, version(b, s, sides, most / 2), {}};
    choice.else_ = version(b, s, {}, 0);
    b.emit({s.pattern, std::move(choice), {}, s.source, {}});
  }
  Body version(Builder& b, const Stm& s, const Subst& known, size_t most) {
    return b.body([&] {
      Stm made{{}, clone(p_, s.exp), {}, s.source, s.attrs};
      substitute(p_, made.exp, known);
      settle(b, made.exp);
      std::vector<Atom> results;
      for (Bind x : s.pattern) results.push_back(made.pattern.emplace_back(p_.fresh(p_.hint(x.var), p_.type(x.var))).var);
      versions(b, std::move(made), most);
      return results;
    });
  }
  // Takes the sides of branches that are known now, and hands to b what they compute of names from outside: it may decide another branch.
  void settle(Builder& b, Exp& e) {
    VarSet inside = bound_in(e);
    Body& body = *repeated(e);
    Subst results;
    List<Stm> stms = std::exchange(body.stms, {});
    settle(b, stms, body.stms, inside, results);
    substitute(p_, body.result, results);
  }
  void settle(Builder& b, List<Stm>& stms, List<Stm>& out, VarSet& inside, Subst& results) {
    for (auto& s : stms.take()) {
      substitute(p_, *s, results);
      auto x = std::get_if<If>(&s->exp);
      auto known = x ? const_of(x->cond) : nullptr;
      if (known) {
        Body& side = known->as<bool>() ? x->then_ : x->else_;
        settle(b, side.stms, out, inside, results);
        substitute(p_, side.result, results);
        for (size_t k = 0; k < s->pattern.size(); k++) results.emplace(s->pattern[k].var, side.result[k]);
      } else if (is_step(s->exp) && s->checks.empty() && std::ranges::none_of(free_vars(p_, *s), [&](Var v) { return inside.contains(v); })) {
        inside.erase(s->pattern[0].var);
        note(*s);
        b.emit(std::move(s));
      } else {
        out.push_back(std::move(s));
      }
    }
  }
};

}  // namespace

void unswitch(Program& program, PassContext& context) {
  Unswitch pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
