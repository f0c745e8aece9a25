// loop_parts.cc - see loop_parts.h.
#include "backends/kernel/loop_parts.h"

namespace raido::kir {

bool only_computes(const Block& b) {
  for (const Stm& s : b)
    if (!std::holds_alternative<Declare>(s.node) && !std::holds_alternative<Assign>(s.node) && !std::holds_alternative<Store>(s.node)) return false;
  return true;
}
bool computes_or_chooses(const Block& b) {
  for (const Stm& s : b) {
    auto x = std::get_if<If>(&s.node);
    bool stores = std::holds_alternative<Store>(s.node);
    if (!stores && !std::holds_alternative<Declare>(s.node) && !std::holds_alternative<Assign>(s.node) && !x) return false;
    if (!x) continue;
    for (const Block* side : {&x->then_, &x->else_}) {
      if (!computes_or_chooses(*side)) return false;
      for (const Stm& t : *side) if (std::holds_alternative<Store>(t.node)) return false;
    }
  }
  return true;
}

ExprId has_iterations(Module& m, Name base, int64_t iterations, ExprId to) {
  ExprId end = m.add(m.var(base), m.number(iterations));
  return m.prim(ScalarOp::le, {end, to});
}

Stm while_whole(Module& m, Name base, int64_t width, ExprId to, Block strip) {
  strip.push_back({Assign{base, m.add(m.var(base), m.number(width))}});
  return {While{{}, has_iterations(m, base, width, to), std::move(strip)}};
}

For last_iterations(Module& m, const For& loop, Name base) {
  For last = loop;
  last.from = m.var(base);
  return last;
}

void KeptValues::declare_arrays(Block& out) const {
  for (Name n : order_) out.push_back({DeclareArray{array_[n], {m_.number(width_)}}});
}

// A bool lies beside the others as a number of the width that vectors have masks of.
Name KeptValues::array(Name n) {
  if (!array_[n].valid()) {
    const NameInfo info = m_.names[n.index];
    array_[n] = m_.memory(info.text, info.type == Scalar::Bool ? Scalar::I32 : info.type, ir::Space::Host);
    m_.names[array_[n].index].wide = info.wide;
    order_.push_back(n);
  }
  return array_[n];
}

void KeptValues::store(Block& b, Name n, ExprId l) {
  Name a = array(n);
  Scalar kept = m_.names[a.index].type;
  ExprId value = m_.var(n);
  b.push_back({Store{a, l, m_.names[n.index].type == kept ? value : m_.expr({Cast{value}, kept})}});
}

void KeptValues::read(Block& b, Name n, ExprId l) {
  Name a = array(n);
  Scalar t = m_.names[n.index].type, kept = m_.names[a.index].type;
  ExprId value = m_.expr({Load{a, l}, kept});
  if (t != kept) {
    Name number = m_.name(m_.names[n.index].text, kept);
    b.push_back({Declare{number, value}});
    value = m_.expr({Cast{m_.var(number)}, t});
  }
  b.push_back({Declare{n, value}});
}

}  // namespace raido::kir
