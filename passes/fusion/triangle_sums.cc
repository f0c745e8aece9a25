// triangle_sums.cc - devices: updates of all places above or below a diagonal are sums, one for each place.
//
//   map n \i acc { .. for k < c (acc) { .. upd acc [p] v } .. }        c: a sum with i or -i; p: one with k or -k, and with any multiple of i
//   ==>                                                                                                                        T2
//   map n \i acc { .. for k < c { .. } .. }
//   map m \j acc { s = reduce n op (\i -> if 0 <= k < c then v else ne); upd acc [j] s }      k: that of place j. m: so many places there are
//
// Pairs of bodies that attract each other are such a triangle. Thread i walks through the bodies after it, and adds to what each of them feels. On a
// device each of these updates is an atomic operation. A sum for each place needs none. The sums visit the whole square, so they take twice the work.
// Therefore the loop must run over a triangle, which has half of the points. What it computes for v must be arithmetic and reads.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine_code.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "passes/cleanup/dce.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class TriangleSums {
 public:
  TriangleSums(Program& p, PassContext& c) : p_(p), c_(c) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      if (auto scope = std::get_if<WithAcc>(&s.exp))
        for (size_t k = 0; k < scope->dests.size(); k++) dests_[scope->scope.params[k].var] = scope->dests[k];
      walk_parts(s, [&](Body& inner) { body(inner); });
      forms_.define(p_, s);
      auto x = std::get_if<Screma>(&s.exp);
      return x && is_map(*x) && turn(b, s, *x, results);
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  VarMap<std::optional<Dest>> dests_;      // by token
  Forms forms_;                            // what has been walked through

  // A loop of a map that updates an accumulator only at places that it counts, and the form of these places without its counter. That form may have
  // the counter of the map.
  struct Turned {
    size_t acc, loop, state;               // numbers: of the map's input, of its statement, of the loop's state
    size_t dim;                            // of the accumulator that the loop counts
    i64 factor;
    Affine rest;
    std::vector<size_t> updates;           // statements of the loop
  };

  const AccType& acc_type(Var v) const { return std::get<AccType>(p_.type(v)); }
  // One number for each cell, combined in any order.
  const Combine* operator_of(Var acc) const {
    const std::optional<Dest>& d = dests_[acc_type(acc).token];
    return d && d->combine && d->arrays.size() == 1 && d->combine->commutative && scalar_operator(p_, *d->combine) ? &*d->combine : nullptr;
  }

  std::optional<Turned> find(const Screma& x) const {
    bool consumes = false;                 // elements, which would be read once more
    each_stm(x.pre.body, [&](const Stm& s) {
      each_consumed(p_, s.exp, [&](Var v) { consumes = consumes || std::ranges::find(x.pre.params, v, &Bind::var) != x.pre.params.end(); });
    });
    if (consumes) return {};
    const VarSet bound = bound_in(x.pre);
    auto outside = [&](const Affine& a) { return !any_term(a, [&](Var v) { return bound.contains(v); }); };
    std::optional<Var> counter;
    for (size_t k = 0; k < x.inputs.size(); k++) if (forms_.counts(x.inputs[k])) counter = x.pre.params[k].var;
    for (size_t a = 0; a < x.inputs.size() && counter; a++) {
      if (!is_acc(p_.type(x.inputs[a])) || !operator_of(x.inputs[a])) continue;
      for (size_t l = 0; l < x.pre.body.stms.size(); l++) {
        auto loop = std::get_if<For>(&x.pre.body.stms[l].exp);
        auto init = loop ? std::ranges::find(loop->init, Atom(x.pre.params[a].var)) : std::vector<Atom>::const_iterator{};
        if (!loop || init == loop->init.end() || !x.pre.body.stms[l].checks.empty()) continue;
        Turned t{a, l, size_t(init - loop->init.begin()), 0, 0, {}, {}};
        const Affine trips = forms_.of(loop->n);
        const i64 slope = trips.factor(*counter);
        if ((slope != 1 && slope != -1) || !outside(trips.without(*counter))) continue;
        if (!places(*loop, t, *counter, outside)) continue;
        const Affine most = slope < 0 ? trips.without(*counter) : trips.without(*counter) + forms_.of(x.width) - Affine(1);   // trips of one iteration
        const Affine left = forms_.of(acc_type(x.inputs[a]).space[t.dim]) - most;
        if (left.is_constant() && left.constant >= 0 && left.constant <= 2 && values(x, *loop, t)) return t;
      }
    }
    return {};
  }
  // Finds the updates of the state. All of them must have the same places.
  template <class Outside> bool places(const For& loop, Turned& t, Var of_map, Outside outside) const {
    Atom now = loop.state[t.state].var;
    for (size_t k = 0; k < loop.body.stms.size(); k++) {
      const Stm& s = loop.body.stms[k];
      bool uses = false;
      each_use(p_, s, [&](Var v) { uses = uses || now == Atom(v); });
      if (!uses) continue;
      auto u = std::get_if<AccUpdate>(&s.exp);
      if (!u || !s.checks.empty()) return false;
      bool counted = false;
      for (size_t d = 0; d < u->at.size(); d++) {
        const Affine form = forms_.of(u->at[d]);
        const i64 factor = form.factor(loop.i.var);
        const Affine rest = form.without(loop.i.var);
        if (factor == 0) {
          if (auto v = var_of(u->at[d]); v && !outside(Affine(*v))) return false;
          continue;
        }
        if (!outside(rest.without(of_map))) return false;
        bool first = t.updates.empty() && !counted;
        if (first) t.dim = d, t.factor = factor, t.rest = rest;
        if ((factor != 1 && factor != -1) || t.dim != d || t.factor != factor || !(t.rest == rest)) return false;
        counted = true;
      }
      if (!counted) return false;
      t.updates.push_back(k);
      now = s.pattern[0].var;
    }
    return !t.updates.empty() && loop.body.result[t.state] == now;
  }
  // What the updates add, in terms of the map's elements and the loop's counter: arithmetic and reads of what is there in all iterations.
  std::optional<Body> values(const Screma& x, const For& loop, const Turned& t) const {
    Body code;
    for (size_t k = 0; k < t.loop; k++) code.stms.push_back(x.pre.body.stms[k]);
    for (const Stm& s : loop.body.stms) if (!std::holds_alternative<AccUpdate>(s.exp)) code.stms.push_back(s);
    for (size_t k : t.updates) code.result.push_back(std::get<AccUpdate>(loop.body.stms[k].exp).values[0]);
    keep_needed(p_, code);
    VarSet states;
    for (Bind b : loop.state) states.insert(b.var);
    for (const Stm& s : code.stms) {
      const Kind kind = kind_of(s.exp);
      if (!s.checks.empty() || (kind != Kind::Step && kind != Kind::Read && kind != Kind::View)) return {};
      bool waits = false;
      each_use(p_, s, [&](Var v) { waits = waits || states.contains(v); });
      if (waits) return {};
    }
    for (const Atom& a : code.result) if (var_of(a) && states.contains(*var_of(a))) return {};
    return code;
  }

  bool turn(Builder& b, Stm& s, Screma& x, Subst& results) {
    const std::optional<Turned> t = find(x);
    if (!t || !c_.allow()) return false;
    c_.stats.count("triangle_sums.T2");
    b.source = s.source;
    For& loop = std::get<For>(x.pre.body.stms[t->loop].exp);
    std::vector<AccUpdate> updates;
    for (size_t k : t->updates) updates.push_back(std::get<AccUpdate>(loop.body.stms[k].exp));
    const Combine op = clone(p_, *operator_of(x.inputs[t->acc]));
    const Dim places = acc_type(x.inputs[t->acc]).space[t->dim];

    // The value at a point of the square: a lambda of the map's elements, with the place of the new map around.
    Lambda point;
    std::vector<Var> inputs;
    for (size_t k = 0; k < x.inputs.size(); k++) {
      if (is_acc(p_.type(x.inputs[k]))) continue;
      inputs.push_back(x.inputs[k]);
      point.params.push_back(x.pre.params[k]);
    }
    Body trips;
    for (size_t k = 0; k < t->loop; k++) trips.stms.push_back(x.pre.body.stms[k]);
    trips.result = {loop.n};
    keep_needed(p_, trips);
    Body added = *values(x, loop, *t);
    const Var counter = loop.i.var, made = p_.fresh("k", scalar_type(Scalar::I64));
    substitute(p_, added, Subst{{counter, made}});

    // The loop and the map without the updates.
    const Var last = x.pre.body.stms[t->loop].pattern[t->state].var;
    Subst names{{last, loop.init[t->state]}};
    take_updates(loop.body, t->updates);
    loop.state.erase(loop.state.begin() + i64(t->state));
    loop.init.erase(loop.init.begin() + i64(t->state));
    loop.body.result.erase(loop.body.result.begin() + i64(t->state));
    std::vector<Bind>& pattern = x.pre.body.stms[t->loop].pattern;
    pattern.erase(pattern.begin() + i64(t->state));
    substitute(p_, x.pre.body, names);
    const Var token = acc_type(x.inputs[t->acc]).token;
    Bind& passed = *std::ranges::find_if(s.pattern, [&](Bind y) { return is_acc(p_.type(y.var)) && acc_type(y.var).token == token; });
    const Var finished = std::exchange(passed.var, p_.fresh("acc", p_.type(passed.var)));
    const Var before = passed.var;
    const Dim width = x.width;
    b.emit(std::move(s));

    const Var js = b.iota(places);
    Lambda each = b.lambda({{"j", scalar_type(Scalar::I64)}, {"acc", p_.type(before)}}, [&](const std::vector<Var>& p) {
      point.body = b.body([&] {
        const Term place = b.term(p[0]), rest = code_of(b, t->rest), k = t->factor > 0 ? place - rest : rest - place;
        substitute(p_, added, Subst{{made, k.atom}});
        b.emit_all(std::move(trips.stms));
        const Term inside = all_of({le(b.number(Scalar::I64, 0), k), lt(k, b.term(trips.result[0]))});
        Body none;
        for (size_t u = 0; u < updates.size(); u++) none.result.push_back(op.neutral[0]);
        std::vector<Var> chosen = b.bind(std::vector<std::string>(updates.size(), "value"), If{inside.atom, std::move(added), std::move(none)});
        return std::vector<Atom>(chosen.begin(), chosen.end());
      });
      Screma sum{width, inputs, clone(p_, point), {}, {}, {}, {}};
      for (size_t u = 0; u < updates.size(); u++) sum.reduces.push_back(clone(p_, op));
      std::vector<Var> sums = b.bind(std::vector<std::string>(updates.size(), "sum"), std::move(sum));
      Var acc = p[1];
      for (size_t u = 0; u < updates.size(); u++) {
        std::vector<Atom> at = updates[u].at;
        at[t->dim] = p[0];
        acc = b.bind1("acc", AccUpdate{acc, at, {sums[u]}, updates[u].in_range});
      }
      return std::vector<Atom>{acc};
    });
    results.emplace(finished, b.map("acc", places, std::move(each), {js, before})[0]);
    return true;
  }
  void take_updates(Body& b, const std::vector<size_t>& updates) {
    std::vector<std::unique_ptr<Stm>> old = b.stms.take();
    for (size_t k = 0; k < old.size(); k++) if (std::ranges::find(updates, k) == updates.end()) b.stms.push_back(std::move(old[k]));
  }
};

}  // namespace

void triangle_sums(Program& program, PassContext& context) {
  TriangleSums pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
