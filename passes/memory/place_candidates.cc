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

// Moves what the checks of updates and the sizes of concatenations are made of before the creation of the value, or of the first part. It must
// be scalars that do not depend on that.
void checks_and_sizes_first(const Program& p, Origins& origins, std::vector<std::unique_ptr<Stm>>& stms, uint32_t depth) {
  Definitions made;                                         // before the statement
  for (size_t t = 0; t < stms.size(); t++) {
    auto end = stms.begin() + ptrdiff_t(t);
    auto creator_of = [&](const Atom& a) {
      Var v = origins.of(origins.before_reshape(a, depth).value_or(a), depth);
      return std::find_if(stms.begin(), end, [&](const auto& s) { return s.get() == made.of(v); });
    };
    auto move_before = [&](auto creator, const std::vector<Var>& wanted) {
      std::unordered_set<const Stm*> later, moved;
      for (auto s = creator; s != end; s++) later.insert(s->get());
      bool possible = creator != end;
      auto needs = [&](Var y, auto& self) -> void {
        auto s = made.of(y);
        if (!s || !later.contains(s) || !moved.insert(s).second) return;
        possible = possible && is_scalar_work(p, *s);
        each_use(p, *s, [&](Var z) { self(z, self); });
      };
      for (Var c : wanted) needs(c, needs);
      if (possible) std::stable_partition(creator, end, [&](const auto& s) { return moved.contains(s.get()); });
    };
    const Stm& s = *stms[t];
    if (auto x = std::get_if<Update>(&s.exp); x && is_array(p, x->value) && !s.checks.empty()) move_before(creator_of(x->value), s.checks);
    if (auto x = std::get_if<Concat>(&s.exp)) {
      auto first = end;
      for (Var v : x->arrays) first = std::min(first, creator_of(v));
      std::vector<Var> sizes;
      for (const Dim& d : shape_of(p.type(s.pattern[0].var))) if (auto n = var_of(d)) sizes.push_back(*n);
      move_before(first, sizes);
    }
    made.add(s);
  }
}

}  // namespace

Candidates find_candidates(const Program& p, Origins& origins, Body& b, uint32_t depth) {
  Candidates out;
  out.stms = b.stms.take();
  out.result = b.result;
  checks_and_sizes_first(p, origins, out.stms, depth);
  for (size_t k = 0; k < out.stms.size(); k++) {
    const Stm& s = *out.stms[k];
    out.uses.push_back(free_vars(p, s));
    for (Bind v : s.pattern) {
      out.made.insert(v.var);
      if (!is_array(p, v.var)) continue;
      auto update = std::get_if<Update>(&s.exp);
      auto before = update ? out.started_as.find(update->array) : out.started_as.end();
      out.started_as[v.var] = before != out.started_as.end() ? before->second : origins.of(v.var, depth);
    }
    auto copies = [&](const Atom& a, size_t part) {
      if (!is_array(p, a)) return;
      Var v = origins.of(origins.before_reshape(a, depth).value_or(a), depth);
      if (!out.made.contains(v) || !origins.creates(v)) return;
      auto [found, fresh] = out.consumer.try_emplace(v, Candidates::Consumer{k, part});
      if (!fresh) found->second.several = true;
    };
    if (auto x = std::get_if<Update>(&s.exp)) copies(x->value, 0);
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
