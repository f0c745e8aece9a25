// rule_loop.cc
//
// let y = for i < n (p = p0) body                                                   ad.md 9.1, 9.2
//
//   forward   y, ps = for i < n (p = p0, ps = scratch) { ps[i] <- p ; body }
//   return    p_adj, ws_adj = for k < n (p_adj = y_adj, ws_adj) { i = n-1-k ; p = ps[i] ; body again ; its return sweep }
//
// Every state variable that the body reads is recorded; records that the return sweep does not read are dead state of
// the forward loop and disappear, and with the last of them the forward loop itself if only the derivative was wanted.
// ws: varied variables free in the body; their adjoints are carried, in place. Tests: tests/ad/loop_*.fut.
#include "passes/ad/reverse.h"

namespace raido::ad {

using namespace ir;

namespace {

struct Records {
  std::vector<Var> of_state;       // the record of each state variable; invalid where there is none
};

// Emits the loop with a record for each state variable that the body uses.
Records record(Reverse& rev, const Stm& s, const For& op) {
  Program& p = rev.p;
  Builder& b = rev.b;
  Records records;
  records.of_state.resize(op.state.size());
  Stm loop = s;
  For& f = std::get<For>(loop.exp);
  Atom n = apply(ScalarOp::max, {b.term(op.n), b.term(i64_const(0))}).atom;
  VarSet used;
  for (const Stm& inner : op.body.stms) each_use(p, inner, [&](Var v) { used.insert(v); });
  std::vector<Atom> updated;
  Body body;
  Builder inside(p, body.stms);
  inside.source = s.source;
  for (size_t i = 0; i < op.state.size(); i++) {
    Var x = op.state[i].var;
    const Type& t = p.type(x);
    if (!used.contains(x) || !(is_scalar(t) || is_array(t))) continue;
    std::vector<Dim> shape = shape_of(t);
    shape.insert(shape.begin(), n);
    Var empty = b.bind1(p.hint(x) + "_rec", Scratch{elem_of(t), shape});
    Var state = p.fresh(p.hint(x) + "_rec", p.type(empty));
    f.state.push_back({state});
    f.init.push_back(empty);
    updated.push_back(inside.update(state, {op.i.var}, x));
    records.of_state[i] = p.fresh(p.hint(x) + "_rec", p.type(empty));
    loop.pattern.push_back({records.of_state[i]});
  }
  for (auto& item : f.body.stms.take()) body.stms.push_back(std::move(item));
  body.result = f.body.result;
  body.result.insert(body.result.end(), updated.begin(), updated.end());
  f.body = std::move(body);
  rev.forward(loop);
  return records;
}

}  // namespace

ReturnSweep vjp_for(Reverse& rev, const Stm& s, const For& op) {
  Program& p = rev.p;
  for (Bind x : op.state) {
    bool changes = false;
    walk(p.type(x.var), [&](const Var& v) { for (Bind y : op.state) changes = changes || y.var == v; });
    if (changes && is_array(p.type(x.var))) { rev.refuse(s, "a loop that changes the shape of an array"); return {}; }
  }
  Records records = record(rev, s, op);
  return [&rev, &s, &op, records] {
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
    std::vector<Var> adjoints, frees;
    for (size_t i : carried) {
      Var y = s.pattern[i].var;
      adjoints.push_back(carry(q.hint(y) + "_adj", is_array(q.type(y)) ? Atom(rev.own(y)) : rev.adjoint(y)));
      rev.take(y);
    }
    for (Var v : free) {
      bool acc = rev.state(v).kind == Adjoint::Kind::Acc;
      frees.push_back(carry(q.hint(v) + "_adj", acc ? rev.state(v).value : is_array(q.type(v)) ? Atom(rev.own(v)) : rev.adjoint(v)));
    }
    back.body = b.body([&] {
      Reverse inner(rev, {});
      Term i = b.term(op.n) - 1 - b.term(back.i.var);
      Subst values;
      values.emplace(op.i.var, i.atom);
      std::vector<Var> restored(op.state.size());
      for (size_t k = 0; k < op.state.size(); k++) {
        Var x = op.state[k].var;
        if (!is_scalar(q.type(x)) && !is_array(q.type(x))) continue;
        if (records.of_state[k].valid()) restored[k] = *var_of(b.index(q.hint(x), records.of_state[k], {i.atom}));
        else restored[k] = q.fresh(q.hint(x), q.type(x));    // a name for its adjoint: the body does not read it
        if (rev.act.varied(x)) rev.act.mark(restored[k]);
        values.emplace(x, restored[k]);
      }
      for (size_t k = 0; k < free.size(); k++)
        inner.state(free[k]) = rev.state(free[k]).kind == Adjoint::Kind::Acc ? Adjoint::acc(frees[k]) : Adjoint::of(frees[k], true);
      Body body = rev.act.clone(op.body);
      substitute(q, body, values);
      std::vector<Adjoint> seeds(op.state.size());
      for (size_t k = 0; k < carried.size(); k++) seeds[carried[k]] = Adjoint::of(adjoints[k], true);
      inner.scope(std::move(body), seeds);
      std::vector<Atom> out;
      for (size_t k : carried) out.push_back(is_array(q.type(restored[k])) ? Atom(inner.own(restored[k])) : inner.adjoint(restored[k]));
      for (size_t k = 0; k < free.size(); k++) {
        if (inner.state(free[k]).kind == Adjoint::Kind::Acc) out.push_back(inner.state(free[k]).value);
        else out.push_back(is_array(q.type(free[k])) ? Atom(inner.own(free[k])) : inner.adjoint(free[k]));
      }
      return out;
    });
    std::vector<std::string> hints;
    for (Bind x : back.state) hints.push_back(q.hint(x.var));
    std::vector<Var> out = b.bind(hints, std::move(back));
    for (size_t k = 0; k < free.size(); k++) {
      Adjoint& a = rev.state(free[k]);
      Var result = out[carried.size() + k];
      a = a.kind == Adjoint::Kind::Acc ? Adjoint::acc(result) : Adjoint::of(result, true);
    }
    for (size_t k = 0; k < carried.size(); k++) rev.add(op.init[carried[k]], out[k], true);
  };
}

}  // namespace raido::ad
