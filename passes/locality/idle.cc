// idle.cc - what a nest keeps after its sums were taken out: accumulators that nobody updates, maps that hand rows over.
#include "passes/locality/idle.h"

#include <algorithm>

#include "compiler/ir/rewrite.h"

namespace raido {
using namespace ir;
namespace {

bool is_updated(const Body& b, Var token, const Program& p) {
  bool found = false;
  each_stm(b, [&](const Stm& s) {
    auto u = std::get_if<AccUpdate>(&s.exp);
    found |= u && std::get<AccType>(p.type(u->acc)).token == token;
  });
  return found;
}

//   let ys = map n \x -> x [sums]   ==>   sums
// where they are nobody else's.
void hand_over(const Program& p, Stm& s, Screma& map, VarSet& sums, Subst& results) {
  for (size_t k = s.pattern.size(); k-- > 0;) {
    auto param = std::ranges::find_if(map.pre.params, [&](Bind y) { return Atom(y.var) == map.pre.body.result[k]; });
    if (param == map.pre.params.end()) continue;
    Var from = map.inputs[size_t(param - map.pre.params.begin())];
    if (!sums.contains(from) || !is_array(p.type(from))) continue;
    sums.erase(from);
    results.emplace(s.pattern[k].var, from);
    s.pattern.erase(s.pattern.begin() + ptrdiff_t(k));
    map.pre.body.result.erase(map.pre.body.result.begin() + ptrdiff_t(k));
  }
}
void drop_idle(Program& p, Body& whole, VarSet& sums) {
  rewrite(p, whole, [&](Builder& b, Stm& s, Subst& results) {
    if (auto tile = std::get_if<Seg>(&s.exp); tile && tile->level == SegLevel::Tile)
      for (Bind y : s.pattern) sums.insert(y.var);
    if (auto turned = std::get_if<Permute>(&s.exp); turned && sums.contains(turned->array)) sums.insert(s.pattern[0].var);
    auto map = std::get_if<Screma>(&s.exp);
    for (size_t k = 0; map && k < map->inputs.size(); k++) if (sums.contains(map->inputs[k])) sums.insert(map->pre.params[k].var);
    walk_parts(s, [&](Body& part) { drop_idle(p, part, sums); });
    if (map && is_map(*map)) hand_over(p, s, *map, sums, results);
    auto w = std::get_if<WithAcc>(&s.exp);
    if (!w) return false;
    for (size_t k = w->dests.size(), first = s.pattern.size(); k-- > 0;) {
      first = 0;
      for (size_t i = 0; i < k; i++) first += w->dests[i].arrays.size();
      Var token = w->scope.params[k].var;
      if (is_updated(w->scope.body, token, p)) continue;
      drop_accumulators(p, w->scope.body, [&](const AccType& t) { return t.token == token; });
      size_t n = w->dests[k].arrays.size();
      for (size_t i = 0; i < n; i++) results.emplace(s.pattern[first + i].var, w->dests[k].arrays[i]);
      s.pattern.erase(s.pattern.begin() + ptrdiff_t(first), s.pattern.begin() + ptrdiff_t(first + n));
      w->scope.body.result.erase(w->scope.body.result.begin() + ptrdiff_t(k));
      w->scope.params.erase(w->scope.params.begin() + ptrdiff_t(w->dests.size() + k));
      w->scope.params.erase(w->scope.params.begin() + ptrdiff_t(k));
      w->dests.erase(w->dests.begin() + ptrdiff_t(k));
    }
    if (!w->dests.empty()) return false;
    for (size_t k = 0; k < s.pattern.size(); k++) results.emplace(s.pattern[k].var, w->scope.body.result[k]);
    for (Stm& inner : w->scope.body.stms) inner.checks.insert(inner.checks.end(), s.checks.begin(), s.checks.end());
    b.emit_all(std::move(w->scope.body.stms));
    return true;
  });
}
}  // namespace

void drop_idle(Program& p, Body& whole) {
  VarSet sums;
  drop_idle(p, whole, sums);
}

}  // namespace raido
