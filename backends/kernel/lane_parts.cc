// lane_parts.cc - what the lanes of a group keep from one part of a loop to another.
#include "backends/kernel/lane_parts.h"

#include <algorithm>

#include "compiler/base/match.h"

namespace raido::kir {

void assigned_names(const Block& b, IdSet<Name>& out) {
  for (const Stm& s : b)
    match(s.node, [&](const Assign& x) { out.insert(x.var); }, [&](const For& x) { assigned_names(x.body, out); },
          [&](const While& x) { assigned_names(x.test, out); assigned_names(x.body, out); },
          [&](const If& x) { assigned_names(x.then_, out); assigned_names(x.else_, out); }, [](const auto&) {});
}

// What nobody uses, as masks of branches that read no memory, is not kept either.
void LaneParts::drop_unused(Block& group) {
  for (bool dropped = true; dropped;) {
    IdSet<Name> used;
    for (Name n : used_names(m_, group)) used.insert(n);
    dropped = false;
    each_part(group, [&](For& part) {
      part.body.filter_backwards([&](Stm& s) {
        auto d = std::get_if<Declare>(&s.node);
        const bool drop = d && !used.contains(d->var);
        dropped = dropped || drop;
        return !drop;
      });
    });
  }
}

void LaneParts::keep(Block& group) {
  drop_unused(group);
  each_part(group, [&](For& part) {
    for (Name n : free_names(m_, part.body)) if (is_own(n)) kept_.insert(n);
  });
  each_part(group, [&](For& part) { keep_part(part); });
}

void LaneParts::keep_part(For& part) {
  IdSet<Name> written;
  assigned_names(part.body, written);
  Block body;
  ExprId l = m_.var(part.i);
  std::vector<Name> stores;
  IdSet<Name> known;
  for (Name n : free_names(m_, part.body)) {
    declare_index(body, n, l, known);
    if (!is_own(n)) continue;
    values_.read(body, n, l);
    if (written.contains(n)) stores.push_back(n);
  }
  for (const Stm& s : part.body) {
    auto d = std::get_if<Declare>(&s.node);
    if (d && kept_.contains(d->var) && std::ranges::find(stores, d->var) == stores.end()) stores.push_back(d->var);
  }
  for (Stm& s : part.body) body.push_back(std::move(s));
  for (Name n : stores) values_.store(body, n, l);
  part.body = std::move(body);
}

// An index, after those that it is made of.
void LaneParts::declare_index(Block& body, Name n, ExprId l, IdSet<Name>& known) {
  if (known.contains(n)) return;
  known.insert(n);
  if (n == group_.i) body.push_back({Declare{n, m_.add(m_.var(group_.base), l)}});
  if (n == group_.lane) body.push_back({Declare{n, l}});
  auto made_of = indices_.value(n);
  if (!made_of) return;
  Block one;
  one.push_back({Declare{n, *made_of}});
  for (Name of : free_names(m_, one)) declare_index(body, of, l, known);
  body.push_back(std::move(*one.begin()));
}

}  // namespace raido::kir
