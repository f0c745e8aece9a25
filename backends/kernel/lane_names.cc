// lane_names.cc - see lane_names.h.
#include "backends/kernel/lane_names.h"

#include <algorithm>

#include "backends/kernel/walk.h"
#include "compiler/base/match.h"

namespace raido::kir {

LaneNames::LaneNames(Module& m, Name i, Name lane, const std::vector<Reduced>& combined) : m_(m) {
  for (const Reduced& r : combined) reduced.insert(r.var);
  varying.insert(i);
  varying.insert(lane);
}

void LaneNames::find(const Block& body) {
  do {
    more_ = false;
    analyse(body, false, false);
  } while (more_);
}

bool LaneNames::varies(ExprId e) const {
  return any_part(m_, e, [&](ExprId part) {
    auto n = std::get_if<Name>(&m_.exprs[part.index].node);
    return n && (varying.contains(*n) || reduced.contains(*n));
  });
}
void LaneNames::mark(Name n) {
  if (reduced.contains(n) || varying.contains(n)) return;
  varying.insert(n);
  marked_.push_back(n);
  more_ = true;
}
// `diverged`: some lanes may run this while others do not. `idle`: it may be that no lane does, and what is read must not be read.
void LaneNames::analyse(const Block& b, bool diverged, bool idle) {
  for (const Stm& s : b)
    match(s.node,
      [&](const Declare& x) { if (x.init && (varies(*x.init) || (idle && is_load(*x.init)))) mark(x.var); },
      [&](const Assign& x) { if (diverged || varies(x.value)) mark(x.var); },
      [](const Store&) {}, [](const Atomic&) {}, [](const Swap&) {}, [](const Locked&) {},
      [&](const For& x) {
        if (x.alone) {
          for (const Reduced& r : x.reduced) mark(r.var);
          return;
        }
        bool apart = varies(x.from) || varies(x.to);
        if (apart) mark(x.i);
        analyse(x.body, diverged || apart, idle && !apart);
      },
      [&](const While& x) {
        bool apart = varies(x.cond);
        if (may_fail(x.test, true)) for (const Stm& t : x.test) if (auto d = std::get_if<Declare>(&t.node)) mark(d->var);   // they go on in another block
        analyse(x.test, diverged || apart, idle);
        analyse(x.body, diverged || apart, idle && !apart);
      },
      [&](const If& x) {
        bool apart = varies(x.cond);
        for (const Block* side : {&x.then_, &x.else_}) analyse(*side, diverged || apart, (idle || apart) && !(apart && is_left_out(*side)));
      },
      [&](const Fail&) {},
      [](const auto&) { PANIC("a statement that does not run in lanes"); });
}

bool LaneNames::is_check(const Stm& s) {
  auto x = std::get_if<If>(&s.node);
  return x && !x->else_.empty() && std::holds_alternative<Fail>(x->else_.begin()->node);
}
bool LaneNames::may_fail(const Stm& s, bool some) const {
  if (!is_check(s)) return may_fail_inside(s, some);
  const If& check = std::get<If>(s.node);
  return some || varies(check.cond) || std::ranges::any_of(std::get<Fail>(check.else_.begin()->node).args, [&](ExprId e) { return varies(e); });
}
bool LaneNames::may_fail(const Block& b, bool some) const {
  for (const Stm& s : b) if (may_fail(s, some)) return true;
  return false;
}
bool LaneNames::may_fail_inside(const Stm& s, bool some) const {
  if (is_check(s)) return false;
  match(s.node, [&](const If& x) { some = some || varies(x.cond); }, [&](const While& x) { some = some || varies(x.cond); },
        [&](const For& x) { some = some || varies(x.from) || varies(x.to); }, [](const auto&) {});   // others have no bodies
  bool found = false;
  each_body(s, [&](const Block& inner) { found = found || may_fail(inner, some); });
  return found;
}

bool LaneNames::reads_one_place(const Block& side) const {
  bool found = false;
  for (const Stm& s : side)
    if (auto d = std::get_if<Declare>(&s.node)) found = found || (d->init && is_load(*d->init) && !varies(*d->init));
  return found;
}

bool LaneNames::has_loop(const Block& b) {
  bool found = false;
  for (const Stm& s : b) {
    auto loop = std::get_if<For>(&s.node);
    found = found || (loop && !loop->alone) || std::holds_alternative<While>(s.node);
    each_body(s, [&](const Block& inner) { found = found || has_loop(inner); });
  }
  return found;
}
bool LaneNames::calls(ExprId e) const {
  return any_part(m_, e, [&](ExprId part) {
    auto op = std::get_if<Prim>(&m_.exprs[part.index].node);
    return op && is_call(op->op);
  });
}
bool LaneNames::calls(const Block& b) const {
  bool found = false;
  for (const Stm& s : b)
    match(s.node, [&](const Declare& x) { found = found || (x.init && calls(*x.init)); }, [&](const Assign& x) { found = found || calls(x.value); },
          [&](const If& x) { found = found || calls(x.then_) || calls(x.else_); }, [](const auto&) {});   // loops are parts of their own
  return found;
}

}  // namespace raido::kir
