// seg_updates.cc - updates of accumulators in grid segs: found, left out, and computed as values.
#include "passes/parallel/seg_updates.h"

#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "passes/cleanup/dce.h"

namespace raido {
using namespace ir;

Var SegUpdates::outside(const Seg& x, Var v) const {
  for (Var free : free_vars(p_, x.body))
    if (auto acc = std::get_if<AccType>(&p_.type(free)); acc && acc->token == acc_type(v).token) return free;
  PANIC("a result is an accumulator that the body does not use");
}
const Combine* SegUpdates::operator_of(const AccUpdate& u) const {
  const std::optional<Dest>& d = dests_[acc_type(u.acc).token];
  auto scalar = [&](const Atom& v) { return is_scalar(p_.type(v)); };
  return d && d->combine && d->combine->shape.empty() && std::ranges::all_of(u.values, scalar) ? &*d->combine : nullptr;
}

std::vector<Path> SegUpdates::updates_of(const Seg& x) {
  std::vector<Path> all;
  Path here;
  find(x.body, here, all);
  return all;
}
void SegUpdates::find(const Body& b, Path& here, std::vector<Path>& all) {
  for (size_t k = 0; k < b.stms.size(); k++) {
    here.push_back({k});
    if (std::holds_alternative<AccUpdate>(b.stms[k].exp)) all.push_back(here);
    if (auto x = std::get_if<If>(&b.stms[k].exp)) {
      find(x->else_, here, all);
      here.back().then_ = true;
      find(x->then_, here, all);
    }
    here.pop_back();
  }
}
void SegUpdates::pass_on(Seg& x, const Path& path) {
  Stm gone = at(x.body, path);
  Body* b = &x.body;
  for (size_t d = 0; d + 1 < path.size(); d++) {
    If& inner = std::get<If>(b->stms[path[d].statement].exp);
    b = path[d].then_ ? &inner.then_ : &inner.else_;
  }
  b->stms.erase(b->stms[path.back().statement]);
  substitute(p_, x.body, Subst{{gone.pattern[0].var, std::get<AccUpdate>(gone.exp).acc}});
}

bool SegUpdates::updates(const Seg& x, Var token) const {
  bool found = false;
  each_stm(x.body, [&](const Stm& s) {
    auto u = std::get_if<AccUpdate>(&s.exp);
    found = found || (u && acc_type(u->acc).token == token);
  });
  return found;
}
bool SegUpdates::drop_idle(Stm& s, Seg& x, Subst& names) {
  for (size_t k = s.pattern.size(); k-- > 0;) {
    const Var v = s.pattern[k].var;
    if (!is_acc(p_.type(v)) || updates(x, acc_type(v).token)) continue;
    names[v] = outside(x, v);
    x.body.result.erase(x.body.result.begin() + ptrdiff_t(k));
    s.pattern.erase(s.pattern.begin() + ptrdiff_t(k));
    drop_accumulators(p_, x.body, [&](const AccType& acc) { return acc.token == acc_type(v).token; });
  }
  return s.pattern.empty();
}

Body SegUpdates::values_at_point(const Seg& x, const std::vector<Wanted>& wanted) {
  Body values = value_code(x.body, wanted, 0);
  drop_accumulators(p_, values, [](const AccType&) { return true; });
  keep_needed(p_, values);
  return values;
}
Body SegUpdates::value_code(const Body& b, const std::vector<Wanted>& wanted, size_t depth) {
  Body code;
  std::vector<std::vector<Atom>> values(wanted.size());
  size_t end = 0;
  for (const Wanted& w : wanted) end = std::max(end, (*w.path)[depth].statement + 1);
  for (size_t k = 0; k < end; k++) {
    const Stm& s = b.stms[k];
    code.stms.push_back(s);
    Builder out(p_, code.stms);
    out.source = s.source;
    out.checks = s.checks;
    std::vector<size_t> here, yes, no;                 // numbers of those wanted
    for (size_t w = 0; w < wanted.size(); w++) if ((*wanted[w].path)[depth].statement == k) here.push_back(w);
    if (here.empty()) continue;
    if (auto u = std::get_if<AccUpdate>(&s.exp)) {
      for (const Atom& v : u->values) values[here[0]].push_back(s.checks.empty() ? v : Atom(out.bind1("value", Identity{v})));
      continue;
    }
    for (size_t w : here) ((*wanted[w].path)[depth].then_ ? yes : no).push_back(w);
    const If& x = std::get<If>(s.exp);
    If made{x.cond, branch_code(x.then_, wanted, yes, no, depth + 1), branch_code(x.else_, wanted, no, yes, depth + 1)};
    std::rotate(made.else_.result.begin(), made.else_.result.end() - ptrdiff_t(count(wanted, yes)), made.else_.result.end());
    std::vector<Var> results = out.bind("value", clone(p_, made));
    size_t next = 0;
    for (const auto& part : {yes, no})
      for (size_t w : part)
        for (size_t i = 0; i < wanted[w].op->neutral.size(); i++) values[w].push_back(results[next++]);
  }
  for (const auto& v : values) code.result.insert(code.result.end(), v.begin(), v.end());
  return code;
}
size_t SegUpdates::count(const std::vector<Wanted>& wanted, const std::vector<size_t>& which) {
  size_t n = 0;
  for (size_t w : which) n += wanted[w].op->neutral.size();
  return n;
}
// The values of those updates that are in the branch, then neutral elements for the others.
Body SegUpdates::branch_code(const Body& b, const std::vector<Wanted>& wanted, const std::vector<size_t>& inside, const std::vector<size_t>& others, size_t depth) {
  std::vector<Wanted> own;
  for (size_t w : inside) own.push_back(wanted[w]);
  Body code = value_code(b, own, depth);
  for (size_t w : others) code.result.insert(code.result.end(), wanted[w].op->neutral.begin(), wanted[w].op->neutral.end());
  return code;
}
bool SegUpdates::is_heavy(const Body& b) {
  bool heavy = false;
  each_stm(b, [&](const Stm& s) {
    Kind k = kind_of(s.exp);
    heavy |= k == Kind::Loop || k == Kind::Parallel || k == Kind::Scope || k == Kind::Call || k == Kind::Make || std::holds_alternative<Update>(s.exp);
  });
  return heavy;
}

}  // namespace raido
