// stripmine.cc - a loop as a nest of loops, each of about the k-th root of its iterations                       docs/ad.md 7.7
//
//   #[stripmine(2)] for i < n body   ==>   m = root of n;  for i1 < n / m: for i2 < m: body of iteration i1 m + i2
//
// The derivative of a loop records its state in every iteration. The derivative of the nest records at every level, in m iterations
// each, and runs the body once more for each level. The last loop of every level is shorter if n is no power. All levels but the last
// record arrays that are updated in place as a whole: their overwritten elements would be those of all levels inside.
//
// Rules: loop.stripmine.
#include "compiler/ir/term.h"
#include "passes/ad/prepare/schedules.h"

namespace raido::ad {

using namespace ir;

namespace {

Term power(const Term& x, i64 k) {
  Term out = x;
  for (i64 j = 1; j < k; j++) out = out * x;
  return out;
}
// The least m with m^k >= n.
Term root(Builder& b, const Term& n, i64 k) {
  While search;
  Var m = b.fresh("m", scalar_type(Scalar::I64));
  search.state = {{m}};
  search.init = {i64_const(1)};
  search.cond = b.lambda({{"m", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& x) {
    return std::vector<Atom>{lt(power(b.term(x[0]), k), n).atom};
  });
  search.body = b.body([&] { return std::vector<Atom>{(b.term(m) + 1).atom}; });
  return b.term(b.bind1("m", std::move(search)));
}
// Runs up to `left` iterations from `start` on, level `level` of `levels`.
For nest(Builder& b, For&& loop, const Term& m, i64 level, i64 levels, const Term& start, const Term& left, const std::vector<Atom>& init) {
  Program& p = b.program;
  if (level == levels) {
    For last = std::move(loop);
    Body body = std::exchange(last.body, {});
    Builder in(p, last.body.stms);
    in.source = b.source;
    Subst shifted;
    shifted.emplace(last.i.var, (in.term(start.atom) + in.term(last.i.var)).atom);
    substitute(p, body, shifted);
    in.emit_all(std::move(body.stms));
    last.body.result = body.result;
    last.n = left.atom;
    last.init = init;
    return last;
  }
  Term size = power(m, levels - level);
  For outer;
  outer.blocks = true;
  outer.n = ((left + (size - 1)) / size).atom;
  outer.i = {p.fresh("block", scalar_type(Scalar::I64))};
  outer.init = init;
  Subst renamed;
  for (Bind x : loop.state) {
    Type t = p.type(x.var);
    walk(t, [&](Atom& a) {
      if (auto v = var_of(a))
        if (auto found = renamed.find(*v); found != renamed.end()) a = found->second;
    });
    Var state = p.fresh(p.hint(x.var), t);
    renamed.emplace(x.var, state);
    outer.state.push_back({state});
  }
  outer.body = b.body([&] {
    Term before = b.term(outer.i.var) * size, rest = apply(ScalarOp::min, {size, left - before});
    std::vector<Atom> inside;
    std::vector<std::string> hints;
    for (Bind x : outer.state) {
      inside.push_back(x.var);
      hints.push_back(p.hint(x.var));
    }
    std::vector<Var> out = b.bind(hints, nest(b, std::move(loop), m, level + 1, levels, start + before, rest, inside));
    return std::vector<Atom>(out.begin(), out.end());
  });
  return outer;
}

}  // namespace

void stripmine(Builder& b, Stm& s) {
  const Attr* attr = find_attr(s.attrs, "stripmine");
  i64 levels = attr && !attr->args.empty() ? attr->args[0] : 1;
  std::erase_if(s.attrs, [](const Attr& a) { return a.name == "stripmine"; });
  if (levels < 2) return;
  For loop = std::move(std::get<For>(s.exp));
  Term n = apply(ScalarOp::max, {b.term(loop.n), b.term(i64_const(0))});
  std::vector<Atom> init = loop.init;
  s.exp = nest(b, std::move(loop), root(b, n, levels), 1, levels, b.term(i64_const(0)), n, init);
}

}  // namespace raido::ad
