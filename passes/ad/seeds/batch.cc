// batch.cc - many seeds at once (docs/ad.md 9): the forward sweep of reverse mode is shared, and in both modes what does not depend
// on the seeds; the rest is done for each seed, on processors with the seeds side by side where they are few (lanes.cc).
//
// Rules: batch.jvp batch.vjp batch.lanes.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/flow.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/term.h"
#include "passes/ad/seeds/seeds.h"

namespace raido::ad {

using namespace ir;

namespace {

// No calls, and no arrays whose sizes are more than arithmetic on what is known outside.
bool runs_in_threads(const Program& p, const Lambda& f) {
  bool fine = true;
  const VarSet bound = bound_in(f);
  VarSet plain;
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

// Arrays that may share memory, as far as code says so, and the accumulators between them: families.
class Families {
 public:
  Families(const Program& p, const Body& whole) : p_(p) {
    each_stm(whole, [&](const Stm& s) {
      bool parallel = kind_of(s.exp) == Kind::Parallel;              // makes arrays of its own
      each_flow(p, s, [&](const Atom& from, Var to, Flow how) {
        bool made = how == Flow::Copied || how == Flow::Into || (parallel && how == Flow::Same && is_array(p.type(to)) && std::ranges::find(s.pattern, to, &Bind::var) != s.pattern.end());
        if (!made && how != Flow::Steers) join(to, from);
      }, [](const Body&) {});
    });
  }
  Var of(Var v) const {
    for (auto up = parent_.find(v); up != parent_.end(); up = parent_.find(v)) v = up->second;
    return v;
  }

 private:
  const Program& p_;
  std::unordered_map<Var, Var> parent_;
  void join(Var x, const Atom& y) {
    auto v = var_of(y);
    if (v && (is_array(p_.type(*v)) || is_acc(p_.type(*v))) && of(x) != of(*v)) parent_[of(x)] = of(*v);
  }
};

// Emits what f does alike for all seeds, statement by statement, unless what is left consumes it.
void emit_shared(Builder& b, Lambda& f) {
  Program& p = b.program;
  Families families(p, f.body);
  VarSet inside, spent;                                  // parameters and what stays inside; families consumed there
  for (Bind x : f.params) inside.insert(x.var);
  std::vector<bool> stays(f.body.stms.size());
  auto needs_inside = [&](const Stm& s) {
    bool yes = false;
    each_use(p, s, [&](Var v) { yes = yes || inside.contains(v); });
    for (Var c : s.checks) yes = yes || inside.contains(c);
    for (Bind x : s.pattern) {
      yes = yes || spent.contains(families.of(x.var));
      walk(p.type(x.var), [&](const Var& v) { yes = yes || inside.contains(v); });
    }
    return yes;
  };
  for (bool more = true; more;) {
    more = false;
    for (size_t k = 0; k < stays.size(); k++) {
      const Stm& s = f.body.stms[k];
      if (stays[k] || !needs_inside(s)) continue;
      more = stays[k] = true;
      for (Bind x : s.pattern) inside.insert(x.var);
      auto consumes = [&](const Stm& part) { each_consumed(p, part.exp, [&](Var v) { spent.insert(families.of(v)); }); };
      consumes(s);
      walk_parts(s, [&](const Body& part) { each_stm(part, consumes); });
    }
  }
  List<Stm> left;
  size_t k = 0;
  for (auto& s : f.body.stms.take()) {
    if (stays[k++]) left.push_back(std::move(s));
    else b.emit(std::move(s));
  }
  f.body.stms = std::move(left);
}

}  // namespace

std::vector<Var> each_seed(Builder& b, PassContext& context, const std::vector<Dim>& batch, const std::vector<Atom>& seeds,
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
  std::vector<Type> row_types;
  for (const Atom& a : seeds) {
    Var v = *var_of(a);
    rows.push_back(batch.size() == 1 ? v : b.bind1("seeds", Reshape{v, under({width.atom}, tail(p.type(v)))}));
    row_types.push_back(row_type(p.type(rows.back())));
    params.push_back({p.hint(v), row_types.back()});
  }
  Lambda f = b.lambda(params, derive);
  if (before) b.emit_all(std::move(*before));
  std::vector<Var> out;
  if (auto lanes = context.target == Target::Gpu ? std::nullopt : in_lanes(b, width.atom, f, rows)) out = *lanes;
  else {
    emit_shared(b, f);
    if (context.target != Target::Gpu) out = in_chunks(b, context, width.atom, std::move(f), rows, row_types);
    else if (runs_in_threads(p, f)) out = b.map("d", width.atom, std::move(f), rows);
    else out = in_turn(b, width.atom, std::move(f), rows);
  }
  if (batch.size() > 1)
    for (Var& v : out) {
      std::vector<Dim> shape = shape_of(p.type(v));
      v = b.bind1("d", Reshape{v, under(batch, {shape.begin() + 1, shape.end()})});
    }
  return out;
}

}  // namespace raido::ad
