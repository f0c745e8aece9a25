// values.cc - see values.h.
#include "passes/fusion/values.h"

#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"

namespace raido {
using namespace ir;
namespace {

template <class... X> bool holds(const Exp& e) { return (std::holds_alternative<X>(e) || ...); }

bool calls(const Program& p, const Stm& s) {
  auto call = std::get_if<Apply>(&s.exp);
  bool found = call && is_call(call->op) && is_float(elem_of(p, call->args[0]));
  walk_parts(s, [&](const Body& inner) { for (const Stm& one : inner.stms) found = found || calls(p, one); });
  return found;
}
double most_runs(const Stm& s) {                           // of a statement inside, or of s
  double inner = 1;
  walk_parts(s, [&](const Body& b) { for (const Stm& one : b.stms) inner = std::max(inner, most_runs(one)); });
  return inner * match(s.exp, [](const Screma& x) { return costs::expected(x.width); }, [](const For& x) { return costs::expected(x.n); }, [](const auto&) { return 1.0; });
}

}  // namespace

bool is_compound(const Exp& e) { return holds<Screma, If, For>(e); }

bool is_value(const Program& p, const Stm& s) {
  if (std::ranges::any_of(s.pattern, [&](Bind b) { return !is_scalar(p.type(b.var)) && !is_array(p.type(b.var)); })) return false;
  bool fine = is_compound(s.exp) || holds<Apply, Convert, Index, Reshape, Permute, Copy, Replicate, Iota>(s.exp);
  VarSet own;
  walk_parts(s, [&](const Body& inner) { each_bind(inner, [&](Var v) { own.insert(v); }); });
  if (auto loop = std::get_if<For>(&s.exp)) for (Bind b : loop->state) own.insert(b.var);
  auto check = [&](const Stm& inner) {
    each_consumed(p, inner.exp, [&](Var v) { fine = fine && own.contains(v); });
    fine = fine && !holds<AccUpdate, WithAcc>(inner.exp);
  };
  if (!fine) return false;
  check(s);
  walk_parts(s, [&](const Body& inner) { each_stm(inner, check); });
  return fine;
}

bool runs_often(const Program& p, const Stm& s, Var v) {
  double elements = 1;
  for (const Dim& d : shape_of(p.type(v))) elements *= costs::expected(d);
  return most_runs(s) >= costs::record_trips * elements;
}
bool worth_keeping(const Program& p, const Stm& s, Var v) { return calls(p, s) || runs_often(p, s, v); }

bool is_map(const Stm& s) {
  auto x = std::get_if<Screma>(&s.exp);
  return x && identity_post(*x) && x->post_reduces.empty();
}

std::vector<Stm*> maps_in(Body& b, bool scopes) {
  std::vector<Stm*> maps;
  for (Stm& s : b.stms) {
    auto w = std::get_if<WithAcc>(&s.exp);
    if (w && scopes) for (Stm* inner : maps_in(w->scope.body, scopes)) maps.push_back(inner);
    else if (is_map(s)) maps.push_back(&s);
  }
  return maps;
}

std::vector<Dim> widths_of(const MapPairs& nest) {
  std::vector<Dim> widths;
  for (const MapPair& m : nest) widths.push_back(std::get<Screma>(m.first->exp).width);
  return widths;
}

Var lift(Program& p, const MapPairs& nest, Var v, const std::function<bool(Var)>& consumed) {
  const std::string hint = p.hint(v);
  for (const MapPair& m : reversed(nest)) {
    Screma& map = std::get<Screma>(m.first->exp);
    std::vector<Atom>& results = map.pre.body.result;
    const auto mapped = results.begin() + ptrdiff_t(width_of(map.reduces) + width_of(map.scans));
    size_t k = size_t(std::find(mapped, results.end(), Atom(v)) - results.begin());
    if (k < results.size() && consumed(m.first->pattern[k].var)) k = results.size();
    if (k == results.size()) {
      results.push_back(v);
      m.first->pattern.push_back({p.fresh(hint, lifted(map.width, p.type(v)))});
    }
    v = m.first->pattern[k].var;
  }
  return v;
}

Var lower(Program& p, const MapPairs& nest, Var array, const std::string& hint) {
  for (const MapPair& m : nest) {
    Screma& map = std::get<Screma>(m.second->exp);
    map.inputs.push_back(array);
    array = p.fresh(hint, row_type(p.type(array)));
    map.pre.params.push_back({array});
  }
  return array;
}

Twins::Twins(const Program& p, const Body& b) {
  for (const Stm& s : b.stms) if (is_value(p, s)) by_words_.try_emplace(words_of(p, s.exp), &s);
}
const Stm* Twins::of(Program& p, const Stm& s, const Subst& same) const {
  if (by_words_.empty() || !is_value(p, s)) return nullptr;
  Exp wanted = is_compound(s.exp) ? clone(p, s.exp) : s.exp;
  substitute(p, wanted, same);
  auto found = by_words_.find(words_of(p, wanted));
  return found == by_words_.end() ? nullptr : found->second;
}

}  // namespace raido
