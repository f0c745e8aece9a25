// block_aliases.cc - see block_aliases.h.
#include "passes/memory/block_aliases.h"

#include "compiler/ir/calling.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/visit.h"

namespace raido {

using namespace ir;

void BlockAliases::find(const Body& b) {
  auto add = [&](const Atom& a) { if (auto v = var_of(a); v && is_block(p_.type(*v))) aliased_.insert(*v); };
  for (const Stm& s : b.stms) {
    if (std::holds_alternative<Alloc>(s.exp)) allocated_.insert(s.pattern[0].var);
    else for (Bind v : s.pattern) add(Atom(v.var));
    if (auto x = std::get_if<For>(&s.exp)) std::ranges::for_each(x->state, [&](Bind v) { bind(v); });
    if (auto x = std::get_if<While>(&s.exp)) {
      std::ranges::for_each(x->state, [&](Bind v) { bind(v); });
      std::ranges::for_each(x->cond.params, [&](Bind v) { bind(v); });
    }
    if (auto x = std::get_if<For>(&s.exp)) find_apart(*x);
    if (auto x = std::get_if<For>(&s.exp)) std::ranges::for_each(x->init, add);
    if (auto x = std::get_if<While>(&s.exp)) std::ranges::for_each(x->init, add);
    walk_parts(s, [&](const Body& inner) {
      find(inner);
      std::ranges::for_each(inner.result, add);
    });
    if (auto x = std::get_if<For>(&s.exp)) for (Bind v : x->state) add(Atom(v.var));
    if (auto x = std::get_if<While>(&s.exp)) for (Bind v : x->state) add(Atom(v.var));
    for (Bind v : s.pattern) bind(v);
  }
}

// Two states are apart if they begin apart and each iteration keeps them so, as buffers that take turns do. Assumes that all are, and gives
// up a pair that an iteration makes one, until nothing changes.
void BlockAliases::find_apart(const For& loop) {
  std::vector<size_t> blocks;
  for (size_t k = 0; k < loop.state.size(); k++) if (is_block(p_.type(loop.state[k].var))) blocks.push_back(k);
  auto state = [&](size_t k) { return loop.state[k].var; };
  auto is_state = [&](Var v) { return std::ranges::any_of(blocks, [&](size_t k) { return state(k) == v; }); };
  std::set<std::pair<Var, Var>> apart;
  for (size_t i : blocks)
    for (size_t j : blocks) {
      auto x = var_of(loop.init[i]), y = var_of(loop.init[j]);
      if (i < j && x && y && !may_be_one(*x, *y)) apart.insert(std::minmax(state(i), state(j)));
    }
  auto stay = [&](size_t i, size_t j) {
    auto x = var_of(loop.body.result[i]), y = var_of(loop.body.result[j]);
    return x && y && is_state(*x) && is_state(*y) && apart.contains(std::minmax(*x, *y));
  };
  for (bool again = true; again;) {
    again = false;
    for (size_t i : blocks)
      for (size_t j : blocks)
        if (i < j && apart.contains(std::minmax(state(i), state(j))) && !stay(i, j)) {
          apart.erase(std::minmax(state(i), state(j)));
          again = true;
        }
  }
  apart_.merge(apart);
}

}  // namespace raido
