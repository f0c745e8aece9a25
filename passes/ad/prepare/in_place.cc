// in_place.cc - see in_place.h.
#include "passes/ad/prepare/in_place.h"

#include <algorithm>

#include "passes/ad/prepare/scatters.h"

namespace raido::ad {

using namespace ir;

namespace {

// The first version of `a` in the body: a variable that the body does not bind.
std::optional<Var> root(const Program& p, const Body& body, const Atom& a) {
  auto v = var_of(a);
  if (!v || !is_array(p.type(*v))) return {};
  Var at = *v;
  for (size_t k = body.stms.size(); k-- > 0;) {
    const Stm& s = body.stms[k];
    for (size_t r = 0; r < s.pattern.size(); r++) {
      if (s.pattern[r].var != at) continue;
      auto before = earlier_version(p, s, r);
      if (!before) return {};
      at = *before;
      break;
    }
  }
  return at;
}

}  // namespace

std::vector<size_t> updated_state(const Program& p, const For& loop) {
  std::vector<size_t> out;
  VarSet state;
  for (Bind x : loop.state) state.insert(x.var);
  for (size_t k = 0; k < loop.state.size(); k++) {
    Var x = loop.state[k].var;
    if (!is_array(p.type(x)) || root(p, loop.body, loop.body.result[k]) != x) continue;
    if (std::ranges::all_of(shape_of(p.type(x)), [&](const Dim& d) { return !var_of(d) || !state.contains(*var_of(d)); })) out.push_back(k);
  }
  return out;
}

std::optional<Var> earlier_version(const Program& p, const Stm& s, size_t k) {
  if (!is_array(p.type(s.pattern[k].var))) return {};
  return match(s.exp, [&](const Copy& x) -> std::optional<Var> { return x.array; },
               [&](const Update& x) -> std::optional<Var> { return x.array; },
               [&](const Identity& x) -> std::optional<Var> { return *var_of(x.value); },
               [&](const Reshape& x) -> std::optional<Var> { return x.array; },
               [&](const If& x) -> std::optional<Var> {
                 auto a = root(p, x.then_, x.then_.result[k]), b = root(p, x.else_, x.else_.result[k]);
                 if (!a || a != b || shape_of(p.type(*a)) != shape_of(p.type(s.pattern[k].var))) return {};
                 return a;
               },
               [&](const For& x) -> std::optional<Var> {
                 std::vector<size_t> updated = updated_state(p, x);
                 if (std::ranges::find(updated, k) == updated.end()) return {};
                 return *var_of(x.init[k]);
               },
               [&](const WithAcc& x) -> std::optional<Var> {
                 if (k > 0 || x.dests.size() != 1 || x.dests[0].arrays.size() != 1 || !scatter(p, x)) return {};
                 return x.dests[0].arrays[0];
               },
               [](const auto&) -> std::optional<Var> { return {}; });
}

}  // namespace raido::ad
