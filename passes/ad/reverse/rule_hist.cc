// rule_hist.cc
//
// let hs = hist n is vs into ds (op)                                                docs/ad.md 6.9
//
// With h_adj the total adjoint of hs, for one destination and an operator that is associative and commutative:
//
//   op is +           vs_adj[i] += h_adj[is[i]]                     ds_adj += h_adj
//   op is *           the product of all over v where every bin has a proper product. Else by the number of zeros among the values of
//                     the bin: none: the product of all over v; one: the product of the others at the zero; times the old destination
//   op is min, max    the destination if it has the result, else the first value of the bin that has it
//   any other op      the bins again in a loop that remembers each bin before each update, and a loop back from the last;
//                     on devices rule_sorted.cc
//
// What lies outside of the destination has no part in it. All rules but the last one also work pointwise on rows.
// Tests: tests/ad/histograms.fut.
//
// Rules: hist.mul hist.extremum hist.sequential.
#include "passes/ad/activity/common.h"
#include "passes/ad/prepare/scatters.h"
#include "passes/ad/reverse/operators.h"
#include "passes/ad/reverse/rule_sorted.h"

namespace raido::ad {

using namespace ir;

namespace {

struct Histogram {
  Scope& scope;
  const Hist& op;
  std::vector<Var> olds;                 // the destinations as they were: the statement consumes them
  Builder& b = scope.b;
  Program& p = scope.p;
  const Dest& dest = op.dests[0];
  size_t rank = size_t(dest.rank);
  std::vector<Var> indices = {op.inputs.begin(), op.inputs.begin() + ptrdiff_t(rank)};
  std::vector<Var> values = {op.inputs.begin() + ptrdiff_t(rank), op.inputs.end()};
  std::vector<Dim> shape = shape_of(p.type(dest.arrays[0]));        // of the destination: bins, then a row
  std::vector<Dim> bins = {shape.begin(), shape.begin() + ptrdiff_t(rank)}, row = {shape.begin() + ptrdiff_t(rank), shape.end()};

  using Elements = std::vector<Atom>;
  // f on corresponding scalars of scalars or rows.
  template <class F> Elements cells(const Elements& in, F f) {
    if (row.empty()) return f(in);
    std::vector<Var> rows;
    for (const Atom& a : in) rows.push_back(*var_of(a));
    std::vector<Var> out = b.map_all("cell", row, rows, [&](const std::vector<Var>& xs) { return f(Elements(xs.begin(), xs.end())); });
    return {out.begin(), out.end()};
  }
  // For each i: f(i, its indices, its values) if its indices are inside, else `outside` in every cell.
  template <class F> Var each(const Const& outside, const std::vector<Var>& more, F f) {
    std::vector<Var> inputs = {b.iota(op.width)};
    inputs.insert(inputs.end(), indices.begin(), indices.end());
    inputs.insert(inputs.end(), more.begin(), more.end());
    Builder::Params params;
    for (Var v : inputs) params.push_back({p.hint(v), row_type(p.type(v))});
    return b.map("part", op.width, b.lambda(params, [&](const std::vector<Var>& in) {
      Elements at(in.begin() + 1, in.begin() + 1 + ptrdiff_t(rank)), rest(in.begin() + 1 + ptrdiff_t(rank), in.end());
      If guarded;
      guarded.cond = is_inside(b, bins, at).atom;
      guarded.then_ = b.body([&] { return Elements{f(in[0], at, rest)}; });
      guarded.else_ = b.body([&] { return Elements{b.replicate(row, outside)}; });
      return Elements{b.bind1("part", std::move(guarded))};
    }), inputs)[0];
  }
  // hist of other values into the same bins.
  Var again(Combine combine, Var xs) {
    combine.shape = row;
    Hist h;
    h.width = op.width;
    h.inputs = indices;
    h.inputs.push_back(xs);
    Builder::Params params;
    for (Var v : h.inputs) params.push_back({"x", row_type(p.type(v))});
    h.pre = b.lambda(params, [](const std::vector<Var>& in) { return Elements(in.begin(), in.end()); });
    Var start = *var_of(b.replicate(shape, combine.neutral[0]));
    h.dests.push_back({{start}, dest.rank, std::move(combine), Conflict::Unknown});
    return b.bind1("h", std::move(h));
  }

  void addition(Var h_adj) {
    Scalar t = elem_of(p.type(h_adj));
    scope.adjoints.add(values[0], each(constant(t, 0), {}, [&](const Atom&, const Elements& at, const Elements&) {
      return b.index("v_adj", h_adj, at);
    }), true);
    scope.adjoints.add(dest.arrays[0], h_adj, false);
  }

  void extremum(Var hs, Var h_adj) {
    Var old = olds[0];
    Scalar t = elem_of(p.type(h_adj));
    Term zero = b.number(t, 0), none = b.term(i64_const(INT64_MAX));
    Var first = each(i64_const(INT64_MAX), values, [&](const Atom& i, const Elements& at, const Elements& v) {
      return cells({v[0], b.index("h", hs, at), b.index("d", old, at)}, [&](const Elements& x) {
        Term value = b.term(x[0]), best = b.term(x[1]), before = b.term(x[2]);
        return Elements{select({all_of({eq(value, best), not_(eq(before, best))}), b.term(i), none}).atom};
      })[0];
    });
    Combine least = b.combine(ScalarOp::min, Scalar::I64, 0);
    least.neutral = {i64_const(INT64_MAX)};
    Var winner = again(std::move(least), first);
    scope.adjoints.add(values[0], each(constant(t, 0), {}, [&](const Atom& i, const Elements& at, const Elements&) {
      return cells({b.index("winner", winner, at), b.index("h_adj", h_adj, at)}, [&](const Elements& x) {
        return Elements{select({eq(b.term(x[0]), b.term(i)), b.term(x[1]), zero}).atom};
      })[0];
    }), true);
    scope.adjoints.add(dest.arrays[0], b.map_all("d_adj", shape, {hs, old, h_adj}, [&](const std::vector<Var>& x) {
      return Elements{select({eq(b.term(x[0]), b.term(x[1])), b.term(x[2]), zero}).atom};
    })[0], true);
  }

  // Floats. q: the product of the values of a bin. Where each is a proper number and not zero, a division takes a value out of it.
  void product(const std::vector<Var>& h_adj) {
    Var old = olds[0], adj = h_adj[0];
    Scalar t = elem_of(p.type(adj));
    Var q = again(b.combine(ScalarOp::mul, t, 1), values[0]);
    If choose;
    choose.cond = everywhere(b.map_all("proper", shape, {q}, [&](const std::vector<Var>& x) { return Elements{proper(x[0], t).atom}; })[0]);
    choose.then_ = b.body([&] {
      Var part_adj = seed_of_parts(old, adj);
      Var v_adj = each(constant(t, 0), values, [&](const Atom&, const Elements& at, const Elements& v) {
        return cells({v[0], b.index("q", q, at), b.index("part_adj", part_adj, at)}, [&](const Elements& x) {
          return Elements{(b.term(x[1]) / b.term(x[0]) * b.term(x[2])).atom};
        })[0];
      });
      return Elements{v_adj, products(q, adj)};
    });
    choose.else_ = b.body([&] { return product_with_zeros(h_adj); });
    std::vector<Var> out = b.bind(std::vector<std::string>{"v_adj", "d_adj"}, std::move(choose));
    scope.adjoints.add(values[0], out[0], true);
    scope.adjoints.add(dest.arrays[0], out[1], true);
  }
  Term proper(Var x, Scalar t) {
    Term nonzero = not_(eq(b.term(x), b.number(t, 0)));
    return all_of({nonzero, lt(apply(ScalarOp::abs, {b.term(x)}), b.number(t, INFINITY))});
  }
  Atom everywhere(Var flags) {
    Term count = b.term(i64_const(1));
    for (const Dim& d : shape) count = count * b.term(d);
    Combine all = b.combine(ScalarOp::and_, Scalar::Bool, 0);
    all.neutral = {bool_const(true)};
    return b.reduce("proper", count.atom, std::move(all), {b.bind1("proper", Reshape{flags, {count.atom}})})[0];
  }
  // The adjoint of what all values of a bin make together.
  Var seed_of_parts(Var old, Var adj) { return products(old, adj, "part_adj"); }
  Var products(Var x, Var y, const std::string& hint = "d_adj") {
    return b.map_all(hint, shape, {x, y}, [&](const std::vector<Var>& v) { return Elements{(b.term(v[0]) * b.term(v[1])).atom}; })[0];
  }
  // The adjoints of the values and of the destination. q: the product of the values that are not zero, z: how many are. If some q is
  // not a proper number, the general rule decides; where this is differentiated again, also if there are zeros.
  Elements product_with_zeros(const std::vector<Var>& h_adj) {
    Var old = olds[0], adj = h_adj[0];
    Scalar t = elem_of(p.type(adj));
    Term zero = b.number(t, 0), one = b.number(t, 1), none = b.term(i64_const(0)), single = b.term(i64_const(1));
    Var others = each(constant(t, 1), values, [&](const Atom&, const Elements&, const Elements& v) {
      return cells(v, [&](const Elements& x) { return Elements{select({eq(b.term(x[0]), zero), one, b.term(x[0])}).atom}; })[0];
    });
    Var zeros = each(i64_const(0), values, [&](const Atom&, const Elements&, const Elements& v) {
      return cells(v, [&](const Elements& x) { return Elements{select({eq(b.term(x[0]), zero), single, none}).atom}; })[0];
    });
    Var q = again(b.combine(ScalarOp::mul, t, 1), others), z = again(b.combine(ScalarOp::add, Scalar::I64, 0), zeros);
    If choose;
    choose.cond = everywhere(b.map_all("proper", shape, {q, z}, [&](const std::vector<Var>& x) {
      Term number = proper(x[0], t);
      return Elements{scope.act.mode.enclosed ? and_(number, eq(b.term(x[1]), none)).atom : number.atom};
    })[0]);
    choose.then_ = b.body([&] {
      Var part_adj = seed_of_parts(old, adj);
      Var v_adj = each(constant(t, 0), values, [&](const Atom&, const Elements& at, const Elements& v) {
        return cells({v[0], b.index("q", q, at), b.index("z", z, at), b.index("part_adj", part_adj, at)}, [&](const Elements& x) {
          Term value = b.term(x[0]), product = b.term(x[1]), zeros_here = b.term(x[2]), seed = b.term(x[3]);
          Term is_zero = eq(value, zero);
          Term plain = select({eq(zeros_here, none), product / select({is_zero, one, value}) * seed, zero});
          return Elements{select({and_(eq(zeros_here, single), is_zero), product * seed, plain}).atom};
        })[0];
      });
      Var d_adj = b.map_all("d_adj", shape, {q, z, adj}, [&](const std::vector<Var>& x) {
        return Elements{select({eq(b.term(x[1]), none), b.term(x[0]) * b.term(x[2]), zero}).atom};
      })[0];
      return Elements{v_adj, d_adj};
    });
    choose.else_ = b.body([&] {
      Var v = b.bind1("vs", Identity{values[0]}), d = b.copy(old);
      scope.act.mark(v);
      scope.act.mark(d);
      Hist same = clone(p, op);
      same.inputs.back() = v;
      same.dests[0].arrays = {d};
      Scope inner(scope, {});
      Histogram{inner, same, {old}}.any(h_adj);
      return Elements{inner.adjoints.value(v), inner.adjoints.value(d)};
    });
    std::vector<Var> out = b.bind(std::vector<std::string>{"v_adj", "d_adj"}, std::move(choose));
    return {out.begin(), out.end()};
  }

  // Loops, one update after the other.
  struct Loop {
    For loop;
    std::vector<Var> state(Program& program, const std::string& hint, const Elements& init) {
      std::vector<Var> vars;
      for (const Atom& a : init) {
        vars.push_back(program.fresh(hint, program.type(a)));
        loop.state.push_back({vars.back()});
        loop.init.push_back(a);
      }
      return vars;
    }
  };
  Elements at(const std::vector<Var>& arrays, const std::string& hint, const Elements& index) {
    Elements out;
    for (Var v : arrays) out.push_back(b.index(hint, v, index));
    return out;
  }
  static void append(Elements& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); }

  void any(const std::vector<Var>& h_adj) {
    if (Sorted::applies(scope, op)) Sorted(scope, op, olds).back(scope, h_adj);
    else general(h_adj);
  }
  void general(const std::vector<Var>& h_adj) {
    const Combine& combine = *dest.combine;
    size_t k = values.size();
    auto operate = [&](Elements both, const Elements& y) {
      append(both, y);
      auto inlined = [&](const Elements& xy) { return b.inline_call(combine.op, xy); };
      return combine.shape.empty() ? inlined(both) : cells(both, inlined);
    };
    // the bins, and each before its update
    Loop forth;
    forth.loop.n = op.width;
    forth.loop.i = {p.fresh("i", scalar_type(Scalar::I64))};
    Elements start, records;
    for (Var d : olds) start.push_back(b.copy(d));
    for (Var v : values) records.push_back(b.bind1("before", Scratch{elem_of(p.type(v)), shape_of(p.type(v))}));
    std::vector<Var> hs = forth.state(p, "h", start), recorded = forth.state(p, "before", records);
    // One iteration: the next state where the indices of element i are inside.
    auto guard = [&](const Atom& i, const Elements& unchanged, auto changed) {
      Elements index = at(indices, "at", {i});
      If guarded;
      guarded.cond = is_inside(b, bins, index).atom;
      guarded.then_ = b.body([&] { return changed(index); });
      guarded.else_ = b.body([&] { return unchanged; });
      std::vector<Var> out = b.bind("next", std::move(guarded));
      return Elements(out.begin(), out.end());
    };
    Elements unchanged;
    append(unchanged, hs);
    append(unchanged, recorded);
    Var ith = forth.loop.i.var;
    forth.loop.body = b.body([&] { return guard(ith, unchanged, [&](const Elements& index) {
      Elements before = at(hs, "before", index), out;
      for (Atom& x : before) if (is_array(p.type(x))) x = b.copy(*var_of(x));
      Elements next = operate(before, at(values, "v", {ith}));
      for (size_t j = 0; j < k; j++) out.push_back(b.update(hs[j], index, next[j]));
      for (size_t j = 0; j < k; j++) out.push_back(b.update(recorded[j], {ith}, before[j]));
      return out;
    }); });
    std::vector<Var> done = b.bind("hist", std::move(forth.loop));
    std::vector<Var> befores(done.begin() + ptrdiff_t(k), done.end());

    // from the last update to the first: adjoints of the bins, of the values, of what is free in the operator
    std::vector<Var> free = scope.free_in(combine.op);
    Loop back;
    back.loop.n = op.width;
    back.loop.i = {p.fresh("k", scalar_type(Scalar::I64))};
    Elements bins_start, values_start, free_start;
    for (Var v : h_adj) bins_start.push_back(b.copy(v));
    for (Var v : values) values_start.push_back(b.zero(p.type(v)));
    for (Var v : free) free_start.push_back(scope.adjoints.threaded(v));
    std::vector<Var> d_adj = back.state(p, "d_adj", bins_start), v_adj = back.state(p, "v_adj", values_start),
                     frees = back.state(p, "free_adj", free_start);
    unchanged.clear();
    for (const auto* part : {&d_adj, &v_adj, &frees}) append(unchanged, *part);
    Var kth = back.loop.i.var;
    back.loop.body = b.body([&] {
      Atom i = (b.term(op.width) - 1 - b.term(kth)).atom;
      return guard(i, unchanged, [&](const Elements& index) {
        Scope inner(scope, {});
        for (size_t j = 0; j < free.size(); j++) inner.adjoints.thread(free[j], frees[j], scope.adjoints.accumulates(free[j]));
        Elements seeds = at(d_adj, "seed", index), before = at(befores, "before", {i}), v = at(values, "v", {i}), out;
        for (Atom& x : seeds) if (is_array(p.type(x))) x = b.copy(*var_of(x));
        Elements adj = back_through(inner, combine, before, v, seeds);
        for (size_t j = 0; j < k; j++) out.push_back(b.update(d_adj[j], index, adj[j]));
        for (size_t j = 0; j < k; j++) out.push_back(b.update(v_adj[j], {i}, adj[k + j]));
        for (Var f : free) out.push_back(inner.adjoints.threaded(f));
        return out;
      });
    });
    std::vector<Var> out = b.bind("adj", std::move(back.loop));
    for (size_t j = 0; j < free.size(); j++) scope.adjoints.thread(free[j], out[2 * k + j], scope.adjoints.accumulates(free[j]));
    for (size_t j = 0; j < k; j++) {
      scope.adjoints.add(dest.arrays[j], out[j], true);
      scope.adjoints.add(values[j], out[k + j], true);
    }
  }
  // Row operators that are applied pointwise work on the rows here.
  Elements back_through(Scope& inner, const Combine& combine, const Elements& x, const Elements& y, const Elements& seeds) {
    return apply_back(inner, combine.shape.empty() ? combine : without_shape(b, combine), x, y, borrowed(seeds));
  }
};

}  // namespace

Back forth(Scope& scope, const Stm& s, const Hist& op) {
  std::optional<ScalarOp> name = pointwise_operator(scope.p, op.dests[0].combine->op);
  Back back;
  if (name != ScalarOp::add)
    for (Var v : op.dests[0].arrays) back.kept.push_back(scope.b.copy(v));
  scope.forward(s);
  back.emit = [name](Scope& inner, const Stm& now, const std::vector<Atom>& kept) {
    std::vector<Var> hs, h_adj, olds;
    for (const Atom& a : kept) olds.push_back(*var_of(a));
    for (Bind x : now.pattern) {
      hs.push_back(x.var);
      h_adj.push_back(*var_of(inner.adjoints.value(x.var)));
      inner.adjoints.take(x.var);
    }
    Histogram h{inner, std::get<Hist>(now.exp), olds};
    if (name == ScalarOp::add) h.addition(h_adj[0]);
    else if (name == ScalarOp::mul && is_float(elem_of(inner.p.type(h_adj[0])))) h.product(h_adj);
    else if (name == ScalarOp::min || name == ScalarOp::max) h.extremum(hs[0], h_adj[0]);
    else h.any(h_adj);
  };
  return back;
}

}  // namespace raido::ad
