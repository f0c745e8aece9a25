// place_candidates.cc - see place_candidates.h.
#include "passes/memory/place_candidates.h"

#include <algorithm>
#include <unordered_set>

namespace raido::placement {
namespace {

bool is_array(const Program& p, const Atom& a) { return var_of(a) && ir::is_array(p.type(*var_of(a))); }
bool is_scalar_work(const Program& p, const Stm& s) {
  return kind_of(s.exp) == Kind::Check || kind_of(s.exp) == Kind::Step || (is_view(s.exp) && !ir::is_array(p.type(s.pattern[0].var)));
}

// Moves the checks of updates, and what they are made of, before the creation of the value. They must be scalars that do not depend on
// it.
void checks_first(const Program& p, Origins& origins, std::vector<std::unique_ptr<Stm>>& stms, uint32_t depth) {
  Definitions made;                                         // before the statement
  for (size_t t = 0; t < stms.size(); t++) {
    auto x = std::get_if<Update>(&stms[t]->exp);
    if (x && is_array(p, x->value) && !stms[t]->checks.empty()) {
      auto end = stms.begin() + ptrdiff_t(t);
      Var v = origins.of(origins.before_reshape(*x, depth).value_or(x->value), depth);
      auto creator = std::find_if(stms.begin(), end, [&](const auto& s) { return s.get() == made.of(v); });
      std::unordered_set<const Stm*> later, moved;
      for (auto s = creator; s != end; s++) later.insert(s->get());
      bool possible = creator != end;
      auto needs = [&](Var y, auto& self) -> void {
        auto s = made.of(y);
        if (!s || !later.contains(s) || !moved.insert(s).second) return;
        possible = possible && is_scalar_work(p, *s);
        each_use(p, *s, [&](Var z) { self(z, self); });
      };
      for (Var c : stms[t]->checks) needs(c, needs);
      if (possible) std::stable_partition(creator, end, [&](const auto& s) { return moved.contains(s.get()); });
    }
    made.add(*stms[t]);
  }
}

}  // namespace

Candidates find_candidates(const Program& p, Origins& origins, Body& b, uint32_t depth) {
  Candidates out;
  out.stms = b.stms.take();
  out.result = b.result;
  checks_first(p, origins, out.stms, depth);
  for (size_t k = 0; k < out.stms.size(); k++) {
    const Stm& s = *out.stms[k];
    out.uses.push_back(free_vars(p, s));
    for (Bind v : s.pattern) out.made.insert(v.var);
    auto copies = [&](const Atom& a, size_t part) {
      if (!is_array(p, a)) return;
      Var v = origins.of(a, depth);
      if (!out.made.contains(v) || !origins.creates(v)) return;
      auto [found, fresh] = out.consumer.try_emplace(v, Candidates::Consumer{k, part});
      if (!fresh) found->second.several = true;
    };
    if (auto x = std::get_if<Update>(&s.exp)) copies(origins.before_reshape(*x, depth).value_or(x->value), 0);
    if (auto x = std::get_if<Concat>(&s.exp)) for (size_t i = 0; i < x->arrays.size(); i++) copies(x->arrays[i], i);
    if (auto x = std::get_if<ArrayLit>(&s.exp)) for (size_t i = 0; i < x->elements.size(); i++) copies(x->elements[i], i);
  }
  return out;
}
void want_result(Candidates& c, Origins& origins, const Atom& result, const Place& where, uint32_t depth) {
  Var v = origins.of(result, depth);
  if (c.made.contains(v) && origins.creates(v)) c.result_place.emplace(v, where);
}

}  // namespace raido::placement
