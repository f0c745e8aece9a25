// lane_sums.cc - see lane_sums.h.
#include "passes/memory/lane_sums.h"

#include <algorithm>

#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"
#include "compiler/ir/visit.h"

namespace raido {

using namespace ir;

bool LaneSums::follow(Var state, const Atom& result) {
  auto type = std::get_if<ArrayType>(&p_.type(state));
  if (!type || type->elem == Scalar::F16 || type->elem == Scalar::Bool) return false;
  Chain c;
  c.add(state);
  if (!body(c, body_) || !c.has(result) || c.order.size() == 1) return false;
  size_t all = 0;
  for (Var v : c.order) all += uses_.of(v);
  if (all != c.uses + 1) return false;                  // one more: the result
  for (Var v : c.order) {
    if (std::get<ArrayType>(p_.type(v)).place->block != type->place->block) return false;
    arrays_.insert(v);
  }
  states_.push_back(state);
  places_.push_back(type);
  return true;
}
size_t LaneSums::first_use() const {
  size_t k = 0;
  auto uses = [&](const Stm& s) { return std::ranges::any_of(states_, [&](Var v) { return count_uses(p_, s, v) != 0; }); };
  while (k < body_.stms.size() && !uses(body_.stms[k])) k++;
  return k;
}

bool LaneSums::body(Chain& c, const Body& b) const {
  for (const Stm& s : b.stms) if (!statement(c, b, s)) return false;
  return true;
}
// Whether an array of the chain goes on as one. Uses that are not counted here are others.
bool LaneSums::statement(Chain& c, const Body& b, const Stm& s) const {
  if (auto x = std::get_if<Update>(&s.exp); x && c.has(x->array)) {
    if (!adds(c, b, *x)) return false;
    c.uses += 2;                                        // with the read
    c.add(s.pattern[0].var);
  } else if (auto loop = std::get_if<For>(&s.exp)) {
    std::vector<size_t> on;
    for (size_t k = 0; k < loop->init.size(); k++)
      if (c.has(loop->init[k])) { c.uses++; c.add(loop->state[k].var); on.push_back(k); }
    if (!body(c, loop->body)) return false;
    for (size_t k : on) {
      if (!c.has(loop->body.result[k])) return false;
      c.uses++;
      c.add(s.pattern[k].var);
    }
  } else if (auto branch = std::get_if<If>(&s.exp)) {
    if (!body(c, branch->then_) || !body(c, branch->else_)) return false;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      if (!c.has(branch->then_.result[k]) || !c.has(branch->else_.result[k])) continue;
      c.uses += 2;
      c.add(s.pattern[k].var);
    }
  }
  return true;
}
// The new value of the element is the old one, read in the same body, and something else, and nobody else has these two.
bool LaneSums::adds(const Chain& c, const Body& b, const Update& x) const {
  auto value = var_of(x.value);
  auto is_element = [](const Selector& at) { return std::holds_alternative<Atom>(at); };
  if (!value || x.in_place || !std::ranges::all_of(x.at, is_element) || !is_scalar(p_.type(*value)) || uses_.of(*value) != 1) return false;
  const Apply* sum = nullptr;
  for (const Stm& s : b.stms)
    if (auto op = std::get_if<Apply>(&s.exp); op && s.pattern[0].var == *value && op->op == ScalarOp::add) sum = op;
  if (!sum) return false;
  for (const Stm& s : b.stms) {
    auto read = std::get_if<Index>(&s.exp);
    if (!read || read->array != x.array || read->at != x.at) continue;
    Var old = s.pattern[0].var;
    return c.has(read->array) && std::ranges::count(sum->args, Atom(old)) == 1 && uses_.of(old) == 1;
  }
  return false;
}

}  // namespace raido
