// versions.cc - see versions.h.
#include "passes/ad/reverse/versions.h"

#include <algorithm>

namespace raido::ad {

using namespace ir;

// Whether loops inside keep states instead of what they overwrite. To save that all the same would take what they do without: the array
// from before the statement stays as it is, and they work on a copy.
static bool keeps_states(const Stm& s) {
  bool found = false;
  walk_parts(s, [&](const Body& part) {
    each_stm(part, [&](const Stm& inner) {
      auto loop = std::get_if<For>(&inner.exp);
      found = found || (loop && (loop->slots || loop->blocks));
    });
  });
  return found;
}

Versions Versions::inner(const Versions& outer) {
  Versions out(outer.act_);
  out.carried_ = outer.carried_;
  out.any_carried_ = outer.any_carried_;
  out.finished_ = outer.finished_;
  return out;
}

Var Versions::current(Var xs) const {
  Var first = original(xs);
  auto found = current_.find(first);
  return found == current_.end() ? first : found->second;
}
Var Versions::original(Var xs) const {
  auto found = original_.find(xs);
  return found == original_.end() ? xs : found->second;
}
void Versions::restore(Var xs, Var restored) {
  Var first = original(xs);
  if (!owns(first) || current(first) == restored) return;
  if (restored == first) {
    current_.erase(first);
    return;
  }
  current_[first] = restored;
  original_[restored] = first;
  own(restored);
  if (act_.varied(first)) act_.mark(restored);
}
void Versions::start() {
  current_.clear();
  original_.clear();
}
void Versions::end(const Stm& s) { for (Bind x : s.pattern) current_.erase(x.var); }

std::vector<size_t> Versions::updated(const Program& p, const Stm& s) const {
  std::vector<size_t> which;
  std::vector<Var> arrays;
  for (size_t k = 0; k < s.pattern.size(); k++) {
    auto before = earlier_version(p, s, k);
    if (!before || !owns(*before) || is_finished(s.pattern[k].var) || std::ranges::find(arrays, *before) != arrays.end()) continue;
    which.push_back(k);
    arrays.push_back(*before);
  }
  return which.empty() || keeps_states(s) ? std::vector<size_t>{} : which;
}
void Versions::undo(Builder& b, const Stm& s, const Undo& undone) {
  std::vector<Var> now;
  for (const Undo::Version& v : undone.versions) now.push_back(current(v.after));
  // A copy is made to be consumed: it is there again only if its consumption was undone. Another name may have an adjoint of its own.
  bool second = std::holds_alternative<Copy>(s.exp) || std::holds_alternative<Identity>(s.exp);
  if (second && now[0] == undone.versions[0].after) return;
  std::vector<Var> before = undone.undo(b, now, undone.slots);
  for (size_t k = 0; k < before.size(); k++) restore(undone.versions[k].before, before[k]);
}
std::optional<Stm> Versions::renamed(Program& p, const Stm& s) const {
  if (current_.empty()) return {};
  Subst names;
  each_use(p, s.exp, [&](Var v) { if (Var now = current(v); now != v) names.emplace(v, now); });
  if (names.empty()) return {};
  Stm out = s;
  substitute(p, out.exp, names);
  return out;
}

void Versions::carry_on(const Program& p, const Stm& s) {
  if (!any_carried_) return;
  for (size_t k = 0; k < s.pattern.size(); k++)
    if (auto before = earlier_version(p, s, k); before && is_carried(*before)) carry(s.pattern[k].var);
}

bool Versions::is_finished(const Atom& xs) const {
  auto v = var_of(xs);
  return v && any_finished() && finished_.contains(*v);
}

}  // namespace raido::ad
