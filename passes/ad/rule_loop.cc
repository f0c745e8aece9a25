// rule_loop.cc
//
// let y = for i < n (p = p0) body                                                   ad.md 9.1, 9.2
//
//   forward   y, ps = for i < n (p = p0, ps = scratch) { ps[i] <- p ; body }
//   return    p_adj, ws_adj = for k < n (p_adj = y_adj, ws_adj) { i = n-1-k ; p = ps[i] ; body again ; its return sweep }
//
// Sizes that are state (ad.md 9.5) are recorded and restored as any state; the adjoint carried back has in each iteration
// the shape that the array had there.
//
// An array that the body only updates in place is not recorded, but what the updates overwrite (undo.h): the return sweep
// carries the array as well and undoes one iteration after the other. Every other state variable that the body reads is
// recorded. What the return sweep does not read of all that is dead state of the forward loop and disappears, and with the
// last of it the forward loop itself if only the derivative was wanted.
// ws: varied variables free in the body; their adjoints are carried, in place. Tests: tests/ad/loops.fut, undo.fut.
//
// Rules: loop.record loop.shape.
#include <algorithm>

#include "passes/ad/reverse.h"
#include "passes/ad/undo.h"

namespace raido::ad {

using namespace ir;

namespace {

// State variables that other state's types mention.
VarSet sizes_of(const Program& p, const For& op) {
  VarSet sizes;
  for (Bind x : op.state)
    walk(p.type(x.var), [&](const Var& v) { for (Bind y : op.state) if (y.var == v) sizes.insert(v); });
  return sizes;
}
bool mentions(const Program& p, Var x, const VarSet& sizes) {
  bool found = false;
  walk(p.type(x), [&](const Var& v) { found = found || sizes.contains(v); });
  return found;
}
// Sizes in a type.
void substitute_type(Type& t, const Subst& s) {
  walk(t, [&](Atom& a) {
    if (auto v = var_of(a))
      if (auto found = s.find(*v); found != s.end()) a = found->second;
  });
}

}  // namespace

ReturnSweep vjp_for(Reverse& rev, const Stm& s, const For& op) {
  Program& p = rev.p;
  Stm loop = s;
  Body& forth = std::get<For>(loop.exp).body;
  std::vector<size_t> updated = updated_state(p, op), recorded;
  std::vector<Atom> changed, wanted;
  for (size_t k : updated) changed.push_back(forth.result[k]);
  Steps steps = save_overwritten(p, forth, changed);
  VarSet used = sizes_of(p, op);
  for (const Stm& inner : op.body.stms) each_use(p, inner, [&](Var v) { used.insert(v); });
  for (size_t k = 0; k < op.state.size(); k++) {
    Var x = op.state[k].var;
    if (!used.contains(x) || !(is_scalar(p.type(x)) || is_array(p.type(x))) || std::ranges::find(updated, k) != updated.end()) continue;
    recorded.push_back(k);
    wanted.push_back(x);
  }
  wanted.insert(wanted.end(), steps.slots.begin(), steps.slots.end());
  auto emit = [&rev](const Stm& made) { rev.forward(made); };
  Kept kept = keep(rev.b, loop, wanted, emit);
  emit(loop);
  return [&rev, &s, &op, updated, recorded, steps, kept] {
    Program& q = rev.p;
    Builder& b = rev.b;
    bool active = rev.updates_gathered(s);
    for (Bind x : s.pattern) active = active || !rev.is_zero(x.var);
    if (!active) return;
    std::vector<size_t> carried;                             // state with an adjoint
    for (size_t i = 0; i < op.state.size(); i++)
      if (rev.act.varied(op.state[i].var) && !is_acc(q.type(op.state[i].var))) carried.push_back(i);
    VarSet bound;
    bound.insert(op.i.var);
    for (Bind x : op.state) bound.insert(x.var);
    std::vector<Var> free = rev.free_in(op.body);
    std::erase_if(free, [&](Var v) { return bound.contains(v); });

    For back;
    back.n = op.n;
    back.i = {q.fresh("k", scalar_type(Scalar::I64))};
    auto carry = [&](const std::string& hint, const Atom& init) {
      back.state.push_back({q.fresh(hint, q.type(init))});
      back.init.push_back(init);
      return back.state.back().var;
    };
    // Sizes go back with the adjoints: those after the loop at first.
    std::vector<size_t> sizes;
    VarSet changing = sizes_of(q, op);
    Subst current;                                           // the size in the state of the primal -> here
    for (size_t i = 0; i < op.state.size(); i++) {
      Var x = op.state[i].var;
      bool needed = changing.contains(x) && std::ranges::any_of(carried, [&](size_t k) {
        bool found = false;
        walk(q.type(op.state[k].var), [&](const Var& v) { found = found || v == x; });
        return found;
      });
      if (!needed) continue;
      sizes.push_back(i);
      current.emplace(x, carry(q.hint(x), s.pattern[i].var));
    }
    std::vector<Var> adjoints, frees;
    for (size_t i : carried) {
      Var y = s.pattern[i].var;
      adjoints.push_back(carry(q.hint(y) + "_adj", is_array(q.type(y)) ? Atom(rev.own(y)) : rev.adjoint(y)));
      if (mentions(q, op.state[i].var, changing)) {
        Type t = q.type(op.state[i].var);
        substitute_type(t, current);
        q.vars[adjoints.back().index].type = t;
      }
      rev.take(y);
    }
    for (Var v : free) {
      bool acc = rev.state(v).kind == Adjoint::Kind::Acc;
      frees.push_back(carry(q.hint(v) + "_adj", acc ? rev.state(v).value : is_array(q.type(v)) ? Atom(rev.own(v)) : rev.adjoint(v)));
    }
    std::vector<Var> arrays;                                 // what the loop updated, undone step by step
    for (size_t k : updated) arrays.push_back(carry(q.hint(s.pattern[k].var), rev.current(s.pattern[k].var)));
    back.body = b.body([&] {
      Reverse inner(rev, {});
      Term i = b.term(op.n) - 1 - b.term(back.i.var);
      Subst values;
      values.emplace(op.i.var, i.atom);
      std::vector<Var> restored(op.state.size());
      std::vector<Atom> then = kept.read(b, i.atom, kept.slots);
      for (size_t k = 0; k < recorded.size(); k++) restored[recorded[k]] = *var_of(then[k]);
      std::vector<Var> before = steps.undo(b, arrays, {then.begin() + ptrdiff_t(recorded.size()), then.end()});
      for (size_t k = 0; k < updated.size(); k++) restored[updated[k]] = before[k];
      for (size_t k = 0; k < op.state.size(); k++) {
        Var x = op.state[k].var;
        if (!is_scalar(q.type(x)) && !is_array(q.type(x))) continue;
        Type t = q.type(x);
        substitute_type(t, values);
        if (!restored[k].valid()) restored[k] = q.fresh(q.hint(x), t);   // a name for its adjoint: the body does not read it
        if (rev.act.varied(x)) rev.act.mark(restored[k]);
        values.emplace(x, restored[k]);
      }
      for (Var v : before) inner.make_ours(v);
      for (size_t k = 0; k < free.size(); k++)
        inner.state(free[k]) = rev.state(free[k]).kind == Adjoint::Kind::Acc ? Adjoint::acc(frees[k]) : Adjoint::of(frees[k], true);
      Body body = rev.act.clone(op.body);
      substitute(q, body, values);
      std::vector<Adjoint> seeds(op.state.size());
      for (size_t k = 0; k < carried.size(); k++) seeds[carried[k]] = Adjoint::of(adjoints[k], true);
      inner.scope(std::move(body), seeds);
      std::vector<Atom> out;
      for (size_t k : sizes) out.push_back(restored[k]);
      for (size_t k : carried) out.push_back(is_array(q.type(restored[k])) ? Atom(inner.own(restored[k])) : inner.adjoint(restored[k]));
      for (size_t k = 0; k < free.size(); k++) {
        if (inner.state(free[k]).kind == Adjoint::Kind::Acc) out.push_back(inner.state(free[k]).value);
        else out.push_back(is_array(q.type(free[k])) ? Atom(inner.own(free[k])) : inner.adjoint(free[k]));
      }
      for (Var v : before) out.push_back(inner.current(v));
      return out;
    });
    std::vector<std::string> hints;
    for (Bind x : back.state) hints.push_back(q.hint(x.var));
    std::vector<Var> out = b.bind(hints, std::move(back));
    for (size_t k = 0; k < free.size(); k++) {
      Adjoint& a = rev.state(free[k]);
      Var result = out[sizes.size() + carried.size() + k];
      a = a.kind == Adjoint::Kind::Acc ? Adjoint::acc(result) : Adjoint::of(result, true);
    }
    for (size_t k = 0; k < carried.size(); k++) {
      const Atom& init = op.init[carried[k]];
      rev.add(init, as_type(b, out[sizes.size() + k], q.type(init)), true);
    }
    for (size_t k = 0; k < updated.size(); k++)
      rev.restore(*var_of(op.init[updated[k]]), out[sizes.size() + carried.size() + free.size() + k]);
  };
}

}  // namespace raido::ad
