// scatters.cc - recognises and makes scatters (scatters.h).
#include "passes/ad/prepare/scatters.h"

#include <algorithm>

#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"

namespace raido::ad {

using namespace ir;

std::optional<Scatter> scatter(const Program& p, const WithAcc& op) {
  size_t n = op.dests.size();
  auto space = [&](const Dest& d) {
    std::vector<Dim> shape = shape_of(p.type(d.arrays[0]));
    shape.resize(size_t(d.rank));
    return shape;
  };
  for (const Dest& d : op.dests) if (d.combine || space(d) != space(op.dests[0])) return {};
  std::vector<Var> accs;
  for (size_t k = n; k < 2 * n; k++) accs.push_back(op.scope.params[k].var);
  auto uses = [&](const Stm& s) {
    size_t found = 0;
    each_use(p, s, [&](Var v) { found += size_t(std::ranges::count(accs, v)); });
    return found;
  };
  const Screma* map = nullptr;
  Scatter out{};
  for (size_t k = 0; k < op.scope.body.stms.size(); k++) {
    const Stm& s = op.scope.body.stms[k];
    if (!uses(s)) continue;
    map = std::get_if<Screma>(&s.exp);
    out.map = k;
    if (!map || !is_map(*map) || uses(s) != n || s.pattern.size() < n) return {};
    for (size_t d = 0; d < n; d++)
      if (op.scope.body.result[d] != Atom(s.pattern[s.pattern.size() - n + d].var)) return {};
  }
  if (!map) return {};
  for (Var& acc : accs) {
    auto input = std::ranges::find(map->inputs, acc);
    if (input == map->inputs.end()) return {};
    acc = map->pre.params[size_t(input - map->inputs.begin())].var;
  }
  const std::vector<Atom>* at = nullptr;
  const Body& body = map->pre.body;
  for (size_t k = 0; k < body.stms.size(); k++) {
    const Stm& s = body.stms[k];
    if (!uses(s)) continue;
    auto update = std::get_if<AccUpdate>(&s.exp);
    if (!update || (at && *at != update->at) ||
        std::ranges::find(body.result.end() - ptrdiff_t(n), body.result.end(), Atom(s.pattern[0].var)) == body.result.end()) return {};
    at = &update->at;
    out.updates.push_back(k);
  }
  if (out.updates.size() != n) return {};
  return out;
}

namespace {

bool compares(const Dim& width) {
  auto n = const_of(width);
  return n && n->as_i64() <= costs::ad::compared_places;
}

}  // namespace

bool goes_back_in_order(const Activity& act, const Stm& s, const WithAcc& op) {
  if (act.context.target != Target::Sequential || act.mode.enclosed || has_attr(s.attrs, "distinct")) return false;
  auto found = scatter(act.functions.program, op);
  if (!found) return false;
  const Screma& map = std::get<Screma>(op.scope.body.stms[found->map].exp);
  return !compares(map.width) && std::ranges::any_of(found->updates, [&](size_t k) {
    const auto& values = std::get<AccUpdate>(map.pre.body.stms[k].exp).values;
    return std::ranges::any_of(values, [&](const Atom& v) { return act.varied(v); });
  });
}

std::vector<Var> scatter_indices(Builder& b, const WithAcc& op) {
  // The scope without the accumulators gives the indices; what follows the map only hands on the accumulators.
  Scatter found = *scatter(b.program, op);
  Lambda scope = clone(b.program, op.scope);
  for (auto& item : scope.body.stms.take()) {
    if (found.map-- > 0) {
      b.emit(std::move(item));
      continue;
    }
    Screma& x = std::get<Screma>(item->exp);
    Body& body = x.pre.body;
    body.result = std::get<AccUpdate>(body.stms[found.updates[0]].exp).at;
    body.stms.filter_backwards([](const Stm& inner) { return !std::holds_alternative<AccUpdate>(inner.exp); });
    for (size_t k = x.inputs.size(); k-- > 0;) {
      if (!is_acc(b.program.type(x.inputs[k]))) continue;
      x.inputs.erase(x.inputs.begin() + ptrdiff_t(k));
      x.pre.params.erase(x.pre.params.begin() + ptrdiff_t(k));
    }
    return b.bind("at", std::move(x));
  }
  PANIC("a scatter without its map");
}

WithAcc scatter_of(Builder& b, const std::vector<Var>& arrays, const Dim& width, const std::vector<Var>& indices, const std::vector<Var>& values) {
  Program& p = b.program;
  WithAcc out;
  std::vector<Var> accs;
  for (Var v : arrays) {
    out.dests.push_back({{v}, int(indices.size()), {}, Conflict::Unknown});
    out.scope.params.push_back({p.fresh("t", CheckType{})});
    accs.push_back(p.fresh("acc", dest_type(p, out.dests.back(), out.scope.params.back().var)));
  }
  for (Var acc : accs) out.scope.params.push_back({acc});
  out.scope.body = b.body([&] {
    std::vector<Var> inputs = indices;
    inputs.insert(inputs.end(), values.begin(), values.end());
    inputs.insert(inputs.end(), accs.begin(), accs.end());
    Builder::Params elements;
    for (Var v : inputs) elements.push_back({p.hint(v), row_type(p.type(v))});
    size_t k = arrays.size(), rank = indices.size();
    Lambda f = b.lambda(elements, [&](const std::vector<Var>& x) {
      std::vector<Atom> at(x.begin(), x.begin() + ptrdiff_t(rank)), done;
      for (size_t i = 0; i < k; i++) done.push_back(b.bind1("acc", AccUpdate{x[rank + k + i], at, {x[rank + i]}}));
      return done;
    });
    std::vector<Var> done = b.map("acc", width, std::move(f), inputs);
    return std::vector<Atom>(done.begin(), done.end());
  });
  return out;
}

Var each_place_once(Builder& b, const std::vector<Dim>& shape, const Dim& width, const std::vector<Var>& indices) {
  bool compared = compares(width);
  Var is = b.iota(width);
  std::vector<Var> all = indices;
  all.push_back(is);
  Builder::Params elements(all.size(), {"at", scalar_type(Scalar::I64)});
  std::optional<Var> last;
  if (!compared) {
    Var scratch = b.bind1("last", Scratch{Scalar::I64, shape});
    last = b.bind1("last", scatter_of(b, {scratch}, width, indices, {is}));
  }
  Lambda f = b.lambda(elements, [&](const std::vector<Var>& row) {
    std::vector<Var> at(row.begin(), row.end() - 1);
    auto if_last = [&](const Atom& j) { return select({eq(b.term(j), b.term(row.back())), b.term(at[0]), b.term(i64_atom(-1))}).atom; };
    if (compared) {
      Lambda g = b.lambda(elements, [&](const std::vector<Var>& other) {
        Term same = eq(b.term(at[0]), b.term(other[0]));
        for (size_t d = 1; d < at.size(); d++) same = and_(same, eq(b.term(at[d]), b.term(other[d])));
        return std::vector<Atom>{select({same, b.term(other.back()), b.term(i64_atom(-1))}).atom};
      });
      Var twins = b.map("twins", width, std::move(g), all)[0];
      return std::vector<Atom>{if_last(b.reduce("last", width, b.combine(ScalarOp::max, Scalar::I64, -1), {twins})[0])};
    }
    If inside{is_inside(b, shape, {at.begin(), at.end()}).atom, {}, {{}, {i64_atom(-1)}}};
    inside.then_ = b.body([&] { return std::vector<Atom>{if_last(b.index("last", *last, {at.begin(), at.end()}))}; });
    return std::vector<Atom>{b.bind1("at", std::move(inside))};
  });
  return b.map("at", width, std::move(f), all)[0];
}

Term is_inside(Builder& b, const std::vector<Dim>& shape, const std::vector<Atom>& at) {
  Term inside = b.term(bool_const(true));
  for (size_t d = 0; d < at.size(); d++) {
    Term not_below = le(b.term(i64_const(0)), b.term(at[d])), not_above = lt(b.term(at[d]), b.term(shape[d]));
    inside = and_(inside, and_(not_below, not_above));
  }
  return inside;
}

}  // namespace raido::ad
