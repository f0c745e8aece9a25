// rule_sorted.cc
//
// let hs = hist n is vs into ds (op)       for a device and any associative and commutative op          docs/ad.md 6.9
//
//   (bin, i) = (is, iota n) sorted by bin, without what lies outside of ds     a loop over the bits of a bin, a scan and a
//                                                                              scatter for each
//   l, a, r  = vs[i], the old ds[bin] combined with what is before i in the bin, and what is after i, combined:
//              two segmented scans
//   (l_adj, a_adj) = map (\l a r -> vjp (op l a), seeded by h_adj[bin] if r is empty, else by vjp_s (op s r) h_adj[bin] at s = op l a)
//   vs_adj[i] += a_adj        ds_adj += h_adj, but l_adj where i is the first of its bin
//
// Free variables of op get the contribution of op l a only: each update of the histogram once. Rows that are combined pointwise
// are that many histograms with the same order. Work is that of log2 of the bins many passes over the elements; the number of
// kernels does not depend on n. Processors take the loops of rule_hist.cc, to which two threads of sorting lost by 3 (16 bins) to 7
// times (100000). Tests: tests/ad/histograms.fut.
//
// Rules: hist.sorted.
#include "passes/ad/reverse/rule_sorted.h"

#include <algorithm>

#include "passes/ad/activity/common.h"
#include "passes/ad/prepare/scatters.h"
#include "passes/ad/reverse/operators.h"

namespace raido::ad {

using namespace ir;

namespace {

using Elements = std::vector<Atom>;

Term size_of(Builder& b, const std::vector<Dim>& shape) {
  Term n = b.term(i64_const(1));
  for (const Dim& d : shape) n = n * b.term(d);
  return n;
}

// Whether a segment begins here, then the operator's components: op from the last such element on.
Combine segmented(Builder& b, const Combine& op, bool from_right) {
  size_t k = op.neutral.size();
  Builder::Params params;
  for (size_t side = 0; side < 2; side++) {
    params.push_back({"starts", scalar_type(Scalar::Bool)});
    for (size_t c = 0; c < k; c++) params.push_back({"x", b.program.type(op.op.params[c].var)});
  }
  Combine out;
  out.op = b.lambda(params, [&](const std::vector<Var>& v) {
    Elements x(v.begin() + 1, v.begin() + 1 + ptrdiff_t(k)), y(v.begin() + 2 + ptrdiff_t(k), v.end());
    If anew;
    anew.cond = v[k + 1];
    anew.then_.result = y;
    anew.else_ = b.body([&] {
      Elements both = from_right ? y : x;
      const Elements& then = from_right ? x : y;
      both.insert(both.end(), then.begin(), then.end());
      return b.inline_call(op.op, both);
    });
    Elements results = {or_(b.term(v[0]), b.term(v[k + 1])).atom};
    for (Var r : b.bind("x", std::move(anew))) results.push_back(r);
    return results;
  });
  out.neutral = {bool_const(false)};
  out.neutral.insert(out.neutral.end(), op.neutral.begin(), op.neutral.end());
  return out;
}

}  // namespace

bool Sorted::applies(const Scope& scope, const Hist& op) {
  const Combine& combine = *op.dests[0].combine;
  bool rows = std::ranges::any_of(combine.op.params, [&](Bind b) { return is_array(scope.p.type(b.var)); });
  return scope.act.context.target == Target::Gpu && !scope.in_parallel() && !rows;
}

Sorted::Sorted(Scope& scope, const Hist& op, const std::vector<Var>& olds) : op_(op) {
  Builder& b = scope.b;
  const Dest& dest = op.dests[0];
  combine_ = {clone(scope.p, dest.combine->op), dest.combine->neutral, {}, dest.combine->commutative};
  indices_.assign(op.inputs.begin(), op.inputs.begin() + dest.rank);
  values_.assign(op.inputs.begin() + dest.rank, op.inputs.end());
  std::vector<Dim> shape = shape_of(scope.p.type(dest.arrays[0]));
  bins_.assign(shape.begin(), shape.begin() + dest.rank);
  row_.assign(shape.begin() + dest.rank, shape.end());
  bin_count_ = size_of(b, bins_).atom;
  cell_count_ = size_of(b, row_).atom;
  sort(b);
  combine_segments(b, olds);
}

// Of any rank: one dimension for `outer`, one for cells if there are any.
Var Sorted::flat(Builder& b, Var xs, const Atom& outer) const {
  std::vector<Dim> shape = {outer};
  if (!row_.empty()) shape.push_back(cell_count_);
  return shape == shape_of(b.program.type(xs)) ? xs : b.bind1(b.program.hint(xs), Reshape{xs, shape});
}

template <class F> std::vector<Var> Sorted::cells(Builder& b, F f) const {
  if (row_.empty()) return f(Elements{});
  return b.map("cell", cell_count_, b.lambda({{"cell", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& cell) {
    std::vector<Var> out = f(Elements{cell[0]});
    return Elements(out.begin(), out.end());
  }), {b.iota(cell_count_)});
}

void Sorted::sort(Builder& b) {
  Program& p = b.program;
  const Type i64_type = scalar_type(Scalar::I64);
  const Dim n = op_.width;
  Term none = b.term(i64_const(0)), one = b.term(i64_const(1)), bins = b.term(bin_count_);
  auto map = [&](const std::string& hint, const Dim& width, const std::vector<Var>& inputs, auto f) {
    Builder::Params params;
    for (Var v : inputs) params.push_back({p.hint(v), row_type(p.type(v))});
    return b.map(hint, width, b.lambda(params, [&](const std::vector<Var>& x) { return Elements{f(x).atom}; }), inputs)[0];
  };
  Var keys = map("bin", n, indices_, [&](const std::vector<Var>& at) {
    Term bin = none;
    for (size_t d = 0; d < at.size(); d++) bin = bin * b.term(bins_[d]) + b.term(at[d]);
    return select({is_inside(b, bins_, {at.begin(), at.end()}), bin, bins});
  });
  inside_ = b.reduce("inside", n, b.combine(ScalarOp::add, Scalar::I64, 0), {map("inside", n, {keys}, [&](const std::vector<Var>& key) {
    return select({lt(b.term(key[0]), bins), one, none});
  })})[0];
  For loop;
  loop.i = {p.fresh("bit", i64_type)};
  loop.n = (b.term(i64_const(64)) - convert(Scalar::I64, apply(ScalarOp::clz, {bins}))).atom;
  loop.init = {keys, b.iota(n)};
  std::vector<Var> state;
  for (const char* hint : {"bin", "element"}) {
    state.push_back(p.fresh(hint, array_type(Scalar::I64, {n})));
    loop.state.push_back({state.back()});
  }
  loop.body = b.body([&] {
    auto bit = [&](Var key) { return apply(ScalarOp::and_, {apply(ScalarOp::lshr, {b.term(key), b.term(loop.i.var)}), one}); };
    Var zeros = map("zeros", n, {state[0]}, [&](const std::vector<Var>& key) { return one - bit(key[0]); });
    Var upto = b.scan("upto", n, b.combine(ScalarOp::add, Scalar::I64, 0), {zeros})[0];
    Var to = map("to", n, {b.iota(n), state[0], upto}, [&](const std::vector<Var>& x) {
      Term all = b.term(b.index("all", upto, {(b.term(n) - 1).atom})), before = b.term(x[2]);
      Term zero = eq(bit(x[1]), none), left = before - 1, right = all + b.term(x[0]) - before;
      return select({zero, left, right});
    });
    std::vector<Var> places;
    for (size_t c = 0; c < state.size(); c++) places.push_back(b.bind1("next", Scratch{Scalar::I64, {n}}));
    std::vector<Var> next = b.bind("next", scatter_of(b, places, n, {to}, state));
    return Elements(next.begin(), next.end());
  });
  std::vector<Var> sorted = b.bind(std::vector<std::string>{"bin", "element"}, std::move(loop));
  Slice these{i64_const(0), inside_, i64_const(1)};
  bin_ = b.slice("bin", sorted[0], these);
  element_ = b.slice("element", sorted[1], these);
  Term end = b.term(inside_) - 1;
  auto boundary = [&](const std::string& hint, const Term& at, i64 step) {
    return map(hint, inside_, {b.iota(inside_), bin_}, [&](const std::vector<Var>& x) {
      Term i = b.term(x[0]), next = apply(ScalarOp::min, {apply(ScalarOp::max, {i + step, none}), end});
      Term ends = eq(i, at), other = not_(eq(b.term(b.index("next", bin_, {next.atom})), b.term(x[1])));
      return or_(ends, other);
    });
  };
  first_ = boundary("first", none, -1);
  last_ = boundary("last", end, 1);
}

void Sorted::combine_segments(Builder& b, const std::vector<Var>& olds) {
  size_t k = values_.size();
  Term end = b.term(inside_) - 1;
  std::vector<Var> before, values;
  for (size_t c = 0; c < k; c++) {
    before.push_back(flat(b, olds[c], bin_count_));
    values.push_back(flat(b, values_[c], op_.width));
  }
  std::vector<Var> all = cells(b, [&](const Elements& cell) {
    auto at = [&](const std::string& hint, Var xs, const Atom& i) {
      Elements index = {i};
      index.insert(index.end(), cell.begin(), cell.end());
      return b.index(hint, xs, index);
    };
    std::vector<Var> here = b.map("here", inside_, b.lambda({{"i", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& i) {
      Elements out;
      for (Var v : values) out.push_back(at("v", v, i[0]));
      return out;
    }), {element_});
    // What the scan takes in for element i: `start()` if its segment starts here, else the element at i + step.
    auto shifted = [&](Var starts, i64 step, auto start) {
      const Type index = scalar_type(Scalar::I64);
      return b.map("shifted", inside_, b.lambda({{"i", index}, {"bin", index}, {"starts", scalar_type(Scalar::Bool)}}, [&](const std::vector<Var>& x) {
        If choose;
        choose.cond = x[2];
        choose.then_ = b.body([&] { return start(x[1]); });
        choose.else_ = b.body([&] {
          Elements out;
          Term i = b.term(x[0]) + step;
          for (Var v : here) out.push_back(b.index("v", v, {i.atom}));
          return out;
        });
        std::vector<Var> out = b.bind("v", std::move(choose));
        return Elements(out.begin(), out.end());
      }), {b.iota(inside_), bin_, starts});
    };
    std::vector<Var> from_left = shifted(first_, -1, [&](Var bin) {
      Elements out;
      for (Var v : before) out.push_back(at("old", v, bin));
      return out;
    });
    from_left.insert(from_left.begin(), first_);
    std::vector<Var> left = b.scan("left", inside_, segmented(b, combine_, false), from_left);
    std::vector<Var> out(left.begin() + 1, left.end());
    out.insert(out.end(), here.begin(), here.end());
    // After the last element is nothing, and the second to last starts a segment: the neutral element is combined with none.
    Var starts = b.map("starts", inside_, b.lambda({{"i", scalar_type(Scalar::I64)}, {"last", scalar_type(Scalar::Bool)}}, [&](const std::vector<Var>& x) {
      Term next = apply(ScalarOp::min, {b.term(x[0]) + 1, end});
      return Elements{or_(b.term(x[1]), b.term(b.index("last", last_, {next.atom}))).atom};
    }), {b.iota(inside_), last_})[0];
    std::vector<Var> turned = {b.reverse(starts)};
    for (Var v : shifted(last_, 1, [&](Var) { return combine_.neutral; })) turned.push_back(b.reverse(v));
    std::vector<Var> right = b.scan("right", inside_, segmented(b, combine_, true), turned);
    for (size_t c = 0; c < k; c++) out.push_back(b.reverse(right[c + 1]));
    return out;
  });
  left_.assign(all.begin(), all.begin() + ptrdiff_t(k));
  here_.assign(all.begin() + ptrdiff_t(k), all.begin() + 2 * ptrdiff_t(k));
  right_.assign(all.begin() + 2 * ptrdiff_t(k), all.end());
}

void Sorted::back(Scope& scope, const std::vector<Var>& h_adj) const {
  Builder& b = scope.b;
  Program& p = scope.p;
  const Dest& dest = op_.dests[0];
  size_t k = values_.size();
  std::vector<Var> seeds, free = scope.free_in(dest.combine->op);
  for (Var v : h_adj) seeds.push_back(flat(b, v, bin_count_));
  auto column = [&](Scope& r, const Elements& cell, std::vector<Var> rows) {
    rows.insert(rows.end(), {bin_, last_});
    return r.map("adj", inside_, rows, free, [&](Scope& inner, const std::vector<Var>& x) {
      auto part = [&](size_t from) { return Elements(x.begin() + ptrdiff_t(from * k), x.begin() + ptrdiff_t((from + 1) * k)); };
      Elements left = part(0), here = part(1), right = part(2), index = {x[3 * k]}, seed, both = left;
      index.insert(index.end(), cell.begin(), cell.end());
      for (Var v : seeds) seed.push_back(b.index("seed", v, index));
      both.insert(both.end(), here.begin(), here.end());
      If more;
      more.cond = x[3 * k + 1];
      more.then_.result = seed;
      more.else_ = b.body([&] { return first_back(inner, combine_, b.inline_call(combine_.op, both), right, borrowed(seed)); });
      std::vector<Var> sum_adj = b.bind("seed", std::move(more));
      return apply_back(inner, combine_, left, here, borrowed({sum_adj.begin(), sum_adj.end()}));
    });
  };
  std::vector<Var> rows = left_, adj;
  rows.insert(rows.end(), here_.begin(), here_.end());
  rows.insert(rows.end(), right_.begin(), right_.end());
  if (row_.empty()) {
    adj = column(scope, {}, rows);
  } else {
    std::vector<Var> inputs = rows;
    inputs.push_back(b.iota(cell_count_));
    adj = scope.map("adj", cell_count_, inputs, free, [&](Scope& inner, const std::vector<Var>& x) {
      std::vector<Var> out = column(inner, {x.back()}, {x.begin(), x.end() - 1});
      return Elements(out.begin(), out.end());
    });
    for (Var& v : adj) v = b.permute(v, {1, 0});
  }
  // Bins of first elements; -1 is outside.
  Var firsts = b.map_all("first", {inside_}, {first_, bin_}, [&](const std::vector<Var>& x) {
    return Elements{select({b.term(x[0]), b.term(x[1]), b.term(i64_const(-1))}).atom};
  })[0];
  // The adjoints of xs: `start` but for what is scattered there.
  auto scatter = [&](const std::vector<Var>& xs, const std::vector<Var>& start, Var at, size_t from) {
    std::vector<Var> values(adj.begin() + ptrdiff_t(from), adj.begin() + ptrdiff_t(from + k));
    std::vector<Var> made = b.bind("adj", scatter_of(b, start, inside_, {at}, values));
    for (size_t c = 0; c < k; c++) scope.adjoints.add(xs[c], as_type(b, made[c], p.type(xs[c])), true);
  };
  std::vector<Var> values(op_.inputs.begin() + dest.rank, op_.inputs.end()), h_start, v_start;
  for (size_t c = 0; c < k; c++) {
    h_start.push_back(b.copy(seeds[c]));
    v_start.push_back(flat(b, *var_of(b.zero(p.type(values[c]))), op_.width));
  }
  scatter(dest.arrays, h_start, firsts, 0);
  scatter(values, v_start, element_, k);
}

}  // namespace raido::ad
