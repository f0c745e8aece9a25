// pairs.cc - see pairs.h.
#include "passes/fusion/pairs.h"

#include <algorithm>

#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"

namespace raido {
using namespace ir;

const Pairs::Facts& Pairs::facts(const Stm& s) {
  auto [it, is_new] = facts_.try_emplace(&s);
  if (is_new) {
    VarSet seen;
    each_use(p_, s, [&](Var v) {
      if (seen.contains(v)) return;
      seen.insert(v);
      it->second.uses.push_back(v);
      if (is_array(p_.type(v))) it->second.arrays.push_back(v);
    });
    it->second.consumed = aliases_.consumed(s);
  }
  return it->second;
}
bool Pairs::uses_any(const Stm& s, const VarSet& vars) {
  return std::ranges::any_of(facts(s).uses, [&](Var v) { return vars.contains(v); });
}
bool Pairs::reads_root_of(const Stm& s, Var array) {
  return std::ranges::any_of(facts(s).arrays, [&](Var v) { return aliases_.may_alias(array, v); });
}
bool Pairs::consumes_root_of(const Stm& by, const Stm& reader) {
  return std::ranges::any_of(facts(by).consumed, [&](Var c) { return reads_root_of(reader, c); });
}
const Pairs::Needs& Pairs::needs_of(const Body& b, size_t j, std::optional<Needs>& known) {
  if (known) return *known;
  known.emplace();
  for (Var v : facts(b.stms[j]).uses) known->all.insert(v);
  for (size_t k = j; k-- > 0;) {
    const Stm& s = b.stms[k];
    if (std::ranges::none_of(s.pattern, [&](Bind x) { return known->all.contains(x.var); })) continue;
    for (Var v : facts(s).uses) known->all.insert(v), known->through.insert(v);
  }
  return *known;
}
bool Pairs::makes_any(const Stm& s, const VarSet& vars) {
  return std::ranges::any_of(s.pattern, [&](Bind x) { return vars.contains(x.var); });
}
bool Pairs::movable(Body& b, size_t i, size_t j, std::vector<bool>& later) {
  Stm &p = b.stms[i], &c = b.stms[j];
  for (Var consumed : facts(p).consumed)            // nobody may want to see it afterwards, so nobody between does
    for (size_t k = i + 1; k < j; k++) if (reads_root_of(b.stms[k], consumed)) return false;
  later.assign(j - i, false);
  VarSet from_p;
  for (Bind x : p.pattern) from_p.insert(x.var);
  for (size_t k = i + 1; k < j; k++) {
    Stm& s = b.stms[k];
    if (uses_any(s, from_p)) {
      later[k - i] = true;
      for (Bind x : s.pattern) from_p.insert(x.var);
      if (consumes_root_of(c, s)) return false;
    } else if (consumes_root_of(s, p)) {
      return false;
    } else if (!facts(s).consumed.empty()) {           // it will stand before those that go after c
      for (size_t h = i + 1; h < k; h++) if (later[h - i] && consumes_root_of(s, b.stms[h])) return false;
    }
  }
  VarSet moved;
  for (size_t k = i + 1; k < j; k++)
    if (later[k - i]) for (Bind x : b.stms[k].pattern) moved.insert(x.var);
  return !uses_any(c, moved) && !consumes_root_of(c, p);
}
void Pairs::replace(Body& b, size_t i, size_t j, const std::vector<bool>& later, Stm fused) {
  facts_.erase(&b.stms[i]);
  facts_.erase(&b.stms[j]);
  std::vector<std::unique_ptr<Stm>> old = b.stms.take();
  List<Stm> stms;
  for (size_t k = 0; k < i; k++) stms.push_back(std::move(old[k]));
  for (size_t k = i + 1; k < j; k++) if (!later[k - i]) stms.push_back(std::move(old[k]));
  stms.push_back(std::move(fused));
  for (size_t k = i + 1; k < j; k++) if (later[k - i]) stms.push_back(std::move(old[k]));
  for (size_t k = j + 1; k < old.size(); k++) stms.push_back(std::move(old[k]));
  b.stms = std::move(stms);
}
void Pairs::merge(Stm& into, const Stm& from) {
  for (Var v : from.checks)
    if (std::ranges::find(into.checks, v) == into.checks.end()) into.checks.push_back(v);
  for (const Attr& a : from.attrs)
    if (std::ranges::find(into.attrs, a) == into.attrs.end()) into.attrs.push_back(a);
}
bool Pairs::has_loops(const Body& b) {
  bool found = false;
  each_stm(b, [&](const Stm& s) {
    found = found || std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp) ||
            std::holds_alternative<For>(s.exp) || std::holds_alternative<While>(s.exp);
  });
  return found;
}
bool Pairs::costs_little(const Body& b) const {
  size_t work = 0;
  bool loops = has_loops(b);
  each_stm(b, [&](const Stm& s) {
    auto x = std::get_if<Apply>(&s.exp);
    work += x && is_call(x->op) && is_float(elem_of(p_, x->args[0])) ? costs::cpu::operations_of_call : 1;
  });
  return !loops && work <= costs::cpu::light_operations;
}

}  // namespace raido
