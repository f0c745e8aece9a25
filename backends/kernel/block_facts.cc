// block_facts.cc - see block_facts.h.
#include "backends/kernel/block_facts.h"

#include "compiler/ir/calling.h"
#include "compiler/ir/transform.h"

namespace raido::kir {
namespace {

using namespace raido::ir;

bool is_block(const Program& p, const Atom& a) { return var_of(a) && ir::is_block(p.type(*var_of(a))); }

void find_elements(const Program& p, BlockFacts& out) {
  auto& elem = out.elem;
  for (const VarInfo& v : p.vars) {
    auto a = std::get_if<ArrayType>(&v.type);
    if (!a || !a->place) continue;
    for (const Dim& d : a->shape) if (auto n = var_of(d)) out.extents.insert(*n);
    auto& known = elem[a->place->block];
    CHECK(!known || *known == a->elem, "a block holds arrays of {} and of {}", name_of(known.value_or(a->elem)), name_of(a->elem));
    known = a->elem;
  }
  bool changed = true;                       // blocks passed on: one of them may hold no array of its own
  auto same = [&](const Atom& x, const Atom& y) {
    if (!is_block(p, x) || !is_block(p, y)) return;
    const std::optional<Scalar> a = elem[*var_of(x)], b = elem[*var_of(y)];
    if (a && !b) elem[*var_of(y)] = a, changed = true;
    if (b && !a) elem[*var_of(x)] = b, changed = true;
  };
  auto loop = [&](const ir::Stm& s, const auto& x) {
    for (size_t k = 0; k < x.state.size(); k++)
      for (const Atom& other : {x.init[k], x.body.result[k], Atom(s.pattern[k].var)}) same(x.state[k].var, other);
  };
  while (std::exchange(changed, false))
    p.each_body([&](const Body& b) {
      each_stm(b, [&](const ir::Stm& s) {
        if (auto x = std::get_if<ir::For>(&s.exp)) loop(s, *x);
        if (auto x = std::get_if<ir::While>(&s.exp)) loop(s, *x);
        if (auto x = std::get_if<ir::If>(&s.exp))
          for (size_t k = 0; k < s.pattern.size(); k++)
            for (const Atom& other : {x->then_.result[k], x->else_.result[k]}) same(s.pattern[k].var, other);
      });
    });
}

void find_escaping(const Program& p, const Body& b, VarSet& escaping) {
  auto leave = [&](const std::vector<Atom>& atoms) {
    for (const Atom& a : atoms) if (is_block(p, a)) escaping.insert(*var_of(a));
  };
  leave(b.result);
  each_stm(b, [&](const ir::Stm& s) {
    walk_parts(s, [&](const Body& inner) { leave(inner.result); });
    if (auto x = std::get_if<ir::For>(&s.exp)) leave(x->init);
    if (auto x = std::get_if<ir::While>(&s.exp)) leave(x->init);
    if (auto x = std::get_if<ir::Call>(&s.exp)) leave(x->args);
  });
}

}  // namespace

BlockFacts find_block_facts(const Program& p) {
  BlockFacts out;
  find_elements(p, out);
  p.each_body([&](const Body& b) { find_escaping(p, b, out.escaping); });
  for (const ir::Stm& s : p.constants.stms)
    for (Bind b : s.pattern)
      if (is_block(p, b.var)) out.escaping.insert(b.var);
  return out;
}

}  // namespace raido::kir
