// defs.cc - the tables of defs.h.
#include "compiler/ir/analysis/defs.h"

#include <algorithm>

namespace raido::ir {

void Definitions::add(const Stm& s) {
  for (Bind x : s.pattern) made_by_[x.var] = &s;
  auto note = [&](const std::vector<Bind>& state) { for (size_t k = 0; k < state.size(); k++) states_[state[k].var] = {&s, k}; };
  if (auto loop = std::get_if<For>(&s.exp)) note(loop->state);
  if (auto loop = std::get_if<While>(&s.exp)) note(loop->state);
}
bool binds(const Stm& s, const Atom& a) {
  return std::ranges::any_of(s.pattern, [&](Bind x) { return a == Atom(x.var); });
}
size_t number_of(const Stm& s, Var result) {
  auto found = std::ranges::find(s.pattern, result, &Bind::var);
  CHECK(found != s.pattern.end(), "a statement does not bind its variable");
  return size_t(found - s.pattern.begin());
}

Depths::Depths(const Program& p) {
  add(p.constants, 0);
  for (const Function& f : p.functions) {
    for (Bind b : f.lambda.params) depth_[b.var] = 1;
    add(f.lambda.body, 1);
  }
}
void Depths::add(const Body& b, uint32_t depth) {
  for (const Stm& s : b.stms) {
    for (Bind v : s.pattern) depth_[v.var] = depth;
    walk(s.exp, overloaded{[&](const Bind& v) { depth_[v.var] = depth + 1; },
                           [&](const Lambda& l) {
                             for (Bind v : l.params) depth_[v.var] = depth + 1;
                             add(l.body, depth + 1);
                           },
                           [&](const Body& inner) { add(inner, depth + 1); }});
  }
}

LastUses::LastUses(const Program& p, const List<Stm>& stms, const std::vector<Atom>& after) {
  for (size_t k = 0; k < stms.size(); k++) each_use(p, stms[k], [&](Var v) { last_[v] = k + 1; });
  each_use(p, after, [&](Var v) { last_[v] = stms.size() + 1; });
}

void keep_needed(const Program& p, Body& b) {
  VarSet needed;
  auto need = [&](Var v) { needed.insert(v); };
  each_use(p, b.result, need);
  b.stms.filter_backwards([&](Stm& s) {
    if (std::ranges::none_of(s.pattern, [&](Bind v) { return needed.contains(v.var); })) return false;
    if (auto x = std::get_if<If>(&s.exp)) for (Body* part : {&x->then_, &x->else_}) keep_needed(p, *part);
    each_use(p, s, need);
    return true;
  });
}

}  // namespace raido::ir
