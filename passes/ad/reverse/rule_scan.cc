// rule_scan.cc
//
// let ys = scan op ne as                                                            docs/ad.md 6.8
//
// With t the total adjoint of ys: t[n-1] = ys_adj[n-1], t[i] = ys_adj[i] + d1 op(ys[i], as[i+1]) * t[i+1]; then
// as_adj[i] += d2 op(ys[i-1], as[i]) * t[i], where ys[-1] is ne, and free variables of op likewise.
//
//   op is +            t = scan (+) from the right; as_adj += t
//   one float          t is a linear recurrence: a scan from the right of pairs (d, c), (d1,c1) o (d2,c2) = (d2 + c2 d1, c2 c1).
//                      So it is with several components if only this one has an adjoint that goes on to the left (scan.carried)
//   several scalars    t is the third component of a scan from the right of (y, A, r), the lifted operator: for a segment
//                      from i to k, y = ys[i], A = as[i+1] op .. op as[k+1], and r is what its adjoints are worth at ys[i];
//                      (y1,A1,r1) o (y2,A2,r2) = (y1, A1 op A2, r1 + d1 op(y1, A1) * r2), as ys[k+1] = y1 op A1
//                      r is there for the components whose adjoints go on to the left, and so is t
//   anything else, or a sequential target: one loop from the right that carries t
//
// Tests: tests/ad/parallel.fut.
//
// Rules: scan.add scan.scalar scan.carried scan.lifted scan.sequential scan.rows.
#include <algorithm>

#include "passes/ad/reverse/operators.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {

// Adjoints of k components: these of some, zero for the others.
std::vector<Adjoint> placed(size_t k, const std::vector<size_t>& some, const std::vector<Atom>& values) {
  std::vector<Adjoint> out(k);
  for (size_t c = 0; c < some.size(); c++) out[some[c]] = Adjoint::of(values[c], false);
  return out;
}

// t for the only component whose adjoint goes on to the left, a float, in parallel.
Var recurrence(Scope& scope, const Screma& scan, const std::vector<Var>& ys, size_t only, Var ys_adj) {
  Program& p = scope.p;
  Builder& b = scope.b;
  const Combine& op = scan.scans[0];
  Scalar e = elem_of(p.type(ys[only]));
  Term n = b.term(scan.width);
  const std::vector<Adjoint> one = placed(ys.size(), {only}, {constant(e, 1)});
  Var is = b.iota(scan.width);
  std::vector<Var> cs = b.map("c", scan.width, b.lambda({{"i", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& in) {
    If choose;
    Term next = b.term(in[0]) + 1;
    choose.cond = lt(next, n).atom;
    choose.then_ = b.body([&] {
      std::vector<Atom> y, a;
      for (Var v : ys) y.push_back(b.index("y", v, {in[0]}));
      for (Var v : scan.inputs) a.push_back(b.index("a", v, {next.atom}));
      return std::vector{first_back(scope, op, y, a, one)[only]};
    });
    choose.else_ = b.body([&] { return std::vector<Atom>{constant(e, 1)}; });
    return std::vector<Atom>{b.bind1("c", std::move(choose))};
  }), {is});
  Combine linear;
  Builder::Params params;
  for (const char* hint : {"d1", "c1", "d2", "c2"}) params.push_back({hint, scalar_type(e)});
  linear.op = b.lambda(params, [&](const std::vector<Var>& v) {
    Term d1 = b.term(v[0]), c1 = b.term(v[1]), d2 = b.term(v[2]), c2 = b.term(v[3]);
    return std::vector<Atom>{(d2 + c2 * d1).atom, (c2 * c1).atom};
  });
  linear.neutral = {constant(e, 0), constant(e, 1)};
  std::vector<Var> turned = {b.reverse(ys_adj), b.reverse(cs[0])};
  return b.reverse(b.scan("t", scan.width, std::move(linear), turned)[0]);
}

// t for several scalar components, in parallel. A flag says whether a segment has elements at all: the neutral element of
// the lifted operator holds nothing, wherever an implementation puts it. `carries`: the components that t is wanted of.
std::vector<Var> lifted_scan(Scope& scope, const Screma& scan, const std::vector<Var>& ys, const std::vector<size_t>& carries, const std::vector<Var>& ys_adj) {
  Program& p = scope.p;
  Builder& b = scope.b;
  const Combine& op = scan.scans[0];
  const size_t k = op.neutral.size(), m = carries.size();
  Term n = b.term(scan.width);
  auto part = [&](const std::vector<Var>& v, size_t from, size_t count) {
    return std::vector<Atom>(v.begin() + ptrdiff_t(from), v.begin() + ptrdiff_t(from + count));
  };
  // The elements from the right: (true, ys[i], as[i+1] or neutral, ys_adj[i]).
  std::vector<Var> nexts = b.map("next", scan.width, b.lambda({{"i", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& in) {
    If choose;
    Term next = b.term(in[0]) + 1;
    choose.cond = lt(next, n).atom;
    choose.then_ = b.body([&] {
      std::vector<Atom> out;
      for (Var v : scan.inputs) out.push_back(b.index("a", v, {next.atom}));
      return out;
    });
    choose.else_.result = op.neutral;
    std::vector<Var> out = b.bind("a", std::move(choose));
    return std::vector<Atom>(out.begin(), out.end());
  }), {b.iota(scan.width)});
  std::vector<Var> inputs = {*var_of(b.replicate({scan.width}, bool_const(true)))};
  for (const std::vector<Var>& arrays : {ys, nexts, ys_adj}) for (Var v : arrays) inputs.push_back(b.reverse(v));
  Combine lifted;
  Builder::Params params;
  for (size_t side = 0; side < 2; side++) {
    params.push_back({"there", scalar_type(Scalar::Bool)});
    for (size_t c = 0; c < 2 * k; c++) params.push_back({c < k ? "y" : "A", row_type(p.type(ys[c % k]))});
    for (size_t c : carries) params.push_back({"r", row_type(p.type(ys[c]))});
  }
  lifted.op = b.lambda(params, [&](const std::vector<Var>& v) {
    // The accumulated segment lies to the right of the new one.
    const size_t size = 1 + 2 * k + m;
    std::vector<Atom> right = part(v, 0, size), left = part(v, size, size);
    std::vector<Atom> y1 = part(v, size + 1, k), a1 = part(v, size + 1 + k, k), r1 = part(v, size + 1 + 2 * k, m);
    std::vector<Atom> a2 = part(v, 1 + k, k), r2 = part(v, 1 + 2 * k, m);
    If both;
    both.cond = and_(b.term(right[0]), b.term(left[0])).atom;
    both.then_ = b.body([&] {
      std::vector<Atom> operands = a1, out = {bool_const(true)};
      operands.insert(operands.end(), a2.begin(), a2.end());
      std::vector<Atom> a = b.inline_call(op.op, operands), back = first_back(scope, op, y1, a1, placed(k, carries, r2));
      out.insert(out.end(), y1.begin(), y1.end());
      out.insert(out.end(), a.begin(), a.end());
      for (size_t c = 0; c < m; c++) out.push_back(b.add("r", r1[c], back[carries[c]]));
      return out;
    });
    both.else_ = b.body([&] {
      If one;
      one.cond = left[0];
      one.then_.result = left;
      one.else_.result = right;
      std::vector<Var> out = b.bind("x", std::move(one));
      return std::vector<Atom>(out.begin(), out.end());
    });
    std::vector<Var> out = b.bind("x", std::move(both));
    return std::vector<Atom>(out.begin(), out.end());
  });
  lifted.neutral = {bool_const(false)};
  for (size_t c = 0; c < 2 * k; c++) lifted.neutral.push_back(op.neutral[c % k]);
  for (size_t c : carries) lifted.neutral.push_back(b.zero(row_type(p.type(ys[c]))));
  std::vector<Var> made = b.scan("t", scan.width, std::move(lifted), inputs), ts;
  for (size_t c = 0; c < m; c++) ts.push_back(b.reverse(made[1 + 2 * k + c]));
  return ts;
}

}  // namespace

void back_scan(Scope& scope, const Stm& whole, const Screma&) {
  Program& p = scope.p;
  const Stm s = part_with_adjoints(scope, whole);
  const Screma& scan = std::get<Screma>(s.exp);
  Builder& b = scope.b;
  std::vector<Var> ys;
  for (Bind x : s.pattern) ys.push_back(x.var);
  std::vector<Adjoint> ys_adj = scope.adjoints.take_results(s);
  const Combine& op = scan.scans[0];
  Var as = scan.inputs[0];
  if (op.shape.empty() && scalar_operator(p, op) == ScalarOp::add) {
    std::vector<Var> sums = b.scan("t", scan.width, clone(p, op), {b.reverse(*var_of(ys_adj[0].value))});
    return scope.adjoints.add(as, b.reverse(sums[0]), false);
  }
  if (!op.shape.empty()) {
    return back_in_order(scope, scan.width, without_shape(b, op), scan.inputs, ys, {}, ys_adj);
  }
  size_t k = op.neutral.size();
  bool scalars = std::ranges::all_of(ys, [&](Var v) { return is_scalar(row_type(p.type(v))); });
  if (!scalars || scope.act.context.target == Target::Sequential)
    return back_in_order(scope, scan.width, op, scan.inputs, ys, {}, ys_adj);
  std::vector<bool> have;
  for (const Adjoint& a : ys_adj) have.push_back(!a.is_zero());
  const std::vector<bool> goes_on = carried(p, op, have);
  std::vector<size_t> carries;
  std::vector<Var> seeds;
  for (size_t c = 0; c < k; c++) {
    if (!goes_on[c]) continue;
    carries.push_back(c);
    seeds.push_back(*var_of(have[c] ? ys_adj[c].value : b.zero(p.type(ys[c]))));
  }
  bool one_float = carries.size() == 1 && is_float(elem_of(p.type(ys[carries[0]])));
  std::vector<Var> ts = one_float ? std::vector{recurrence(scope, scan, ys, carries[0], seeds[0])} : lifted_scan(scope, scan, ys, carries, seeds);
  std::vector<Var> inputs = {b.iota(scan.width)};
  inputs.insert(inputs.end(), scan.inputs.begin(), scan.inputs.end());
  inputs.insert(inputs.end(), ts.begin(), ts.end());
  std::vector<Var> out = scope.map("adj", scan.width, inputs, scope.free_in(op.op), [&](Scope& inner, const std::vector<Var>& in) {
    std::vector<Atom> y = before(b, ys, op, b.term(in[0])), a(in.begin() + 1, in.begin() + 1 + ptrdiff_t(k)), t(in.begin() + 1 + ptrdiff_t(k), in.end());
    std::vector<Atom> both = apply_back(inner, op, y, a, placed(k, carries, t));
    return std::vector<Atom>(both.begin() + ptrdiff_t(k), both.end());
  });
  for (size_t c = 0; c < k; c++) scope.adjoints.add(scan.inputs[c], out[c], true);
}

}  // namespace raido::ad
