// updates.cc - accumulators with other operators than + become arrays that loops update one place after the other.
//
// let ys, r = with_acc xs (op) \acc -> body    ==>    ys, r = body, where every version of acc is a version of xs and
//
//   acc' = upd acc at v                               xs' = if at is inside: xs with [at] <- op xs[at] v, else xs
//   r, acc' = map n (\x acc -> ..) as acc             r, xs' = for i < n: .. as[i], r with [i] <- ..
//
// No other rule goes back through any code around such updates (docs/ad.md 6.11). A body that is one update for each element is a
// histogram, which has rules of its own. Tests: tests/ad/accumulators.fut.
//
// Rules: acc.other.
#include "compiler/ir/term.h"
#include "passes/ad/activity/activity.h"
#include "passes/ad/prepare/updates.h"

namespace raido::ad {
namespace {

using namespace ir;

class Updates {
 public:
  Updates(Program& p, const Activity& varied) : p_(p), varied_(varied) {}
  bool changed = false;

  void body(Body& whole) {
    Builder b(p_, whole.stms);
    b.into(whole, [&](List<Stm>& stms) {
      for (auto& item : stms.take()) {
        b.source = item->source;
        b.checks = item->checks;
        statement(b, std::move(*item));
      }
    });
    whole.result = expanded(whole.result);
  }

 private:
  Program& p_;
  const Activity& varied_;
  std::unordered_map<Var, const Dest*> dests_;           // of the accumulators that become arrays, by token
  std::unordered_map<Var, std::vector<Var>> arrays_;     // what a version of an accumulator is

  const Dest* dest_of(const Type& t) const {
    auto acc = std::get_if<AccType>(&t);
    auto found = acc ? dests_.find(acc->token) : dests_.end();
    return found == dests_.end() ? nullptr : found->second;
  }
  bool replaced(const Atom& a) const { return var_of(a) && dest_of(p_.type(a)); }
  const std::vector<Var>& arrays(const Atom& a) const { return arrays_.at(*var_of(a)); }
  std::vector<Atom> expanded(const std::vector<Atom>& atoms) const {
    std::vector<Atom> out;
    for (const Atom& a : atoms) {
      if (!replaced(a)) { out.push_back(a); continue; }
      for (Var v : arrays(a)) out.push_back(v);
    }
    return out;
  }
  // New names for the arrays that the accumulators among these binders are.
  std::vector<Bind> expanded(const std::vector<Bind>& binds) {
    std::vector<Bind> out;
    for (Bind x : binds) {
      const Dest* dest = dest_of(p_.type(x.var));
      if (!dest) { out.push_back(x); continue; }
      std::vector<Var>& made = arrays_[x.var];
      made.clear();
      for (Var v : dest->arrays) {
        made.push_back(p_.fresh(p_.hint(v), p_.type(v)));
        out.push_back({made.back()});
      }
    }
    return out;
  }
  static bool other(const Program& p, const Dest& d) {
    return d.combine && !(d.arrays.size() == 1 && scalar_operator(p, *d.combine) == ScalarOp::add);
  }

  void statement(Builder& b, Stm s) {
    if (auto w = std::get_if<WithAcc>(&s.exp)) {
      bool active = false;
      for (Bind x : s.pattern) active = active || varied_.varied(x.var);
      bool any = false;
      for (const Dest& d : w->dests) any = any || other(p_, d);
      if (active && any) return scope(b, s, std::move(*w));
    }
    if (auto u = std::get_if<AccUpdate>(&s.exp); u && replaced(u->acc)) return update(b, s, *u);
    if (auto x = std::get_if<Identity>(&s.exp); x && replaced(x->value)) {
      arrays_[s.pattern[0].var] = arrays(x->value);
      return;
    }
    if (auto map = std::get_if<Screma>(&s.exp)) {
      for (Var v : map->inputs)
        if (replaced(v)) return loop(b, s, std::move(*map));
    }
    auto state = [&](auto& l) {
      l.init = expanded(l.init);
      l.state = expanded(l.state);
    };
    match(s.exp, [&](For& x) { state(x); },
          [&](While& x) { state(x); x.cond.params = expanded(x.cond.params); }, [](auto&) {});
    walk_parts(s, [&](Body& inner) { body(inner); });
    s.pattern = expanded(s.pattern);
    b.emit(std::move(s));
  }
  // The scope keeps its other destinations.
  void scope(Builder& b, Stm& s, WithAcc w) {
    changed = true;
    size_t n = w.dests.size(), at = 0;
    WithAcc rest;
    std::vector<Dest> gone;
    std::vector<Bind> accs, kept_results, results;       // results: those of the destinations that are gone, then all others
    std::vector<Atom> kept_values, values;
    gone.reserve(n);
    for (size_t k = 0; k < n; k++) {
      const Dest& d = w.dests[k];
      std::vector<Bind> made(s.pattern.begin() + ptrdiff_t(at), s.pattern.begin() + ptrdiff_t(at + d.arrays.size()));
      at += d.arrays.size();
      Var token = w.scope.params[k].var, acc = w.scope.params[n + k].var;
      if (other(p_, d)) {
        gone.push_back(d);
        dests_[token] = &gone.back();
        arrays_[acc] = d.arrays;
        values.push_back(w.scope.body.result[k]);
        results.insert(results.end(), made.begin(), made.end());
      } else {
        rest.dests.push_back(d);
        rest.scope.params.push_back({token});
        accs.push_back({acc});
        kept_values.push_back(w.scope.body.result[k]);
        kept_results.insert(kept_results.end(), made.begin(), made.end());
      }
    }
    values.insert(values.end(), w.scope.body.result.begin() + ptrdiff_t(n), w.scope.body.result.end());
    results.insert(results.end(), s.pattern.begin() + ptrdiff_t(at), s.pattern.end());
    kept_values.insert(kept_values.end(), values.begin(), values.end());
    w.scope.body.result = kept_values;
    body(w.scope.body);
    if (rest.dests.empty()) {
      b.emit_all(std::move(w.scope.body.stms));
      for (size_t i = 0; i < results.size(); i++) b.emit({{results[i]}, Identity{w.scope.body.result[i]}, s.checks, s.source, {}});
    } else {
      rest.scope.params.insert(rest.scope.params.end(), accs.begin(), accs.end());
      rest.scope.body = std::move(w.scope.body);
      kept_results.insert(kept_results.end(), results.begin(), results.end());
      s.pattern = std::move(kept_results);
      s.exp = std::move(rest);
      b.emit(std::move(s));
    }
    for (size_t k = 0; k < n; k++) dests_.erase(w.scope.params[k].var);
  }
  void update(Builder& b, Stm& s, const AccUpdate& u) {
    const Dest& dest = *dest_of(p_.type(u.acc));
    const Combine& op = *dest.combine;
    std::vector<Var> old = arrays(u.acc);
    std::vector<Dim> space = std::get<AccType>(p_.type(u.acc)).space;
    Term inside = b.term(bool_const(true));
    for (size_t d = 0; d < u.at.size(); d++) {
      Term k = b.term(u.at[d]);
      inside = and_(inside, all_of({le(b.term(i64_const(0)), k), lt(k, b.term(space[d]))}));
    }
    If guarded;
    guarded.cond = inside.atom;
    guarded.then_ = b.body([&] {
      std::vector<Atom> both;
      for (Var v : old) both.push_back(b.index(p_.hint(v), v, u.at));
      both.insert(both.end(), u.values.begin(), u.values.end());
      std::vector<Atom> next;
      if (op.shape.empty()) {
        next = b.inline_call(op.op, both);
      } else {
        std::vector<Var> rows;
        for (const Atom& a : both) rows.push_back(*var_of(a));
        for (Var v : b.map_all("cell", op.shape, rows, [&](const std::vector<Var>& xs) { return b.inline_call(op.op, {xs.begin(), xs.end()}); }))
          next.push_back(v);
      }
      std::vector<Atom> out;
      for (size_t i = 0; i < old.size(); i++) out.push_back(b.update(old[i], u.at, next[i]));
      return out;
    });
    guarded.else_ = b.body([&] { return std::vector<Atom>(old.begin(), old.end()); });
    arrays_[s.pattern[0].var] = b.bind(p_.hint(old[0]), std::move(guarded));
  }
  // A map with such accumulators is a loop that carries them; its other results are written element by element.
  void loop(Builder& b, Stm& s, Screma map) {
    CHECK(is_map(map), "a screma that is not split is differentiated");
    For f;
    f.n = map.width;
    f.i = {p_.fresh("i", scalar_type(Scalar::I64))};
    std::vector<size_t> outputs;                         // results that are no accumulators
    std::vector<Bind> accs, pattern;
    std::vector<Atom> init;
    for (size_t k = 0; k < map.inputs.size(); k++)
      if (is_acc(p_.type(map.inputs[k]))) {
        accs.push_back(map.pre.params[k]);
        init.push_back(map.inputs[k]);
      }
    f.init = expanded(init);
    f.state = expanded(accs);
    std::vector<Var> outs;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      const Type& t = p_.type(s.pattern[k].var);
      if (is_acc(t)) continue;
      outputs.push_back(k);
      f.init.push_back(b.bind1(p_.hint(s.pattern[k].var), Scratch{elem_of(t), shape_of(t)}));
      outs.push_back(p_.fresh(p_.hint(s.pattern[k].var), t));
      f.state.push_back({outs.back()});
    }
    Subst rows;
    Body before;
    Builder in(p_, before.stms);
    in.source = s.source;
    for (size_t k = 0; k < map.inputs.size(); k++)
      if (!is_acc(p_.type(map.inputs[k])))
        rows.emplace(map.pre.params[k].var, in.index(p_.hint(map.pre.params[k].var), map.inputs[k], {f.i.var}));
    substitute(p_, map.pre.body, rows);
    std::vector<Atom> results, made = map.pre.body.result;
    auto token = [&](const Type& t) { return std::get<AccType>(t).token; };
    for (Bind acc : accs)
      for (size_t k = 0; k < made.size(); k++) {
        Type t = p_.type(made[k]);
        if (!is_acc(t) || token(t) != token(p_.type(acc.var))) continue;
        results.push_back(made[k]);
        pattern.push_back(s.pattern[k]);
      }
    map.pre.body.result = results;
    body(map.pre.body);
    in.emit_all(std::move(map.pre.body.stms));
    before.result = map.pre.body.result;
    for (size_t k = 0; k < outputs.size(); k++) before.result.push_back(in.update(outs[k], {f.i.var}, made[outputs[k]]));
    f.body = std::move(before);
    pattern = expanded(pattern);
    for (size_t k : outputs) pattern.push_back(s.pattern[k]);
    s.pattern = std::move(pattern);
    s.exp = std::move(f);
    b.emit(std::move(s));
  }
};

}  // namespace

bool updates_in_turn(Program& p, Body& whole, const Activity& varied) {
  Updates pass(p, varied);
  pass.body(whole);
  return pass.changed;
}

}  // namespace raido::ad
