// rule_loop.cc
//
// let y = for i < n (p = p0) body                                                   ad.md 9.1, 9.2
//
//   forward   y, ps = for i < n (p = p0, ps = scratch) { ps[i] <- p ; body }
//   return    p_adj, ws_adj = for k < n (p_adj = y_adj, ws_adj) { i = n-1-k ; p = ps[i] ; body again ; its return sweep }
//
// An array whose shape is state itself (ad.md 9.5) is recorded in one flat array, one iteration behind the other: the loop
// runs before to count its elements, which dead code elimination reduces to what decides the sizes. The sizes are recorded
// and restored as any state; the adjoint carried back has in each iteration the shape that the array had there.
//
// Every state variable that the body reads is recorded; records that the return sweep does not read are dead state of
// the forward loop and disappear, and with the last of them the forward loop itself if only the derivative was wanted.
// ws: varied variables free in the body; their adjoints are carried, in place. Tests: tests/ad/loops.fut.
//
// Rules: loop.record loop.shape.
#include <algorithm>

#include "passes/ad/reverse.h"

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
Term elements(Builder& b, const std::vector<Dim>& shape) {
  Term n = b.term(i64_const(1));
  for (const Dim& d : shape) n = n * b.term(d);
  return n;
}

// The record of a state variable: a row for each iteration, or flat with the place where each iteration's part starts.
struct Record {
  Var rows, starts;
  bool flat() const { return starts.valid(); }
  bool valid() const { return rows.valid(); }
  // What x was in iteration i; `shape`: what its shape was.
  Atom read(Builder& b, const std::string& hint, const Atom& i, const std::vector<Dim>& shape) const {
    if (!flat()) return b.index(hint, rows, {i});
    Atom start = b.index("start", starts, {i});
    Var part = b.slice(hint, rows, {start, elements(b, shape).atom, i64_const(1)});
    return b.bind1(hint, Reshape{part, shape});
  }
};

// How many elements the state variables have over all iterations.
std::vector<Atom> count_elements(Reverse& rev, const Stm& s, const std::vector<size_t>& which) {
  Program& p = rev.p;
  Stm loop = clone(p, s);
  For& f = std::get<For>(loop.exp);
  Builder inside(p, f.body.stms);
  inside.source = s.source;
  std::vector<Atom> totals;
  for (size_t i : which) {
    Var total = p.fresh("total", scalar_type(Scalar::I64));
    f.body.result.push_back((inside.term(total) + elements(inside, shape_of(p.type(f.state[i].var)))).atom);
    f.state.push_back({total});
    f.init.push_back(i64_const(0));
    totals.push_back(p.fresh("total", scalar_type(Scalar::I64)));
    loop.pattern.push_back({*var_of(totals.back())});
  }
  rev.forward(loop);
  return totals;
}

// Emits the loop with a record for each state variable that the body uses.
std::vector<Record> record(Reverse& rev, const Stm& s, const For& op) {
  Program& p = rev.p;
  Builder& b = rev.b;
  std::vector<Record> records(op.state.size());
  Stm loop = s;
  For& f = std::get<For>(loop.exp);
  Atom n = apply(ScalarOp::max, {b.term(op.n), b.term(i64_const(0))}).atom;
  VarSet used = sizes_of(p, op), sizes = used;
  for (const Stm& inner : op.body.stms) each_use(p, inner, [&](Var v) { used.insert(v); });
  std::vector<size_t> growing;
  for (size_t i = 0; i < op.state.size(); i++)
    if (used.contains(op.state[i].var) && is_array(p.type(op.state[i].var)) && mentions(p, op.state[i].var, sizes)) growing.push_back(i);
  std::vector<Atom> totals;
  if (!growing.empty()) totals = count_elements(rev, s, growing);
  std::vector<Atom> updated;
  Body body;
  Builder inside(p, body.stms);
  inside.source = s.source;
  auto carry = [&](const std::string& hint, const Atom& init) {     // the state, and what the loop gives for it
    Var state = p.fresh(hint, p.type(init)), result = p.fresh(hint, p.type(init));
    f.state.push_back({state});
    f.init.push_back(init);
    loop.pattern.push_back({result});
    return std::pair{state, result};
  };
  auto scratch = [&](Var x, std::vector<Dim> shape) { return b.bind1(p.hint(x) + "_rec", Scratch{elem_of(p.type(x)), std::move(shape)}); };
  for (size_t i = 0; i < op.state.size(); i++) {
    Var x = op.state[i].var;
    if (!used.contains(x) || !(is_scalar(p.type(x)) || is_array(p.type(x)))) continue;
    std::vector<Dim> shape = shape_of(p.type(x));
    std::string hint = p.hint(x) + "_rec";
    auto grows = std::ranges::find(growing, i);
    if (grows == growing.end()) {
      shape.insert(shape.begin(), n);
      auto [state, result] = carry(hint, scratch(x, shape));
      updated.push_back(inside.update(state, {op.i.var}, x));
      records[i].rows = result;
      continue;
    }
    auto [state, result] = carry(hint, scratch(x, {totals[size_t(grows - growing.begin())]}));
    auto [starts, all_starts] = carry("starts", b.bind1("starts", Scratch{Scalar::I64, {n}}));
    auto [start, end] = carry("start", i64_const(0));
    Atom size = elements(inside, shape).atom;
    Var flat = inside.bind1(hint, Reshape{x, {size}});
    updated.push_back(inside.bind1(hint, Update{state, {Slice{start, size, i64_const(1)}}, flat}));
    updated.push_back(inside.update(starts, {op.i.var}, start));
    updated.push_back((inside.term(start) + inside.term(size)).atom);
    records[i] = {result, all_starts};
  }
  for (auto& item : f.body.stms.take()) body.stms.push_back(std::move(item));
  body.result = f.body.result;
  body.result.insert(body.result.end(), updated.begin(), updated.end());
  f.body = std::move(body);
  rev.forward(loop);
  return records;
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
  std::vector<Record> records = record(rev, s, op);
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
    back.body = b.body([&] {
      Reverse inner(rev, {});
      Term i = b.term(op.n) - 1 - b.term(back.i.var);
      Subst values;
      values.emplace(op.i.var, i.atom);
      std::vector<Var> restored(op.state.size());
      for (size_t k = 0; k < op.state.size(); k++) {
        Var x = op.state[k].var;
        if (!is_scalar(q.type(x)) && !is_array(q.type(x))) continue;
        Type t = q.type(x);
        substitute_type(t, values);
        if (records[k].valid()) restored[k] = *var_of(records[k].read(b, q.hint(x), i.atom, shape_of(t)));
        else restored[k] = q.fresh(q.hint(x), t);            // a name for its adjoint: the body does not read it
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
      for (size_t k : sizes) out.push_back(restored[k]);
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
      Var result = out[sizes.size() + carried.size() + k];
      a = a.kind == Adjoint::Kind::Acc ? Adjoint::acc(result) : Adjoint::of(result, true);
    }
    for (size_t k = 0; k < carried.size(); k++) {
      const Atom& init = op.init[carried[k]];
      rev.add(init, as_type(b, out[sizes.size() + k], q.type(init)), true);
    }
  };
}

}  // namespace raido::ad
