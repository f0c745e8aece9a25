// rule_reduce.cc
//
// let y = reduce op ne as                                                           docs/ad.md 6.7
//
//   op is +           as_adj += replicate n y_adj
//   op is *           by the number of zeros: none: y/a * y_adj; one: the product of the others at the zero
//   op selects        its results are always those of one operand, as in min, max, or a minimum with payload: the forward sweep
//                     carries the index as one component more, and that element receives y_adj; the first of equal ones for min, max
//   any other op      ls = exclusive scan op ne as             (everything left of i, combined)
//                     rs = the same from the right             (everything right of i)
//                     as_adj += map (\l a r -> vjp_a (op l a), seeded by vjp_s (op s r) y_adj at s = op l a) ls as rs
//                     on a sequential target instead ys = scan op ne as, and one loop from the right, as of a scan
//
//   the last, if as is long and the reduction runs once: in parts, whose loops run in lanes (decision 061)
//                     p = if n is large then 32 else 0 ; w = n / 32, made odd, or 1 ; rows = as[0 : p * w], of w each
//                     yss, totals = map p (\row -> scan op ne row, the last of it) rows
//                     all = totals ++ as[p * w ..] ; all_adj = that of reduce op ne all
//                     as_adj += (map p (that of reduce op ne row, seeded by all_adj[0 : p]) rows) ++ all_adj[p ..]
//
// Components of op that have no adjoint and are not needed for those that have one stay out of it.
//
// Free variables of op get the contribution of the application op l a only; that of op s r belongs to other elements.
// Tests: tests/ad/parallel.fut.
//
// Rules: reduce.add reduce.mul reduce.extremum reduce.select reduce.general reduce.sequential reduce.parts reduce.rows.
#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "passes/ad/activity/common.h"
#include "passes/ad/reverse/operators.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {

Combine flipped(Program& p, const Combine& op) {
  Combine f = clone(p, op);
  std::rotate(f.op.params.begin(), f.op.params.begin() + isize(op.neutral), f.op.params.end());
  return f;
}

// Arithmetic that has vectors, and branches of these.
bool is_straight(const Program& p, const Body& b) {
  bool straight = true;
  for (const Stm& s : b.stms) {
    const Kind kind = kind_of(s.exp);
    straight = straight && s.attrs.empty() && s.checks.empty() && (kind == Kind::Step || kind == Kind::Branch) && has_vector_form(p, s.exp);
    walk_parts(s, [&](const Body& inner) { straight = straight && is_straight(p, inner); });
  }
  return straight;
}
// The iterations of a parallel operation or a loop around it may run in lanes themselves. Sums may have to keep their order.
bool gains_by_parts(const Scope& scope, const Screma& red) {
  const Program& p = scope.p;
  const PassOptions& options = scope.act.context.options;
  const Combine& c = red.reduces[0];
  auto n = const_of(red.width);
  bool may = !scope.in_parallel() && !scope.runs_again() && !scope.act.mode.enclosed && !options.strict_fp && options.ad_memory == 0 && !red.ordered;
  if (!may || (n && n->as_i64() < costs::cpu::parts_points) || !c.shape.empty() || !scope.free_in(c.op).empty()) return false;
  // Processors read no shorter numbers that lie apart as a vector.
  auto numbers = [&](Var v) { return shape_of(p.type(v)).size() == 1 && bytes_of(elem_of(p.type(v))) >= 4; };
  return std::ranges::all_of(red.inputs, numbers) && is_straight(p, c.op.body);
}

void in_parts(Scope& scope, const Screma& red, const std::vector<Adjoint>& y_adj) {
  Builder& b = scope.b;
  const Combine& op = red.reduces[0];
  const size_t k = op.neutral.size();
  auto number = [&](i64 x) { return b.number(Scalar::I64, double(x)); };
  const Term n = b.term(red.width), lanes = number(costs::cpu::lanes), zero = number(0), one = number(1);
  const Term large = le(number(costs::cpu::parts_points), n), parts = select({large, lanes, zero});
  const Term width = apply(ScalarOp::or_, {apply(ScalarOp::max, {n / lanes - one, zero}), one}), done = parts * width, left = n - done, steps = parts + left;
  auto part = [&](const std::string& hint, Var v, const Term& from, const Term& count) { return b.slice(hint, v, {from.atom, count.atom, one.atom}); };
  std::vector<Var> inputs, all;
  Builder::Params params;
  for (Var as : red.inputs) {
    inputs.push_back(b.bind1("rows", Reshape{part("first", as, zero, done), {parts.atom, width.atom}}));
    params.push_back({"row", row_type(scope.p.type(inputs.back()))});
  }
  std::vector<Var> made = b.map("part", parts.atom, b.lambda(params, [&](const std::vector<Var>& row) {
    std::vector<Atom> out;
    for (Var y : b.scan("y", width.atom, clone(scope.p, op), row)) out.push_back(y);
    for (size_t j = 0; j < k; j++) out.push_back(b.index("total", *var_of(out[j]), {(width - one).atom}));
    return out;
  }), inputs);
  for (size_t j = 0; j < k; j++) {
    all.push_back(b.bind1("all", Concat{0, {made[k + j], part("rest", red.inputs[j], done, left)}, steps.atom}));
    scope.act.mark(all[j]);
  }
  Scope whole(scope, {});
  const std::vector<Var> ys = b.scan("y", steps.atom, clone(scope.p, op), all);
  back_in_order(whole, steps.atom, scope.act.clone(op), all, ys, y_adj, {});
  std::vector<size_t> have;                                // components whose elements have adjoints
  std::vector<Var> all_adj;
  inputs.insert(inputs.begin(), made.begin(), made.begin() + isize(op.neutral));
  for (size_t j = 0; j < k; j++) {
    if (whole.adjoints.kind(all[j]) == Adjoint::Kind::Zero) continue;
    have.push_back(j);
    all_adj.push_back(*var_of(whole.adjoints.value(all[j])));
    inputs.push_back(part("part_adj", all_adj.back(), zero, parts));
  }
  const std::vector<Var> adj = scope.map("adj", parts.atom, inputs, {}, [&](Scope& inner, const std::vector<Var>& rows) {
    const std::vector<Var> y(rows.begin(), rows.begin() + isize(op.neutral)), a(rows.begin() + isize(op.neutral), rows.begin() + 2 * isize(op.neutral));
    std::vector<Adjoint> seeds(k);
    for (size_t h = 0; h < have.size(); h++) seeds[have[h]] = Adjoint::of(rows[2 * k + h], false);
    for (Var v : a) inner.act.mark(v);
    back_in_order(inner, width.atom, inner.act.clone(op), a, y, seeds, {});
    std::vector<Atom> out;
    for (size_t j : have) out.push_back(inner.adjoints.value(a[j]));
    return out;
  });
  for (size_t h = 0; h < have.size(); h++) {
    const Var first = b.bind1("first", Reshape{adj[h], {done.atom}}), rest = part("rest", all_adj[h], parts, left);
    scope.adjoints.add(red.inputs[have[h]], b.bind1("adj", Concat{0, {first, rest}, red.width}), true);
  }
}

void general(Scope& scope, const Screma& red, const std::vector<Adjoint>& y_adj) {
  Builder& b = scope.b;
  Combine op = without_shape(b, red.reduces[0]);
  // what was varied in the operator stays so in its clone
  Combine primal = red.reduces[0].shape.empty() ? scope.act.clone(red.reduces[0]) : op;
  size_t k = op.neutral.size();
  if (scope.act.context.target == Target::Sequential) {
    if (gains_by_parts(scope, red)) return in_parts(scope, red, y_adj);
    std::vector<Var> ys = b.scan("y", red.width, clone(b.program, op), red.inputs);
    return back_in_order(scope, red.width, primal, red.inputs, ys, y_adj, {});
  }
  std::vector<Var> ls = exclusive_scan(b, red.width, op, red.inputs), turned, rs;
  for (Var v : red.inputs) turned.push_back(b.reverse(v));
  for (Var v : exclusive_scan(b, red.width, flipped(b.program, op), turned)) rs.push_back(b.reverse(v));
  std::vector<Var> inputs = ls;
  inputs.insert(inputs.end(), red.inputs.begin(), red.inputs.end());
  inputs.insert(inputs.end(), rs.begin(), rs.end());
  std::vector<Var> out = scope.map("adj", red.width, inputs, scope.free_in(primal.op), [&](Scope& inner, const std::vector<Var>& rows) {
    std::vector<Atom> l(rows.begin(), rows.begin() + isize(ls)), a(rows.begin() + isize(ls), rows.begin() + 2 * isize(ls)),
        r(rows.begin() + 2 * isize(ls), rows.end());
    std::vector<Atom> s = b.inline_call(op.op, [&] { auto v = l; v.insert(v.end(), a.begin(), a.end()); return v; }());
    std::vector<Atom> s_adj = first_back(inner, op, s, r, y_adj);
    Combine again = inner.act.clone(primal);
    std::vector<Atom> values = l;
    for (size_t i = 0; i < k; i++) inner.act.mark(*var_of(a[i]));
    values.insert(values.end(), a.begin(), a.end());
    inner.run(inner.bind(std::move(again.op), values), borrowed(s_adj));
    std::vector<Atom> adjoints;
    for (const Atom& x : a) adjoints.push_back(inner.adjoints.value(*var_of(x)));
    return adjoints;
  });
  for (size_t i = 0; i < k; i++) scope.adjoints.add(red.inputs[i], out[i], true);
}

// Floats. z: the number of zeros, q: the product of the others. If q is not a proper number, the general rule decides. Where this is
// differentiated again, it decides at zeros as well: the cases above are constants there, and what they stand for is not.
void product(Scope& scope, const Screma& red, const Atom& y_adj) {
  Program& p = scope.p;
  Builder& b = scope.b;
  Var as = red.inputs[0];
  Scalar t = elem_of(p.type(as));
  Term zero = b.number(t, 0), one = b.number(t, 1), none = b.term(i64_const(0)), single = b.term(i64_const(1));
  std::vector<Var> parts = b.map_all("part", {red.width}, {as}, [&](const std::vector<Var>& a) {
    Term is_zero = eq(b.term(a[0]), zero);
    return std::vector<Atom>{select({is_zero, one, b.term(a[0])}).atom, select({is_zero, single, none}).atom};
  });
  Term q = b.term(b.reduce("q", red.width, b.combine(ScalarOp::mul, t, 1), {parts[0]})[0]);
  Term z = b.term(b.reduce("z", red.width, b.combine(ScalarOp::add, Scalar::I64, 0), {parts[1]})[0]);
  Term proper = all_of({not_(eq(q, zero)), lt(apply(ScalarOp::abs, {q}), b.number(t, INFINITY))});
  if (scope.act.mode.enclosed) proper = and_(proper, eq(z, none));
  If choose;
  choose.cond = proper.atom;
  choose.then_ = b.body([&] {
    return std::vector<Atom>{b.map_all("adj", {red.width}, {as}, [&](const std::vector<Var>& in) {
      Term a = b.term(in[0]), seed = b.term(y_adj), a_zero = eq(a, zero);
      Term others = select({a_zero, one, a});
      Term plain = select({eq(z, none), q / others * seed, zero});
      return std::vector<Atom>{select({and_(eq(z, single), a_zero), q * seed, plain}).atom};
    })[0]};
  });
  choose.else_ = b.body([&] {
    Var fresh = b.bind1("as", Identity{as});
    scope.act.mark(fresh);
    Screma again = red;
    again.inputs = {fresh};
    Scope inner(scope, {});
    general(inner, again, borrowed({y_adj}));
    return std::vector<Atom>{inner.adjoints.value(fresh)};
  });
  scope.adjoints.add(as, b.bind1("adj", std::move(choose)), true);
}

// Returns i if the results are always `xs`, j if always `ys`, and code that decides if they are always one of the two. Branches return
// the decision as one result more.
std::optional<Atom> selected(Program& p, Body& body, const std::vector<Atom>& results, const std::vector<Atom>& xs, const std::vector<Atom>& ys,
                             Var i, Var j) {
  if (same_atoms(results, xs)) return i;
  if (same_atoms(results, ys)) return j;
  VarMap<Stm*> made_by;
  for (Stm& s : body.stms) for (Bind x : s.pattern) made_by[x.var] = &s;
  auto maker = [&](const Atom& a) { auto v = var_of(a); return v ? made_by[*v] : nullptr; };
  Stm* choice = nullptr;
  for (const Atom& r : results) if (!choice) choice = maker(r);
  if (!choice) return {};
  std::vector<Atom> yes, no;
  if (auto op = std::get_if<If>(&choice->exp)) {
    for (const Atom& r : results) {
      auto at = std::ranges::find_if(choice->pattern, [&](Bind x) { return Atom(x.var) == r; });
      if (at == choice->pattern.end()) return {};
      yes.push_back(op->then_.result[size_t(at - choice->pattern.begin())]);
      no.push_back(op->else_.result[size_t(at - choice->pattern.begin())]);
    }
    auto then = selected(p, op->then_, yes, xs, ys, i, j), else_ = then ? selected(p, op->else_, no, xs, ys, i, j) : std::nullopt;
    if (!else_) return {};
    op->then_.result.push_back(*then);
    op->else_.result.push_back(*else_);
    choice->pattern.push_back({p.fresh("at", scalar_type(Scalar::I64))});
    return choice->pattern.back().var;
  }
  auto first = std::get_if<Apply>(&choice->exp);
  if (!first || first->op != ScalarOp::select) return {};
  Atom cond = first->args[0];
  for (const Atom& r : results) {                         // a component that is the same in both stays itself
    Stm* s = maker(r);
    auto op = s ? std::get_if<Apply>(&s->exp) : nullptr;
    bool mine = op && op->op == ScalarOp::select && op->args[0] == cond;
    yes.push_back(mine ? op->args[1] : r);
    no.push_back(mine ? op->args[2] : r);
  }
  auto then = selected(p, body, yes, xs, ys, i, j), else_ = then ? selected(p, body, no, xs, ys, i, j) : std::nullopt;
  if (!else_) return {};
  Builder b(p, body.stms);
  return b.bind1("at", Apply{ScalarOp::select, {cond, *then, *else_}});
}

// The operator with one component more: the index of the element that the results come from. It is the first of several, and -1 for
// the neutral element. Nothing if the results are not always those of one of the operands.
std::optional<Combine> with_index(Program& p, const Combine& op) {
  if (!op.shape.empty()) return {};
  std::optional<ScalarOp> name = scalar_operator(p, op);
  Combine c = clone(p, op);
  size_t k = c.neutral.size();
  std::vector<Atom> xs, ys;
  for (size_t n = 0; n < 2 * k; n++) (n < k ? xs : ys).push_back(c.op.params[n].var);
  Var i = p.fresh("i", scalar_type(Scalar::I64)), j = p.fresh("j", scalar_type(Scalar::I64));
  std::optional<Atom> at;
  if (name == ScalarOp::min || name == ScalarOp::max) {
    // The later one, if it is the result and the earlier one is not. What is no number never is.
    Builder b(p, c.op.body.stms);
    Term r = b.term(c.op.body.result[0]);
    auto wins = [&](Atom x) { return name == ScalarOp::min ? le(b.term(x), r) : le(r, b.term(x)); };
    Term first = wins(xs[0]), second = wins(ys[0]);
    at = select({and_(second, not_(first)), b.term(j), b.term(i)}).atom;
  } else {
    at = selected(p, c.op.body, c.op.body.result, xs, ys, i, j);
  }
  if (!at) return {};
  c.op.body.result.push_back(*at);
  c.op.params.insert(c.op.params.begin() + isize(xs), {i});
  c.op.params.push_back({j});
  c.neutral.push_back(i64_const(-1));
  c.commutative = false;
  return c;
}

// An operator that selects. The forward sweep returns which element it was; in the return sweep that element receives the adjoints of
// all components. `made`: the reduction, with results of other names if the primal statement is there as well.
Back select_back(Scope& scope, Stm made, Combine op) {
  Screma& both = std::get<Screma>(made.exp);
  both.inputs.push_back(scope.b.iota(both.width));
  both.pre.params.push_back({scope.p.fresh("i", scalar_type(Scalar::I64))});
  both.pre.body.result.push_back(both.pre.params.back().var);
  both.reduces = {std::move(op)};
  Var at = scope.p.fresh("at", scalar_type(Scalar::I64));
  made.pattern.push_back({at});
  scope.forward(made);
  return {{at}, [](Scope& inner, const Stm& s, const std::vector<Atom>& kept) {
            std::vector<Adjoint> seeds = inner.adjoints.take_results(s);
            const Screma& red = std::get<Screma>(s.exp);
            Atom inside = le(inner.b.number(Scalar::I64, 0), inner.b.term(kept[0])).atom;
            for (size_t i = 0; i < seeds.size(); i++)
              if (seeds[i].is_value() && inner.act.varied(red.inputs[i])) inner.adjoints.add_element(red.inputs[i], kept[0], seeds[i].value, inside);
          }};
}
// Any other operator: every element receives something.
void all_elements(Scope& scope, const Stm& s) {
  Program& p = scope.p;
  const Stm mine = part_with_adjoints(scope, s);
  const Screma& red = std::get<Screma>(mine.exp);
  std::vector<Adjoint> seeds = scope.adjoints.take_results(mine);
  if (all_zero(seeds)) return;
  const Combine& op = red.reduces[0];
  Var as = red.inputs[0];
  if (pointwise_operator(p, op.op) == ScalarOp::add) return scope.adjoints.add(as, scope.b.replicate({red.width}, seeds[0].value), true);
  std::optional<ScalarOp> name = op.shape.empty() ? scalar_operator(p, op) : std::nullopt;
  if (name == ScalarOp::mul && is_float(elem_of(p.type(as)))) return product(scope, red, seeds[0].value);
  general(scope, red, seeds);
}

}  // namespace

Back forth_reduce(Scope& scope, const Stm& s, const Screma&) {
  // Components that vary, and those that they are computed from.
  std::vector<bool> varied;
  for (Bind y : s.pattern) varied.push_back(scope.act.varied(y.var));
  Stm made = part(scope, s, varied);
  auto indexed = with_index(scope.p, std::get<Screma>(made.exp).reduces[0]);
  bool all = made.pattern.size() == s.pattern.size();
  if (!indexed || !all) scope.forward(s);
  if (indexed) {
    if (!all) for (Bind& y : made.pattern) y.var = scope.p.fresh(scope.p.hint(y.var), scope.p.type(y.var));
    return select_back(scope, std::move(made), std::move(*indexed));
  }
  return {{}, [](Scope& inner, const Stm& now, const std::vector<Atom>&) { all_elements(inner, now); }};
}

}  // namespace raido::ad
