// gathers.cc - updates at places that move with the points of a grid seg become sums, one for each place (E6).
//
//   seg grid (i < n, k < q) { .. let a' = upd a [i + k] v .. }
//   ==>
//   seg grid (j < m, k < q) { let i = j - k in let v' = if 0 <= i < n { .. in v } else { ne } in upd a [j] v' }        a: m places
//
// What is then invariant in k is reduced over it (invariant_updates.cc). So the adjoint of a convolution is a convolution, without atomic updates.
// Several updates of one array are one sum, if the same counters move all their places. So are the five of the adjoint of a step of heat:
//
//   seg grid (i < n) { let a' = upd a [i - 1] u in let a'' = upd a' [i + 1] v in .. }
//   ==>
//   seg grid (j < n) { u where i is j + 1, or ne ; v where i is j - 1, or ne ; upd a [j] (op u v) }
//
// A counter moves a place if it has the factor 1 or -1 there, and is in no other part of the index. Indices and places are the same modulo 2^64, so
// nothing is asked about their size. What u and v need is computed for each place that they reach: it has to be arithmetic and reads that cannot fail, and
// little of it, if there are several. There are no more places than points, but for those at the ends.
#include "passes/parallel/gathers.h"

#include <algorithm>

#include "compiler/ir/analysis/affine_code.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/parallel/reach.h"
#include "passes/parallel/seg_updates.h"

namespace raido {
using namespace ir;
namespace {

class Gathers : SegUpdates {
 public:
  Gathers(Program& p, PassContext& c) : SegUpdates(p, c) {}

  // Code outside all segs.
  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& out, Stm& s, Subst& names) {
      if (auto w = std::get_if<WithAcc>(&s.exp))
        for (size_t k = 0; k < w->dests.size(); k++) dests_[w->scope.params[k].var] = w->dests[k];
      auto x = std::get_if<Seg>(&s.exp);
      if (!x) {
        walk_parts(s, [&](Body& inner) { body(inner); });
        forms_.define(p_, s);
        return false;
      }
      if (x->level != SegLevel::Grid || !is_map(*x)) return false;
      each_stm(x->body, [&](const Stm& inner) { forms_.define(p_, inner); });
      for (Bind v : s.pattern)
        if (is_acc(p_.type(v.var))) gather(out, s, *x, acc_type(v.var).token);
      return drop_idle(s, *x, names);
    });
  }

 private:
  Forms forms_;                                          // of what has been walked through

  // The place of an update in terms of the counters of its seg.
  struct Moved {
    Path path;
    AccUpdate update;
    std::vector<Affine> at;
  };
  struct Group {
    std::vector<Moved> updates;
    std::vector<std::optional<size_t>> moves;      // by part of the index: the dimension of the seg that moves it
  };

  size_t dimension(const Seg& x, Var v) const { return size_t(std::ranges::find(x.index, v, &Bind::var) - x.index.begin()); }
  bool mentions(const Affine& form, Var v) const { return form.factor(v) != 0; }

  std::optional<Group> find(const Seg& x, Var token) const {
    Group g;
    const VarSet inside = bound_in(x.body);
    for (const Path& path : updates_of(x)) {
      const AccUpdate& u = std::get<AccUpdate>(at(x.body, path).exp);
      if (acc_type(u.acc).token != token) continue;
      if (!operator_of(u)) return {};
      Moved m{path, u, {}};
      for (const Atom& a : u.at) {
        m.at.push_back(forms_.of(a));
        if (any_term(m.at.back(), [&](Var v) { return inside.contains(v); })) return {};
      }
      g.updates.push_back(std::move(m));
    }
    size_t all = 0;
    each_stm(x.body, [&](const Stm& s) {
      auto u = std::get_if<AccUpdate>(&s.exp);
      all += u && acc_type(u->acc).token == token;
    });
    if (g.updates.empty() || g.updates.size() != all) return {};       // some are in loops
    g.moves.resize(g.updates[0].at.size());
    for (size_t part = 0; part < g.moves.size(); part++)
      if (!moved(x, g, part)) return {};
    return pays(x, g) ? std::optional(std::move(g)) : std::nullopt;
  }
  // Finds the dimension that moves a part of the index, if one has to.
  bool moved(const Seg& x, Group& g, size_t part) const {
    const Affine& first = g.updates[0].at[part];
    const bool same = std::ranges::all_of(g.updates, [&](const Moved& m) { return m.at[part] == first; });
    const auto counters = std::ranges::count_if(x.index, [&](Bind b) { return mentions(first, b.var); });
    if (same && (counters == 0 || is_counter(x, first))) return true;
    size_t least = SIZE_MAX;                             // terms of the number of places without points
    for (size_t d = 0; d < x.index.size(); d++) {
      const i64 factor = first.factor(x.index[d].var);
      if (factor != 1 && factor != -1) continue;
      const bool alone = std::ranges::all_of(g.updates, [&](const Moved& m) {
        for (size_t q = 0; q < m.at.size(); q++) if (q != part && mentions(m.at[q], x.index[d].var)) return false;
        return m.at[part].factor(x.index[d].var) == factor;
      });
      const Affine ends = forms_.of(acc_type(g.updates[0].update.acc).space[part]) - forms_.of(x.extent[d]);
      if (!alone || ends.terms.size() >= least || !few(x, ends, first.without(x.index[d].var))) continue;
      least = ends.terms.size();
      g.moves[part] = d;
    }
    return g.moves[part].has_value();
  }
  // Whether the places without points are few: a fixed number, or as many as the other counters of the place reach beyond it. Then the one that moves
  // the place has the others, which are most as far as the forms of sizes say.
  bool few(const Seg& x, const Affine& ends, const Affine& rest) const {
    if (ends.is_constant()) return true;
    Nest others;
    for (size_t d = 0; d < x.index.size(); d++) others.push_back({x.index[d].var, forms_.of(x.extent[d])});
    const auto last = largest(rest, others), first = smallest(rest, others);
    const bool wide = any_term(rest, [&](Var v) {
      const size_t d = dimension(x, v);
      return d < x.index.size() && !const_of(x.extent[d]) && std::abs(rest.factor(v)) > 1;
    });
    return !wide && ends.terms.size() == 1 && last && first && (ends - (*last - *first)).is_constant();
  }
  bool is_counter(const Seg& x, const Affine& form) const {
    return form.constant == 0 && form.terms.size() == 1 && form.terms.begin()->factor == 1 && dimension(x, form.terms.begin()->var) < x.index.size();
  }
  // Another counter becomes invariant, or several updates of a place become one. If these are invariant in some counter anyhow, they are reduced over it, and
  // what is left of each has places of its own.
  bool pays(const Seg& x, const Group& g) const {
    bool moves = false, invariant = false, reduced = false;
    VarSet moving;
    for (auto d : g.moves) if (d) moves = true, moving.insert(x.index[*d].var);
    for (Bind b : x.index) {
      if (moving.contains(b.var)) continue;
      bool beside = false, kept = false;
      for (const Moved& m : g.updates)
        for (size_t part = 0; part < m.at.size(); part++)
          if (mentions(m.at[part], b.var)) (g.moves[part] ? beside : kept) = true;
      invariant = invariant || (beside && !kept);
      reduced = reduced || (!beside && !kept);
    }
    for (const Moved& m : g.updates)                     // what moves one part of a place may not be in the rest of another
      for (size_t part = 0; part < m.at.size(); part++)
        if (g.moves[part] && any_term(m.at[part].without(x.index[*g.moves[part]].var), [&](Var v) { return moving.contains(v); })) return false;
    return moves && (invariant || (g.updates.size() > 1 && !reduced));
  }

  // Updates that add to a place from the same point.
  struct From {
    std::vector<Affine> rest;              // by part: what is there beside the counter that moves it
    std::vector<const Moved*> updates;
    Body values = {};
  };
  std::vector<From> by_point(const Seg& x, const Group& g) {
    std::vector<From> all;
    for (const Moved& m : g.updates) {
      std::vector<Affine> rest;
      for (size_t part = 0; part < m.at.size(); part++) rest.push_back(g.moves[part] ? m.at[part].without(x.index[*g.moves[part]].var) : Affine());
      auto same = std::ranges::find(all, rest, &From::rest);
      if (same == all.end()) same = all.insert(all.end(), {std::move(rest), {}});
      same->updates.push_back(&m);
    }
    for (From& f : all) {
      std::vector<Wanted> wanted;
      for (const Moved* m : f.updates) wanted.push_back({&m->path, operator_of(m->update)});
      f.values = values_at_point(x, wanted);
    }
    return all;
  }

  // Points whose place is outside are left out. They must not be those that fail.
  static bool may_fail(const Body& b) {
    bool may = false;
    each_stm(b, [&](const Stm& s) { may = may || kind_of(s.exp) == Kind::Check; });
    return may;
  }
  // Without further ado.
  bool has_own_places(const Stm& s, Var token) const {
    Body alone;
    alone.stms.push_back(s);
    return reach(p_, alone, token, forms_) == 0;
  }
  void gather(Builder& out, Stm& s, Seg& x, Var token) {
    const std::optional<Group> g = find(x, token);
    if (!g) return;
    std::vector<From> points = by_point(x, *g);
    size_t statements = 0;
    for (const From& f : points) {
      if (is_heavy(f.values) || may_fail(f.values)) return;
      statements += count_statements(f.values);
    }
    if ((points.size() > 1 && statements > costs::gpu::update_statements * g->updates.size()) || has_own_places(s, token) || !c_.allow()) return;
    c_.stats.count("accumulators.gather");

    const Var before = outside(x, g->updates[0].update.acc);
    const Combine& op = *operator_of(g->updates[0].update);
    const std::vector<Dim> space = acc_type(before).space;
    Seg made{SegLevel::Grid, {}, x.extent, {}, {}, {}, {}, {}, {}};
    Lambda f{x.index, {}};
    std::vector<Atom> place;
    Builder b(p_, f.body.stms);
    b.source = s.source;
    for (size_t part = 0; part < g->moves.size(); part++) {
      if (!g->moves[part]) {
        place.push_back(code_of(b, g->updates[0].at[part]).atom);
        continue;
      }
      const Var j = p_.fresh(p_.hint(x.index[*g->moves[part]].var), scalar_type(Scalar::I64));
      f.params[*g->moves[part]].var = j;
      made.extent[*g->moves[part]] = space[part];
      place.push_back(j);
    }
    std::vector<Atom> sum;
    for (const From& from : points) {
      Subst point;
      std::optional<Term> there;
      for (size_t part = 0; part < g->moves.size(); part++) {
        if (!g->moves[part]) continue;
        const size_t d = *g->moves[part];
        const Term j = b.term(place[part]), rest = code_of(b, from.rest[part]);
        const Term i = g->updates[0].at[part].factor(x.index[d].var) > 0 ? j - rest : rest - j;
        const Term inside = all_of({le(b.number(Scalar::I64, 0), i), lt(i, b.term(x.extent[d]))});
        there = there ? and_(*there, inside) : inside;
        point.emplace(x.index[d].var, i.atom);
      }
      Lambda values{{}, from.values};
      substitute(p_, values, point);
      If choice{there->atom, clone(p_, values).body, {}};
      for (size_t k = 0; k < from.updates.size(); k++)
        choice.else_.result.insert(choice.else_.result.end(), op.neutral.begin(), op.neutral.end());
      const std::vector<Var> chosen = b.bind("value", std::move(choice));
      for (size_t k = 0; k < chosen.size(); k += op.neutral.size()) {
        std::vector<Atom> both = sum;
        both.insert(both.end(), chosen.begin() + ptrdiff_t(k), chosen.begin() + ptrdiff_t(k + op.neutral.size()));
        sum = sum.empty() ? both : b.inline_call(op.op, both);
      }
    }
    f.body.result = {b.bind1(p_.hint(before), AccUpdate{before, place, sum})};
    f = clone(p_, f);
    made.index = std::move(f.params);
    made.body = std::move(f.body);
    each_stm(made.body, [&](const Stm& inner) { forms_.define(p_, inner); });
    out.checks = s.checks;
    const Var after = out.bind1(p_.hint(before), std::move(made));
    out.checks.clear();
    for (const Moved& m : reversed(g->updates)) pass_on(x, m.path);       // the last first: the others stay where they are
    substitute(p_, x.body, Subst{{before, after}});
  }
};

}  // namespace

void gather_updates(Program& program, PassContext& context) {
  Gathers pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
