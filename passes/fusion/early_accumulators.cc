// early_accumulators.cc - updates of accumulators become plain maps and reductions where the core program shows it,
// so that fusion can act on them.
//
//   E1, E2   a nest of maps that updates each cell once, in order       ==>   the array plus the values
//   E3       an update whose index does not depend on the map around    ==>   a reduction of the map, then one update
//   E4       two updates of one index in a row                          ==>   one update of the combined value
//   E5       an update in a loop whose index does not depend on it      ==>   a sum in the loop, then one update
//   E10      the sum of zeros with updates                              ==>   updates of one cell (early_sums.cc)
//   E11      an update of a constant index in a branch                  ==>   a value of the branch or zero, then one update
//   E12      a product with zeros to which entries were added           ==>   a sum over the entries (sparse_sums.cc)
//   E0       a scope whose updates all stand in its own body            ==>   updates of the arrays, no scope
//
// E3 on the inner of two maps leaves an update in the outer one, where it may apply again.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/fusion/early_sums.h"

namespace raido {
namespace {

using namespace ir;

class EarlyAccumulators {
 public:
  EarlyAccumulators(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      if (auto scope = std::get_if<WithAcc>(&s.exp))
        for (size_t k = 0; k < scope->dests.size(); k++) dests_[scope->scope.params[k].var] = &scope->dests[k];
      walk_parts(s, [&](Body& inner) { body(inner); });
      b.checks = s.checks;
      return match(s.exp, [&](Screma& x) { return lift_from_map(b, s, x, results); },
                   [&](For& x) { return lift_from_loop(b, s, x, results); },
                   [&](If& x) { return lift_from_branch(b, s, x, results); }, [&](AccUpdate& x) { return merge(whole, s, x, results); },
                   [&](auto&) { return false; });
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  std::unordered_map<Var, const Dest*> dests_;           // by token, of the scopes that are open

  // The scalar operator of the accumulator, if updates may be combined before they are done.
  const Combine* operator_of(const Atom& acc) const {
    auto found = dests_.find(std::get<AccType>(p_.type(acc)).token);
    if (found == dests_.end() || !found->second->combine || found->second->arrays.size() != 1) return nullptr;
    const Combine& c = *found->second->combine;
    return c.commutative && scalar_operator(p_, c) ? &c : nullptr;
  }
  Atom combined(Builder& b, const Combine& c, const Atom& x, const Atom& y) {
    return b.term(b.inline_call(c.op, {x, y})[0]).atom;
  }

  // upd (upd a i v) i w   ==>   upd a i (v op w)                                                       E4
  bool merge(Body& whole, Stm& s, AccUpdate& x, Subst&) {
    for (size_t k = whole.stms.size(); k-- > 0;) {
      auto before = std::get_if<AccUpdate>(&whole.stms[k].exp);
      if (!before || whole.stms[k].pattern[0].var != x.acc) continue;
      const Combine* c = before->at == x.at && is_scalar(p_.type(x.values[0])) ? operator_of(x.acc) : nullptr;
      if (!c || !context_.allow()) return false;
      AccUpdate first = *before;
      std::vector<std::unique_ptr<Stm>> old = whole.stms.take();
      for (size_t i = 0; i < old.size(); i++) if (i != k) whole.stms.push_back(std::move(old[i]));
      Builder b(p_, whole.stms);
      b.source = s.source;
      b.checks = s.checks;
      Atom v = combined(b, *c, first.values[0], x.values[0]);
      x = AccUpdate{first.acc, x.at, {v}};
      whole.stms.push_back(std::move(s));
      context_.stats.count("early_accumulators.E4");
      return true;
    }
    return false;
  }

  // One accumulator's way through a body: from a parameter through updates to a result, nothing else in between.
  struct Chain {
    size_t param, result;
    std::vector<size_t> updates;                         // statements, in order
  };
  std::optional<Chain> chain_of(const std::vector<Bind>& params, const Body& b, size_t param) const { return chain_from(params[param].var, b, param); }
  std::optional<Chain> chain_from(Atom now, const Body& b, size_t param) const {
    Chain chain{param, 0, {}};
    for (size_t k = 0; k < b.stms.size(); k++) {
      bool uses = false;
      each_use(p_, b.stms[k].exp, [&](Var v) { uses = uses || now == Atom(v); });
      if (!uses) continue;
      auto u = std::get_if<AccUpdate>(&b.stms[k].exp);
      if (!u) return {};
      chain.updates.push_back(k);
      now = b.stms[k].pattern[0].var;
    }
    for (size_t r = 0; r < b.result.size(); r++)
      if (b.result[r] == now) { chain.result = r; return chain; }
    return {};
  }
  static bool free_of(const std::vector<Atom>& atoms, const VarSet& bound) {
    return std::ranges::none_of(atoms, [&](const Atom& a) { auto v = var_of(a); return v && bound.contains(*v); });
  }
  // Takes the updates of a chain out of the body; their values are returned.
  std::vector<AccUpdate> take_updates(Body& b, const Chain& chain) {
    std::vector<AccUpdate> out;
    std::vector<std::unique_ptr<Stm>> old = b.stms.take();
    for (size_t k = 0; k < old.size(); k++) {
      if (std::ranges::find(chain.updates, k) == chain.updates.end()) b.stms.push_back(std::move(old[k]));
      else out.push_back(std::move(std::get<AccUpdate>(old[k]->exp)));
    }
    return out;
  }

  // map n \x a -> .. upd a i v ..  with i from outside   ==>   s = reduce op (map \x -> .. v ..) ; upd a i s      E3
  bool lift_from_map(Builder& b, Stm& s, Screma& x, Subst& results) {
    if (!is_map(x)) return false;
    for (size_t k = 0; k < x.inputs.size(); k++) {
      if (!is_acc(p_.type(x.inputs[k])) || !operator_of(x.inputs[k])) continue;
      auto chain = chain_of(x.pre.params, x.pre.body, k);
      if (!chain || chain->updates.empty()) continue;
      VarSet bound = bound_in(x.pre);
      bool invariant = true;
      for (size_t u : chain->updates) {
        const AccUpdate& upd = std::get<AccUpdate>(x.pre.body.stms[u].exp);
        invariant = invariant && free_of(upd.at, bound) && is_scalar(p_.type(upd.values[0]));
      }
      if (!invariant || !context_.allow()) continue;
      const Combine* op = operator_of(x.inputs[k]);
      Var acc = x.inputs[k], finished = s.pattern[chain->result].var;
      std::vector<AccUpdate> updates = take_updates(x.pre.body, *chain);
      // the map without the accumulator, with one reduction for each update
      Screma f = std::move(x);
      f.inputs.erase(f.inputs.begin() + i64(k));
      f.pre.params.erase(f.pre.params.begin() + i64(k));
      f.pre.body.result.erase(f.pre.body.result.begin() + i64(chain->result));
      std::vector<Atom> operands;
      for (const AccUpdate& u : updates) {
        operands.push_back(u.values[0]);
        f.reduces.push_back(clone(p_, *op));
      }
      f.pre.body.result.insert(f.pre.body.result.begin(), operands.begin(), operands.end());
      std::vector<Bind> kept = s.pattern;
      kept.erase(kept.begin() + i64(chain->result));
      std::vector<Var> out = b.bind("sum", std::move(f));
      for (size_t i = 0; i < kept.size(); i++) {
        p_.vars[out[updates.size() + i].index].hint = p_.hint(kept[i].var);
        results.emplace(kept[i].var, out[updates.size() + i]);
      }
      for (size_t i = 0; i < updates.size(); i++) acc = b.bind1("acc", AccUpdate{acc, updates[i].at, {out[i]}});
      results.emplace(finished, acc);
      context_.stats.count("early_accumulators.E3");
      return true;
    }
    return false;
  }

  // if c { .. upd a 0 v .. } else { a }   ==>   upd a 0 (if c { .. v } else { ne })                                 E11
  // Only of constant indices: where it is not known that others update the same place, the branch saves updates.
  bool lift_from_branch(Builder& b, Stm& s, If& x, Subst& results) {
    for (size_t r = 0; r < s.pattern.size(); r++) {
      if (!is_acc(p_.type(s.pattern[r].var)) || !operator_of(s.pattern[r].var)) continue;
      Var token = std::get<AccType>(p_.type(s.pattern[r].var)).token;
      std::optional<Var> outside;
      for (Var v : free_vars(p_, s.exp))
        if (auto acc = std::get_if<AccType>(&p_.type(v)); acc && acc->token == token) outside = v;
      if (!outside) continue;
      auto one = chain_from(*outside, x.then_, 0), other = chain_from(*outside, x.else_, 0);
      if (!one || !other || one->result != r || other->result != r) continue;
      std::vector<AccUpdate> updates;
      for (auto [body, chain] : {std::pair(&x.then_, &*one), std::pair(&x.else_, &*other)})
        for (size_t k : chain->updates) updates.push_back(std::get<AccUpdate>(body->stms[k].exp));
      auto constant = [&](const AccUpdate& u) {
        return u.at == updates[0].at && is_scalar(p_.type(u.values[0])) && std::ranges::all_of(u.at, [](const Atom& a) { return const_of(a) != nullptr; });
      };
      if (updates.empty() || !std::ranges::all_of(updates, constant) || !context_.allow()) continue;
      const Combine* op = operator_of(s.pattern[r].var);
      for (auto [body, chain] : {std::pair(&x.then_, &*one), std::pair(&x.else_, &*other)}) {
        std::vector<AccUpdate> taken = take_updates(*body, *chain);
        Builder in(p_, body->stms);
        in.source = s.source;
        Atom now = op->neutral[0];
        for (size_t k = 0; k < taken.size(); k++) now = k == 0 ? taken[k].values[0] : combined(in, *op, now, taken[k].values[0]);
        body->result[r] = now;
      }
      Var finished = s.pattern[r].var, sum = p_.fresh("sum", scalar_type(elem_of(p_, op->neutral[0])));
      s.pattern[r].var = sum;
      b.emit(std::move(s));
      results.emplace(finished, b.bind1("acc", AccUpdate{*outside, updates[0].at, {sum}}));
      context_.stats.count("early_accumulators.E11");
      return true;
    }
    return false;
  }

  // for i < n (a) { .. upd a c v .. } with c from outside   ==>   for i < n (s = ne) { .. s op v .. } ; upd a c s   E5
  bool lift_from_loop(Builder& b, Stm& s, For& x, Subst& results) {
    for (size_t k = 0; k < x.state.size(); k++) {
      if (!is_acc(p_.type(x.state[k].var)) || !operator_of(x.init[k])) continue;
      auto chain = chain_of(x.state, x.body, k);
      if (!chain || chain->result != k || chain->updates.empty()) continue;
      VarSet bound = bound_in(s.exp);
      bool invariant = true;
      std::vector<Atom> at = std::get<AccUpdate>(x.body.stms[chain->updates[0]].exp).at;
      for (size_t u : chain->updates) {
        const AccUpdate& upd = std::get<AccUpdate>(x.body.stms[u].exp);
        invariant = invariant && upd.at == at && free_of(at, bound) && is_scalar(p_.type(upd.values[0]));
      }
      if (!invariant || !context_.allow()) continue;
      const Combine* op = operator_of(x.init[k]);
      Atom acc = x.init[k];
      Var finished = s.pattern[k].var;
      std::vector<AccUpdate> updates = take_updates(x.body, *chain);
      For f = std::move(x);
      Type t = scalar_type(elem_of(p_, op->neutral[0]));
      Var sum = p_.fresh("sum", t);
      f.state[k] = {sum};
      f.init[k] = op->neutral[0];
      Builder in(p_, f.body.stms);
      Atom now = sum;
      for (const AccUpdate& u : updates) now = combined(in, *op, now, u.values[0]);
      f.body.result[k] = now;
      std::vector<Bind> pattern = s.pattern;
      std::vector<Var> out = b.bind("y", std::move(f));
      for (size_t i = 0; i < out.size(); i++) {
        p_.vars[out[i].index].hint = p_.hint(pattern[i].var);
        if (i != k) results.emplace(pattern[i].var, out[i]);
      }
      results.emplace(finished, b.bind1("acc", AccUpdate{*var_of(acc), at, {out[k]}}));
      context_.stats.count("early_accumulators.E5");
      return true;
    }
    return false;
  }
};

// with_acc [xs] (op) \a -> map n \i v a -> upd a [i] v  over iota and vs   ==>   map (\x v -> x op v) xs vs        E1, E2
class Covering {
 public:
  Covering(Program& p, PassContext& context) : p_(p), context_(context) {}
  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto scope = std::get_if<WithAcc>(&s.exp);
      b.checks = s.checks;
      bool done = scope && (cover(b, s, *scope, results) || dissolve(b, s, *scope, results));
      if (!done) definitions_.add(s);
      return done;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  Definitions definitions_;

  bool counts(Var v, const Dim& n) const {
    auto iota = definitions_.get<Iota>(v);
    return iota && iota->n == n && is_const(iota->start, 0) && is_const(iota->step, 1);
  }
  // A nest of maps over iotas whose innermost body updates at exactly the indices of the nest: the value, else none.
  struct Nest { std::vector<const Screma*> maps; const AccUpdate* update = nullptr; };
  bool find_nest(const Body& b, Var acc, const std::vector<Dim>& space, size_t depth, std::vector<Atom>& indices, Nest& nest) const {
    if (b.result.size() != 1 || b.stms.empty()) return false;
    const Stm& last = b.stms.back();
    if (b.result[0] != Atom(last.pattern[0].var) || last.pattern.size() != 1) return false;
    if (depth == space.size()) {
      auto u = std::get_if<AccUpdate>(&last.exp);
      if (!u || u->acc != acc || u->at != indices) return false;
      nest.update = u;
      return true;
    }
    auto map = std::get_if<Screma>(&last.exp);
    if (!map || !is_map(*map) || map->width != space[depth]) return false;
    std::optional<size_t> through, counter;
    for (size_t k = 0; k < map->inputs.size(); k++) {
      if (map->inputs[k] == acc) through = k;
      else if (!counter && counts(map->inputs[k], space[depth])) counter = k;
    }
    if (!through || !counter) return false;
    for (size_t k = 0; k + 1 < b.stms.size(); k++) {
      if (mentions(p_, b.stms[k], acc)) return false;
    }
    nest.maps.push_back(map);
    indices.push_back(map->pre.params[*counter].var);
    return find_nest(map->pre.body, map->pre.params[*through].var, space, depth + 1, indices, nest);
  }
  bool cover(Builder& b, Stm& s, WithAcc& x, Subst& results) {
    if (x.dests.size() != 1 || x.dests[0].arrays.size() != 1 || !x.dests[0].combine) return false;
    if (x.scope.body.result.size() != 1 || !scalar_operator(p_, *x.dests[0].combine)) return false;
    const AccType acc = std::get<AccType>(p_.type(x.scope.params[1].var));
    if (!acc.elems[0].shape.empty()) return false;
    definitions_.add(x.scope.body);
    std::vector<Atom> indices;
    Nest nest;
    if (!find_nest(x.scope.body, x.scope.params[1].var, acc.space, 0, indices, nest) || !context_.allow()) return false;
    // The same nest without the accumulator gives the values; the array is combined with them.
    Var old = x.dests[0].arrays[0];
    Combine op = std::move(*x.dests[0].combine);
    Body values = std::move(x.scope.body);
    strip(values, x.scope.params[1].var, acc.space.size());
    b.emit_all(std::move(values.stms));
    Var sum = b.map_all(p_.hint(old), acc.space, {old, *var_of(values.result[0])}, [&](const std::vector<Var>& in) {
      return b.inline_call(op.op, {in[0], in[1]});
    })[0];
    results.emplace(s.pattern[0].var, sum);
    context_.stats.count("early_accumulators.E1");
    return true;
  }
  // with_acc [xs] (op) \a -> .. upd a i v ..  at top level only   ==>   .. xs with [i] = xs[i] op v where i is inside ..      E0
  bool dissolve(Builder& b, Stm& s, WithAcc& x, Subst& results) {
    size_t n = x.dests.size();
    VarMap<size_t> version;                              // an accumulator -> its dest + 1
    for (size_t k = 0; k < n; k++) {
      if (x.dests[k].arrays.size() != 1 || (x.dests[k].combine && !scalar_operator(p_, *x.dests[k].combine))) return false;
      if (!std::get<AccType>(p_.type(x.scope.params[n + k].var)).elems[0].shape.empty()) return false;
      version[x.scope.params[n + k].var] = k + 1;
    }
    for (const Stm& inner : x.scope.body.stms) {
      bool uses = false;
      each_use(p_, inner, [&](Var v) { uses = uses || version[v]; });
      if (!uses) continue;
      auto u = std::get_if<AccUpdate>(&inner.exp);
      if (!u || !version[u->acc]) return false;
      size_t same_version = version[u->acc];            // before the table may grow
      version[inner.pattern[0].var] = same_version;
    }
    if (!context_.allow()) return false;
    std::vector<Var> arrays;
    for (const Dest& d : x.dests) arrays.push_back(d.arrays[0]);
    for (auto& item : x.scope.body.stms.take()) {
      auto u = std::get_if<AccUpdate>(&item->exp);
      if (!u || !version[u->acc]) { b.emit(std::move(item)); continue; }
      size_t k = version[u->acc] - 1;
      const Dest& d = x.dests[k];
      std::vector<Dim> space = shape_of(p_.type(arrays[k]));
      Term inside = b.term(bool_const(true));
      for (size_t i = 0; i < u->at.size(); i++)
        inside = and_(inside, all_of({le(b.term(i64_const(0)), b.term(u->at[i])), lt(b.term(u->at[i]), b.term(space[i]))}));
      auto updated = [&] {
        Atom value = u->values[0];
        if (d.combine) value = b.inline_call(d.combine->op, {b.index("old", arrays[k], u->at), value})[0];
        return b.update(arrays[k], u->at, value);
      };
      auto known = const_of(inside.atom);
      if (known && !known->bits) continue;
      if (known) { arrays[k] = updated(); continue; }
      If guarded;
      guarded.cond = inside.atom;
      guarded.then_ = b.body([&] { return std::vector<Atom>{updated()}; });
      guarded.else_ = b.body([&] { return std::vector<Atom>{arrays[k]}; });
      arrays[k] = b.bind1(p_.hint(arrays[k]), std::move(guarded));
    }
    for (size_t k = 0; k < n; k++) results.emplace(s.pattern[k].var, arrays[k]);
    for (size_t k = n; k < x.scope.body.result.size(); k++) results.emplace(s.pattern[k].var, x.scope.body.result[k]);
    context_.stats.count("early_accumulators.E0");
    return true;
  }
  // Replaces the update at the bottom by its value and the accumulator's way up by arrays of values.
  void strip(Body& b, Var acc, size_t depth) {
    if (depth == 0) {
      AccUpdate u = std::get<AccUpdate>(b.stms.back().exp);
      std::vector<std::unique_ptr<Stm>> old = b.stms.take();
      old.pop_back();
      for (auto& item : old) b.stms.push_back(std::move(item));
      b.result = {u.values[0]};
      return;
    }
    std::vector<std::unique_ptr<Stm>> old = b.stms.take();
    Screma map = std::move(std::get<Screma>(old.back()->exp));
    Source source = old.back()->source;
    std::vector<Var> checks = old.back()->checks;
    old.pop_back();
    for (auto& item : old) b.stms.push_back(std::move(item));
    size_t k = size_t(std::ranges::find(map.inputs, acc) - map.inputs.begin());
    Var inner = map.pre.params[k].var;
    map.inputs.erase(map.inputs.begin() + i64(k));
    map.pre.params.erase(map.pre.params.begin() + i64(k));
    strip(map.pre.body, inner, depth - 1);
    Builder builder(p_, b.stms);
    builder.source = source;
    builder.checks = checks;
    b.result = {builder.bind1("values", std::move(map))};
  }
};

}  // namespace

void early_accumulators(ir::Program& program, PassContext& context) {
  sum_updates(program, context);
  sum_entries(program, context);
  EarlyAccumulators lift(program, context);
  program.each_body([&](ir::Body& b) { lift.body(b); });
  Covering cover(program, context);
  program.each_body([&](ir::Body& b) { cover.body(b); });
}

}  // namespace raido
