// operators.cc - see operators.h.
#include "passes/ad/reverse/operators.h"

#include <algorithm>

#include "passes/cleanup/dce.h"

namespace raido::ad {

using namespace ir;

std::vector<Atom> apply_back(Scope& scope, const Combine& op, const std::vector<Atom>& x, const std::vector<Atom>& y,
                             const std::vector<Adjoint>& t) {
  Builder& b = scope.b;
  std::vector<Atom> values;
  for (const auto* part : {&x, &y})
    for (const Atom& v : *part) {
      values.push_back(b.bind1("v", Identity{v}));
      scope.act.mark(*var_of(values.back()));
    }
  Combine again = clone(scope.p, op);
  scope.act.analyse(again.op, std::vector<bool>(values.size(), true));
  scope.run(scope.bind(std::move(again.op), values), t);
  std::vector<Atom> out;
  for (const Atom& v : values) out.push_back(scope.adjoints.value(*var_of(v)));
  return out;
}

std::vector<Atom> first_back(Scope& scope, const Combine& op, const std::vector<Atom>& x, const std::vector<Atom>& y, const std::vector<Adjoint>& t) {
  Builder& b = scope.b;
  Activity act(scope.act.functions, scope.act.mode);
  Lambda f = clone(scope.p, op.op);
  std::vector<bool> varied(f.params.size());
  std::fill_n(varied.begin(), x.size(), true);
  act.analyse(f, varied);
  Scope inner(act, b);
  std::vector<Atom> values, out;
  for (const Atom& a : x) values.push_back(b.bind1("x", Identity{a}));
  values.insert(values.end(), y.begin(), y.end());
  inner.run(inner.bind(std::move(f), values), t);
  for (size_t i = 0; i < x.size(); i++) out.push_back(inner.adjoints.value(*var_of(values[i])));
  return out;
}

std::vector<Adjoint> borrowed(const std::vector<Atom>& values) {
  std::vector<Adjoint> out;
  for (const Atom& a : values) out.push_back(Adjoint::of(a, false));
  return out;
}

std::vector<bool> carried(const Program& p, const Combine& op, std::vector<bool> have) {
  std::vector<Var> left;
  for (size_t k = 0; k < have.size(); k++) left.push_back(op.op.params[k].var);
  flow_back(p, op.op.body, left, have);
  return have;
}

Atom sum_outer(Builder& b, Var xs) {
  Program& p = b.program;
  std::vector<Dim> shape = shape_of(p.type(xs));
  Scalar t = elem_of(p.type(xs));
  if (shape.size() == 1) return b.reduce("sum", shape[0], b.combine(t == Scalar::Bool ? ScalarOp::or_ : ScalarOp::add, t, 0), {xs})[0];
  std::vector<int> dims;
  for (size_t d = 1; d < shape.size(); d++) dims.push_back(int(d));
  dims.push_back(0);
  Var turned = b.permute(xs, dims);
  return b.map_all("sum", {shape.begin() + 1, shape.end()}, {turned}, [&](const std::vector<Var>& row) {
    return std::vector<Atom>{sum_outer(b, row[0])};
  })[0];
}

Stm part(Scope& scope, const Stm& s, std::vector<bool> which) {
  Stm made = s;
  Screma& only = std::get<Screma>(made.exp);
  auto operator_in = [](Screma& x) -> Combine& { return x.reduces.empty() ? x.scans[0] : x.reduces[0]; };
  which = components_of(scope.p, scope.act.context, operator_in(only), std::move(which));
  if (std::ranges::find(which, false) == which.end()) return made;
  only = scope.act.clone(only);
  operator_in(only) = part_of(scope.p, scope.act.context, std::move(operator_in(only)), which);
  auto drop = [&](auto& items) {
    size_t i = 0;
    std::erase_if(items, [&](auto&) { return !which[i++]; });
  };
  drop(made.pattern);
  drop(only.inputs);
  drop(only.pre.params);
  drop(only.pre.body.result);
  return made;
}
Stm part_with_adjoints(Scope& scope, const Stm& s) {
  std::vector<bool> which;
  for (Bind y : s.pattern) which.push_back(!scope.adjoints.is_zero(y.var));
  return part(scope, s, std::move(which));
}
std::vector<Var> exclusive_scan(Builder& b, const Dim& width, const Combine& op, const std::vector<Var>& xs) {
  Program& p = b.program;
  std::vector<Var> inclusive = b.scan("scanned", width, clone(p, op), xs);
  Var is = b.iota(width);
  Lambda f = b.lambda({{"i", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& in) {
    Term i = b.term(in[0]), first = eq(i, b.term(i64_const(0)));
    If choose;
    choose.cond = first.atom;
    choose.then_ = b.body([&] {
      std::vector<Atom> out;
      for (size_t k = 0; k < xs.size(); k++) out.push_back(op.shape.empty() ? op.neutral[k] : b.replicate(op.shape, op.neutral[k]));
      return out;
    });
    choose.else_ = b.body([&] {
      std::vector<Atom> out;
      Term before = i - 1;
      for (Var v : inclusive) out.push_back(b.index("left", v, {before.atom}));
      return out;
    });
    std::vector<Var> out = b.bind("left", std::move(choose));
    return std::vector<Atom>(out.begin(), out.end());
  });
  return b.map("left", width, std::move(f), {is});
}

// The element before index i: the neutral element at 0.
std::vector<Atom> before(Builder& b, const std::vector<Var>& ys, const Combine& op, const Term& i) {
  If choose;
  choose.cond = eq(i, b.term(i64_const(0))).atom;
  choose.then_ = b.body([&] {
    std::vector<Atom> out;
    for (const Atom& ne : op.neutral) out.push_back(b.replicate(op.shape, ne));
    return out;
  });
  choose.else_ = b.body([&] {
    std::vector<Atom> out;
    for (Var v : ys) out.push_back(b.index("y", v, {(i - 1).atom}));
    return out;
  });
  std::vector<Var> out = b.bind("y", std::move(choose));
  return {out.begin(), out.end()};
}

void back_in_order(Scope& scope, const Dim& width, const Combine& op, const std::vector<Var>& as, const std::vector<Var>& ys,
                   const std::vector<Adjoint>& last, const std::vector<Adjoint>& ys_adj) {
  Program& p = scope.p;
  Builder& b = scope.b;
  size_t k = op.neutral.size();
  std::vector<Var> free = scope.free_in(op.op);
  std::vector<bool> have(k);
  for (size_t i = 0; i < k; i++) have[i] = last.empty() ? !ys_adj[i].is_zero() : !last[i].is_zero();
  const std::vector<bool> carries = carried(p, op, have);
  For back;
  back.n = width;
  back.i = {p.fresh("k", scalar_type(Scalar::I64))};
  auto carry = [&](const std::string& hint, const Atom& init) {
    back.state.push_back({p.fresh(hint, p.type(init))});
    back.init.push_back(init);
    return back.state.back().var;
  };
  std::vector<Adjoint> ts;
  std::vector<Var> outs, frees;
  for (size_t i = 0; i < k; i++) {
    Atom t = last.empty() || last[i].is_zero() ? b.zero(row_type(p.type(ys[i]))) : last[i].value;
    ts.push_back(carries[i] ? Adjoint::of(carry("t", t), false) : Adjoint());
  }
  const size_t states = back.state.size();
  for (size_t i = 0; i < k; i++) outs.push_back(carry("as_adj", b.zero(p.type(as[i]))));
  for (Var v : free) frees.push_back(carry(p.hint(v) + "_adj", scope.adjoints.threaded(v)));
  back.body = b.body([&] {
    Term i = b.term(width) - 1 - b.term(back.i.var);
    Scope inner(scope, {});
    for (size_t j = 0; j < free.size(); j++) inner.adjoints.thread(free[j], frees[j], scope.adjoints.accumulates(free[j]));
    std::vector<Atom> y = before(b, ys, op, i), a;
    std::vector<Adjoint> t = ts;
    for (Var v : as) a.push_back(b.index("a", v, {i.atom}));
    for (size_t j = 0; j < ys_adj.size(); j++) {
      if (ys_adj[j].is_zero()) continue;
      Atom y_adj = b.index("y_adj", *var_of(ys_adj[j].value), {i.atom});
      t[j].value = b.add("t", t[j].value, y_adj);
    }
    std::vector<Atom> adj = apply_back(inner, op, y, a, t), out;
    for (size_t j = 0; j < k; j++) if (carries[j]) out.push_back(adj[j]);
    for (size_t j = 0; j < k; j++) out.push_back(b.update(outs[j], {i.atom}, adj[k + j]));
    for (Var v : free) out.push_back(inner.adjoints.threaded(v));
    return out;
  });
  std::vector<Var> out = b.bind("adj", std::move(back));
  for (size_t j = 0; j < free.size(); j++) scope.adjoints.thread(free[j], out[states + k + j], scope.adjoints.accumulates(free[j]));
  for (size_t j = 0; j < k; j++) scope.adjoints.add(as[j], out[states + j], true);
}

Combine without_shape(Builder& b, const Combine& op) {
  if (op.shape.empty()) return clone(b.program, op);
  Combine c;
  Program& p = b.program;
  Builder::Params params;
  for (size_t i = 0; i < 2 * op.neutral.size(); i++)
    params.push_back({"row", array_type(elem_of(p, op.neutral[i % op.neutral.size()]), op.shape)});
  c.op = b.lambda(params, [&](const std::vector<Var>& rows) {
    std::vector<Var> out = b.map_all("row", op.shape, rows, [&](const std::vector<Var>& xs) {
      return b.inline_call(op.op, {xs.begin(), xs.end()});
    });
    return std::vector<Atom>(out.begin(), out.end());
  });
  for (const Atom& ne : op.neutral) c.neutral.push_back(b.replicate(op.shape, ne));
  c.commutative = op.commutative;
  return c;
}

}  // namespace raido::ad
