// aliases.cc - sets of variables, as sorted vectors.
#include "compiler/check/aliases.h"

#include <algorithm>
#include <unordered_set>

namespace raido::check {

void add(Vars& to, Binding* b) {
  auto it = std::lower_bound(to.begin(), to.end(), b, [](Binding* x, Binding* y) { return x->id < y->id; });
  if (it == to.end() || *it != b) to.insert(it, b);
}

void add(Vars& to, const Vars& from) {
  if (from.size() < 8) { for (Binding* b : from) add(to, b); return; }
  Vars both;
  std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(both), [](Binding* x, Binding* y) { return x->id < y->id; });
  to = std::move(both);
}

Binding* common(const Vars& a, const Vars& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) return a[i];
    (a[i]->id < b[j]->id ? i : j)++;
  }
  return nullptr;
}

Vars Aliases::all() const {
  Vars out = vars;
  for (const Field& f : fields) add(out, f.value.all());
  return out;
}

Aliases Aliases::field(Name name, size_t expected) const {
  if (!record) return {vars, {}, false};
  if (expected < fields.size() && fields[expected].name == name) return fields[expected].value;
  for (const Field& f : fields) if (f.name == name) return f.value;
  return {};
}

void Aliases::own(Binding* b, bool component) {
  if (!record && (component || vars.empty())) add(vars, b);
  for (Field& f : fields) f.value.own(b, true);
}

bool overlap(const std::vector<Vars>& sets) {
  std::unordered_set<Binding*> seen;
  for (const Vars& set : sets) for (Binding* b : set) if (!seen.insert(b).second) return true;
  return false;
}

Aliases either(const Aliases& a, const Aliases& b) {
  Aliases out;
  if (a.record && b.record && a.fields.size() == b.fields.size()) {
    out.record = true;
    for (size_t i = 0; i < a.fields.size(); i++) out.fields.push_back({a.fields[i].name, either(a.fields[i].value, b.fields[i].value)});
    return out;
  }
  out.vars = a.all();
  add(out.vars, b.all());
  return out;
}

}  // namespace raido::check
