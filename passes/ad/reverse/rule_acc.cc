// rule_acc.cc
//
// let xs', r = with_acc xs (op) \acc -> body                                        docs/ad.md 6.11
// let acc' = upd acc at v
//
// Inside the scope the adjoint of every version of acc is the adjoint of the finished array, read only:
//
//   op is +            v_adj += xs'_adj[at] (0 outside)     xs_adj += xs'_adj
//   no op (scatter)    v_adj += xs'_adj[at]                 xs_adj += xs'_adj with the updated cells zeroed
//
// So the return sweep of an accumulating map is a gathering map. Several updates of a scatter may name one place. On one thread a loop
// stands before that map then, from the last of n updates to the first, and the map reads v_adjs:
//
//   xs_adj, v_adjs = for i = n - 1 .. 0 { v_adjs[i] <- xs_adj[at]; xs_adj[at] <- 0 }
//
// The body of `with_acc` is no scope of its own: its return sweep runs in
// the scope around it. Tests: tests/ad/parallel.fut.
//
// Rules: scatter.plain scatter.sequential acc.gather acc.overwrite.
#include <algorithm>

#include "passes/ad/prepare/scatters.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {

// The scope once more over other arrays, where every update of its dests without operator writes zeros.
WithAcc zeroing(Builder& b, const WithAcc& op, const std::vector<Var>& arrays) {
  Program& p = b.program;
  WithAcc again = clone(p, op);
  size_t at = 0;
  for (Dest& d : again.dests) for (Var& v : d.arrays) v = arrays[at++];
  std::vector<Var> tokens;
  for (size_t k = 0; k < again.dests.size(); k++)
    if (!again.dests[k].combine) tokens.push_back(again.scope.params[k].var);
  auto rewrite = [&](Body& body, auto& self) -> void {
    Builder inside(p, body.stms);
    inside.into(body, [&](List<Stm>& stms) {
      for (auto& item : stms.take()) {
        walk_parts(*item, [&](Body& inner) { self(inner, self); });
        if (auto u = std::get_if<AccUpdate>(&item->exp)) {
          Var token = std::get<AccType>(p.type(u->acc)).token;
          if (std::ranges::find(tokens, token) != tokens.end())
            for (Atom& v : u->values) v = inside.zero(p.type(v));
        }
        inside.emit(std::move(item));
      }
    });
  };
  rewrite(again.scope.body, rewrite);
  again.scope.body.result.resize(again.dests.size());
  return again;
}

struct InOrder {
  std::vector<Var> arrays, values;       // adjoints of the arrays from before the scatter, and of what each iteration scatters
};

// What the scatter did to `finished`, update by update from the last.
InOrder back_in_order(Builder& b, const WithAcc& op, const std::vector<Var>& finished) {
  Program& p = b.program;
  std::vector<Var> indices = scatter_indices(b, op);
  Dim width = shape_of(p.type(indices[0]))[0];
  size_t rank = indices.size(), n = finished.size();
  For loop;
  loop.n = width;
  loop.i = {p.fresh("k", scalar_type(Scalar::I64))};
  std::vector<std::string> hints;
  std::vector<Type> parts;                              // one value of each array
  auto state = [&](const std::string& hint, Var init) {
    Var v = p.fresh(hint, p.type(init));
    hints.push_back(hint);
    loop.state.push_back({v});
    loop.init.push_back(init);
    return v;
  };
  InOrder now;
  for (Var v : finished) {
    Var array = b.copy(v);
    now.arrays.push_back(state("adj", array));
  }
  for (Var v : finished) {
    std::vector<Dim> shape = shape_of(p.type(v));
    shape.erase(shape.begin(), shape.begin() + ptrdiff_t(rank));
    parts.push_back(shape.empty() ? scalar_type(elem_of(p.type(v))) : array_type(elem_of(p.type(v)), shape));
    shape.insert(shape.begin(), width);
    Var values = b.bind1("v_adj", Scratch{elem_of(p.type(v)), shape});
    now.values.push_back(state("v_adj", values));
  }
  std::vector<Dim> space = shape_of(p.type(finished[0]));
  space.resize(rank);
  loop.body = b.body([&] {
    Atom i = (b.term(width) - 1 - b.term(loop.i.var)).atom;
    std::vector<Atom> at;
    for (Var v : indices) at.push_back(b.index("at", v, {i}));
    If guarded;
    guarded.cond = is_inside(b, space, at).atom;
    guarded.then_ = b.body([&] {
      std::vector<Atom> out, seeds;
      for (size_t k = 0; k < n; k++) {
        Atom seed = b.index("v_adj", now.arrays[k], at);
        seeds.push_back(is_array(parts[k]) ? Atom(b.copy(*var_of(seed))) : seed);
      }
      for (size_t k = 0; k < n; k++) {
        Atom zero = b.zero(parts[k]);
        out.push_back(b.update(now.arrays[k], at, zero));
      }
      for (size_t k = 0; k < n; k++) out.push_back(b.update(now.values[k], {i}, seeds[k]));
      return out;
    });
    guarded.else_ = b.body([&] {
      std::vector<Atom> out(now.arrays.begin(), now.arrays.end());
      for (size_t k = 0; k < n; k++) {
        Atom zero = b.zero(parts[k]);
        out.push_back(b.update(now.values[k], {i}, zero));
      }
      return out;
    });
    std::vector<Var> next = b.bind(hints, std::move(guarded));
    return std::vector<Atom>(next.begin(), next.end());
  });
  std::vector<Var> done = b.bind(hints, std::move(loop));
  return {{done.begin(), done.begin() + ptrdiff_t(n)}, {done.begin() + ptrdiff_t(n), done.end()}};
}

// The scatter with the number of the iteration in the place of its indices.
void number_updates(Program& p, Body& scope, const Scatter& found) {
  Builder b(p, scope.stms);
  size_t left = found.map;
  b.into(scope, [&](List<Stm>& stms) {
    for (auto& item : stms.take()) {
      if (left-- == 0) {
        Screma& map = std::get<Screma>(item->exp);
        Var is = b.iota(map.width), i = p.fresh("i", scalar_type(Scalar::I64));
        map.inputs.insert(map.inputs.begin(), is);
        map.pre.params.insert(map.pre.params.begin(), {i});
        for (size_t k : found.updates) {
          AccUpdate& u = std::get<AccUpdate>(map.pre.body.stms[k].exp);
          u.at = {i};
          u.in_range = true;
        }
      }
      b.emit(std::move(item));
    }
  });
}

}  // namespace

void back(Scope& scope, const Stm& s, const WithAcc& op) {
  Builder& b = scope.b;
  Lambda body = scope.act.clone(op.scope);
  std::vector<Adjoint> seeds(op.dests.size());
  std::vector<Var> finished;                             // adjoints of the scope's arrays
  std::optional<InOrder> in_order;
  size_t at = 0;
  for (size_t k = 0; k < op.dests.size(); k++) {
    std::vector<Var> adjoints;
    for (size_t i = 0; i < op.dests[k].arrays.size(); i++) adjoints.push_back(*var_of(scope.adjoints.value(s.pattern[at++].var)));
    finished.insert(finished.end(), adjoints.begin(), adjoints.end());
  }
  if (goes_back_in_order(scope.act, s, op)) {
    in_order = back_in_order(b, op, finished);
    number_updates(scope.p, body.body, *scatter(scope.p, op));
  }
  for (size_t k = 0, i = 0; k < op.dests.size(); i += op.dests[k++].arrays.size()) {
    auto first = (in_order ? in_order->values : finished).begin() + ptrdiff_t(i);
    scope.adjoints.gather(body.params[k].var, {first, first + isize(op.dests[k].arrays)});
  }
  std::vector<Var> tokens;
  for (size_t k = 0; k < op.dests.size(); k++) tokens.push_back(body.params[k].var);
  for (size_t i = at; i < s.pattern.size(); i++) seeds.push_back(scope.adjoints.take(s.pattern[i].var));
  scope.run(std::move(body.body), seeds);
  for (Var t : tokens) scope.adjoints.end_gather(t);
  bool overwrites = std::ranges::any_of(op.dests, [](const Dest& d) { return !d.combine; });
  std::vector<Var> zeroed;
  if (in_order) zeroed = in_order->arrays;
  else if (overwrites) {
    std::vector<Var> arrays;
    for (Var v : finished) arrays.push_back(b.copy(v));
    zeroed = b.bind("zeroed", zeroing(b, op, arrays));
  }
  at = 0;
  for (const Dest& d : op.dests)
    for (Var xs : d.arrays) {
      if (d.combine) scope.adjoints.add(xs, finished[at], false);
      else scope.adjoints.add(xs, zeroed[at], true);
      at++;
    }
  for (size_t i = 0; i < at; i++) scope.adjoints.take(s.pattern[i].var);
}

void back(Scope& scope, const Stm&, const AccUpdate& op) {
  Program& p = scope.p;
  Builder& b = scope.b;
  const AccType acc = std::get<AccType>(p.type(op.acc));
  const std::vector<Var> adjoints = scope.adjoints.gathered(acc.token);
  for (size_t i = 0; i < op.values.size(); i++) {
    if (!scope.act.varied(op.values[i])) continue;
    if (op.in_range) {
      scope.adjoints.add(op.values[i], b.index("v_adj", adjoints[i], op.at));
      continue;
    }
    Term inside = b.term(bool_const(true));
    for (size_t d = 0; d < op.at.size(); d++) {
      Term k = b.term(op.at[d]);
      inside = and_(inside, all_of({le(b.term(i64_const(0)), k), lt(k, b.term(acc.space[d]))}));
    }
    If guarded;
    guarded.cond = inside.atom;
    guarded.then_ = b.body([&] { return std::vector<Atom>{b.index("v_adj", adjoints[i], op.at)}; });
    guarded.else_ = b.body([&] { return std::vector<Atom>{b.zero(p.type(op.values[i]))}; });
    scope.adjoints.add(op.values[i], b.bind1("v_adj", std::move(guarded)));
  }
}

}  // namespace raido::ad
