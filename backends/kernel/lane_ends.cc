// lane_ends.cc - see lane_ends.h.
#include "backends/kernel/lane_ends.h"

#include <algorithm>

#include "backends/kernel/lane_parts.h"
#include "backends/kernel/vector_loops.h"
#include "backends/kernel/walk.h"
#include "compiler/base/match.h"
#include "compiler/ir/costs.h"

namespace raido::kir {

bool waits(Module& m, const LaneNames& names, const For& x) {
  if (names.varies(x.from) || names.varies(x.to) || !x.reduced.empty() || VectorLoop(m, x).widths() != Widths::None) return false;
  IdSet<Name> assigned;
  assigned_names(x.body, assigned);
  Block one;
  one.push_back({x});
  return std::ranges::any_of(free_names(m, one), [&](Name n) { return assigned.contains(n); });
}

namespace {
size_t statements(const Block& b) {
  size_t sum = b.size();
  for (const Stm& s : b) each_body(s, [&](const Block& inner) { sum += statements(inner); });
  return sum;
}
}  // namespace

bool LaneEnds::run_together(const Block& body) const {
  return runs_together(body) && (!names.has_loop(body) || statements(body) <= costs::cpu::last_statements);
}
bool LaneEnds::reads_near(const Block& b) const {
  bool near = true;
  auto look = [&](ExprId e) {
    near = near && !any_part(m, e, [&](ExprId part) {
      auto l = std::get_if<Load>(&m.exprs[part.index].node);
      return l && names.varies(l->index) && indices.stride(l->index) != 1;
    });
  };
  for (const Stm& s : b) {
    match(s.node, [&](const Declare& x) { if (x.init) look(*x.init); }, [&](const Assign& x) { look(x.value); }, [&](const Store& x) { look(x.value); },
          [](const auto&) {});   // others read nothing themselves
    each_body(s, [&](const Block& inner) { near = near && reads_near(inner); });
  }
  return near;
}
bool LaneEnds::may_interleave(const For& loop) const {
  const Block& b = loop.body;                              // `with_lane_memory` forgets which loops are vectors
  if (loop.interleaved || !loop.group || !loop.group->own.empty() || !loop.group->sums.empty() || statements(b) > costs::cpu::last_statements) return false;
  bool some = false, all = true;
  for (const Stm& s : b) {
    auto inner = std::get_if<For>(&s.node);
    some = some || (inner && waits(m, names, *inner));
    all = all && !names.is_check(s) && !names.may_fail_inside(s, false);
  }
  return some && all;
}
int64_t LaneEnds::least(const Block& body) const { return names.has_loop(body) && !calls_anywhere(body) ? width / 4 + 1 : costs::cpu::least_lanes; }
bool LaneEnds::calls_anywhere(const Block& b) const {
  bool found = names.calls(b);
  for (const Stm& s : b) each_body(s, [&](const Block& inner) { found = found || calls_anywhere(inner); });
  return found;
}
bool LaneEnds::runs_together(const Block& b) const {
  bool together = true;
  for (const Stm& s : b) {
    auto x = std::get_if<If>(&s.node);
    auto loop = std::get_if<For>(&s.node);
    together = together && !std::holds_alternative<While>(s.node);
    together = together && (!loop || loop->alone || (!names.varies(loop->from) && !names.varies(loop->to) && runs_together(loop->body) && reads_near(loop->body)));
    together = together && (!x || (runs_together(x->then_) && runs_together(x->else_)));
  }
  return together;
}

}  // namespace raido::kir
