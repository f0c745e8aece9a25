// screma_rules.cc - inputs, outputs and closed forms of map, reduce and scan (A8 to A13).
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "passes/simplify/simplify.h"

namespace raido::simplification {
namespace {

using namespace ir;

// an input that is a replicate   ==>   a free variable                                                 [A8.replicate]
Rewrite replicated_input(Site& s, Screma& x) {
  for (size_t i = 0; i < x.inputs.size(); i++) {
    auto r = s.definition<Replicate>(x.inputs[i]);
    Var row = x.pre.params[i].var;
    if (!r || s.consumed.contains(row) || !s.lasts(r->value)) continue;
    Subst value;
    Body body = std::move(x.pre.body);
    List<Stm> old = std::move(body.stms);
    body.stms = {};
    Builder b(s.p, body.stms);
    value.emplace(row, b.replicate({r->shape.begin() + 1, r->shape.end()}, r->value));
    for (auto& item : old.take()) { substitute(s.p, *item, value); b.emit(std::move(item)); }
    substitute(s.p, body.result, value);
    x.pre.body = std::move(body);
    x.pre.params.erase(x.pre.params.begin() + i64(i));
    x.inputs.erase(x.inputs.begin() + i64(i));
    return changed();
  }
  return no;
}
// equal inputs   ==>   one                                                                             [A8.duplicate]
Rewrite duplicate_inputs(Site& s, Screma& x) {
  for (size_t i = 0; i < x.inputs.size(); i++)
    for (size_t j = i + 1; j < x.inputs.size(); j++) {
      if (x.inputs[i] != x.inputs[j] || !is_array(s.p.type(x.inputs[i]))) continue;
      Var a = x.pre.params[i].var, b = x.pre.params[j].var;
      if (s.consumed.contains(a) || s.consumed.contains(b)) continue;
      Subst same;
      same.emplace(b, a);
      substitute(s.p, x.pre.body, same);
      x.pre.params.erase(x.pre.params.begin() + i64(j));
      x.inputs.erase(x.inputs.begin() + i64(j));
      return changed();
    }
  return no;
}
// let ys = map n \.. { in .., v, .. } with v from outside   ==>   ys = replicate n v                   [A9.invariant]
// let ys = map n \x -> x [xs]   ==>   ys = xs; likewise what a reduction maps beside                   [A9.identity]
Rewrite trivial_outputs(Site& s, Screma& x) {
  if (!is_map(x) && !is_redomap(x)) return no;
  const VarSet inside = bound_in(x.pre);
  std::vector<Atom> values(x.pre.body.result.size());
  std::vector<bool> known(values.size());
  bool any = false;
  const size_t reduced = width_of(x.reduces);
  for (size_t i = reduced; i < values.size(); i++) {
    const Atom& r = x.pre.body.result[i];
    auto v = var_of(r);
    Var y = s.stm.pattern[i].var;
    if (!is_array(s.p.type(y))) continue;
    if (!v || !inside.contains(*v)) {
      values[i] = s.b.replicate({x.width}, r);
      known[i] = any = true;
      continue;
    }
    for (size_t k = 0; k < x.pre.params.size(); k++)
      if (x.pre.params[k].var == *v && !s.consumed.contains(y) && !s.consumed.contains(x.inputs[k])) {
        values[i] = x.inputs[k];
        known[i] = any = true;
      }
  }
  if (!any) return no;
  Screma rest = std::move(x);
  size_t kept = 0;
  for (size_t i = 0; i < known.size(); i++)
    if (!known[i]) rest.pre.body.result[kept++] = rest.pre.body.result[i];
  rest.pre.body.result.resize(kept);
  if (kept == 0) return values;
  std::vector<Var> made = s.b.bind("y", std::move(rest));
  kept = 0;
  for (size_t i = 0; i < known.size(); i++)
    if (!known[i]) {
      s.p.vars[made[kept].index].hint = s.p.hint(s.stm.pattern[i].var);
      values[i] = made[kept++];
    }
  return values;
}
// map n \i -> xs[i] over iota   ==>   a slice of xs                                                    [A11]
Rewrite gather_of_iota(Site& s, Screma& x) {
  if (!is_map(x) || x.inputs.size() != 1 || x.pre.body.stms.size() != 1 || x.pre.body.result.size() != 1) return no;
  auto iota = s.definition<Iota>(x.inputs[0]);
  const Stm& inner = x.pre.body.stms[0];
  auto index = std::get_if<Index>(&inner.exp);
  if (!iota || !index || !binds(inner, x.pre.body.result[0]) || s.consumed.contains(s.result())) return no;
  if (elem_of(s.p, iota->start) != Scalar::I64 || index->at.size() != 1 || index->at[0] != Selector(Atom(x.pre.params[0].var)))
    return no;
  bool outside = index->array != x.pre.params[0].var;
  for (Var c : inner.checks) { bool bound = false; each_bind(x.pre, [&](Var v) { bound = bound || v == c; }); outside = outside && !bound; }
  if (!outside || s.consumed.contains(index->array)) return no;
  return s.b.bind1(s.p.hint(s.result()), Index{index->array, {Slice{iota->start, x.width, iota->step}}});
}
// map n \row -> view row [xs]   ==>   the view of xs                                                   [A12]
Rewrite view_of_rows(Site& s, Screma& x) {
  if (!is_map(x) || x.inputs.size() != 1 || x.pre.body.stms.size() != 1 || x.pre.body.result.size() != 1) return no;
  const Stm& inner = x.pre.body.stms[0];
  if (!binds(inner, x.pre.body.result[0]) || s.consumed.contains(s.result()) || s.consumed.contains(x.inputs[0])) return no;
  Var row = x.pre.params[0].var, xs = x.inputs[0];
  if (auto p = std::get_if<Permute>(&inner.exp); p && p->array == row) {
    std::vector<int> dims = {0};
    for (int d : p->dims) dims.push_back(d + 1);
    return s.b.permute(xs, dims);
  }
  if (auto r = std::get_if<Reshape>(&inner.exp); r && r->array == row && is_array(s.p.type(row))) {
    std::vector<Dim> shape = {x.width};
    shape.insert(shape.end(), r->shape.begin(), r->shape.end());
    bool free = true;
    for (const Dim& d : r->shape) if (auto v = var_of(d)) each_bind(x.pre, [&](Var b) { free = free && b != *v; });
    if (free) return s.b.bind1(s.p.hint(s.result()), Reshape{xs, shape});
  }
  return no;
}
// screma of width 0   ==>   neutral elements and empty arrays; reduce of one element   ==>   itself    [A10]
Rewrite no_iterations(Site& s, Screma& x) {
  if (!is_const(x.width, 0)) return no;
  std::vector<Atom> values;
  for (const Combine& c : x.reduces)
    for (const Atom& ne : c.neutral) values.push_back(s.b.replicate(c.shape, ne));
  size_t post_reduced = width_of(x.post_reduces), outputs = s.stm.pattern.size() - values.size() - post_reduced;
  for (size_t i = 0; i < outputs; i++) {
    Var y = s.stm.pattern[values.size()].var;
    if (auto a = std::get_if<ArrayType>(&s.p.type(y))) { values.push_back(s.b.bind1("empty", Scratch{a->elem, a->shape})); continue; }
    return no;                                           // an accumulator or a proof: left to dead code
  }
  for (const Combine& c : x.post_reduces)
    for (const Atom& ne : c.neutral) values.push_back(s.b.replicate(c.shape, ne));
  return values;
}
// two reductions of the same values with the same operator   ==>   one                                  [A13]
Rewrite equal_reductions(Site& s, Screma& x) {
  auto alone = [&](const Combine& c) { return Exp(Screma{i64_const(0), {}, {}, {clone(s.p, c)}, {}, {}, {}, false}); };
  std::vector<Atom>& values = x.pre.body.result;
  for (size_t j = 1, at_j = 0; j < x.reduces.size(); j++) {
    at_j += x.reduces[j - 1].neutral.size();
    const size_t n = x.reduces[j].neutral.size();
    for (size_t i = 0, at_i = 0; i < j; at_i += x.reduces[i++].neutral.size()) {
      auto values_of = [&](size_t at) { return std::span(values).subspan(at, n); };
      if (x.reduces[i].neutral.size() != n || !std::ranges::equal(values_of(at_i), values_of(at_j)) ||
          !alike(s.p, alone(x.reduces[i]), alone(x.reduces[j])))
        continue;
      bool owned = false;                                  // rows that are updated in place later
      for (size_t k = 0; k < n; k++)
        for (size_t at : {at_i, at_j}) owned = owned || s.consumed.contains(s.stm.pattern[at + k].var);
      if (owned) continue;
      std::vector<std::string> hints;
      for (size_t k = 0; k < s.stm.pattern.size(); k++)
        if (k < at_j || k >= at_j + n) hints.push_back(s.p.hint(s.stm.pattern[k].var));
      Screma rest = std::move(x);
      rest.pre.body.result.erase(rest.pre.body.result.begin() + i64(at_j), rest.pre.body.result.begin() + i64(at_j + n));
      rest.reduces.erase(rest.reduces.begin() + i64(j));
      std::vector<Atom> all;
      for (Var v : s.b.bind(hints, std::move(rest))) all.push_back(v);
      const std::vector<Atom> same(all.begin() + i64(at_i), all.begin() + i64(at_i + n));
      all.insert(all.begin() + i64(at_j), same.begin(), same.end());
      return all;
    }
  }
  return no;
}

constexpr Rule<Screma> screma_rules[] = {{"A8.replicate", replicated_input}, {"A8.duplicate", duplicate_inputs},
                                         {"A9", trivial_outputs},           {"A10", no_iterations},
                                         {"A11", gather_of_iota},           {"A12", view_of_rows},
                                         {"A13", equal_reductions}};

}  // namespace

template <> std::span<const Rule<Screma>> rules<Screma>() { return screma_rules; }

}  // namespace raido::simplification
