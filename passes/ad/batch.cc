// batch.cc - many seeds at once (ad.md 15): the forward sweep of reverse mode is shared, and in forward mode what does not
// depend on the directions; the rest is done for each seed, on processors with the seeds side by side where they are few
// (lanes.cc).
//
// Rules: batch.jvp batch.vjp batch.lanes.
#include <algorithm>

#include "compiler/ir/term.h"
#include "passes/ad/differentiate.h"

namespace raido::ad {

using namespace ir;

namespace {

// No calls, and no arrays whose sizes are more than arithmetic on what is known outside.
bool runs_in_threads(const Program& p, const Lambda& f) {
  bool fine = true;
  VarSet bound, plain;
  each_bind(f, [&](Var v) { bound.insert(v); });
  auto known = [&](const Atom& a) { auto v = var_of(a); return !v || !bound.contains(*v) || plain.contains(*v); };
  each_stm(f.body, [&](const Stm& s) {
    match(s.exp, [&](const Call&) { fine = false; },
          [&](const Apply& x) { if (std::ranges::all_of(x.args, known)) plain.insert(s.pattern[0].var); },
          [&](const Identity& x) { if (known(x.value)) plain.insert(s.pattern[0].var); }, [](const auto&) {});
  });
  each_bind(f, [&](Var v) {
    if (is_array(p.type(v)))
      for (const Dim& d : shape_of(p.type(v))) fine = fine && known(d);
  });
  return fine;
}

std::vector<Var> in_turn(Builder& b, const Dim& width, Lambda f, const std::vector<Var>& rows) {
  Program& p = b.program;
  For loop;
  loop.n = width;
  loop.i = {p.fresh("i", scalar_type(Scalar::I64))};
  std::vector<Var> outs;
  for (const Atom& r : f.body.result) {
    std::vector<Dim> shape = shape_of(p.type(r));
    shape.insert(shape.begin(), width);
    loop.init.push_back(b.bind1("d", Scratch{elem_of(p, r), shape}));
    outs.push_back(p.fresh("d", p.type(loop.init.back())));
    loop.state.push_back({outs.back()});
  }
  loop.body = b.body([&] {
    std::vector<Atom> seeds, next;
    for (Var v : rows) seeds.push_back(b.index(p.hint(v), v, {loop.i.var}));
    std::vector<Atom> made = b.inline_once(std::move(f), seeds);
    for (size_t k = 0; k < made.size(); k++) next.push_back(b.update(outs[k], {loop.i.var}, made[k]));
    return next;
  });
  return b.bind("d", std::move(loop));
}

}  // namespace

std::vector<Var> each_seed(Builder& b, Target target, const std::vector<Dim>& batch, const std::vector<Atom>& seeds,
                           const std::function<std::vector<Atom>(const std::vector<Var>&)>& derive, List<Stm>* before) {
  Program& p = b.program;
  Term width = b.term(i64_const(1));
  for (const Dim& d : batch) width = width * b.term(d);
  auto tail = [&](const Type& t) {                         // without the dimensions of the batch
    std::vector<Dim> shape = shape_of(t);
    return std::vector<Dim>(shape.begin() + isize(batch), shape.end());
  };
  auto under = [](std::vector<Dim> outer, const std::vector<Dim>& inner) {
    outer.insert(outer.end(), inner.begin(), inner.end());
    return outer;
  };
  std::vector<Var> rows;
  Builder::Params params;
  for (const Atom& a : seeds) {
    Var v = *var_of(a);
    rows.push_back(batch.size() == 1 ? v : b.bind1("seeds", Reshape{v, under({width.atom}, tail(p.type(v)))}));
    params.push_back({p.hint(v), row_type(p.type(rows.back()))});
  }
  Lambda f = b.lambda(params, derive);
  if (before) b.emit_all(std::move(*before));
  std::vector<Var> out;
  if (auto lanes = target == Target::Gpu ? std::nullopt : in_lanes(b, width.atom, f, rows)) out = *lanes;
  else if (target == Target::Gpu && !runs_in_threads(p, f)) out = in_turn(b, width.atom, std::move(f), rows);
  else out = b.map("d", width.atom, std::move(f), rows);
  if (batch.size() > 1)
    for (Var& v : out) {
      std::vector<Dim> shape = shape_of(p.type(v));
      v = b.bind1("d", Reshape{v, under(batch, {shape.begin() + 1, shape.end()})});
    }
  return out;
}

}  // namespace raido::ad
