// allocs.cc - hoist_allocs: allocations move out of loops.
//
//   for i < n { let b = alloc m; .. }   ==>   let b = alloc m; for i < n { .. }
//
//   seg task (i < n) { let b = alloc m; .. }   ==>   seg task (i < n) with [b = m] { .. }
//
// when m is known outside and b does not leave the iteration: then every iteration may use the same block. Points of a task
// run at once on several threads, so each thread has a block. Inner loops first, so a block rises through a whole nest.
// Sizes are products that `place` has computed as far outside as they are known. A hoisted allocation of negative size asks
// for nothing: its iteration may never run.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// Blocks that leave `b`, by their own name or through a branch, loop or call with a live-out block which leaves. Whatever
// such a statement mentions is taken to leave.
VarSet leaving(const Program& p, const Body& b) {
  VarSet out;
  auto add = [&](const Atom& a) { if (auto v = var_of(a)) out.insert(*v); };
  for (const Atom& a : b.result) add(a);
  for (const Stm& s : reversed(b.stms)) {
    bool leaves = std::any_of(s.pattern.begin(), s.pattern.end(), [&](Bind v) {
      return out.contains(v.var) && std::holds_alternative<BlockType>(p.type(v.var));
    });
    if (leaves) walk(s.exp, [&](const Atom& a) { add(a); });
  }
  return out;
}

void hoist(Program& p, Body& b) {
  List<Stm> result;
  for (auto& s : b.stms.take()) {
    walk_parts(*s, [&](Body& inner) { hoist(p, inner); });
    auto task = std::get_if<Seg>(&s->exp);
    if (task && task->level != SegLevel::Task) task = nullptr;
    if (task || std::holds_alternative<For>(s->exp) || std::holds_alternative<While>(s->exp))
      walk_parts(*s, [&](Body& inner) {
        const VarSet bound = bound_in(s->exp), out = leaving(p, inner);
        List<Stm> kept;
        for (auto& t : inner.stms.take()) {
          auto x = std::get_if<Alloc>(&t->exp);
          auto bytes = x ? var_of(x->bytes) : nullptr;
          if (!x || out.contains(t->pattern[0].var) || (bytes && bound.contains(*bytes))) { kept.push_back(std::move(t)); continue; }
          if (task) { task->workspaces.push_back({t->pattern[0], x->bytes}); continue; }
          bool maybe_negative = bytes || const_of(x->bytes)->as_i64() < 0;
          std::get<Alloc>(t->exp).speculative |= maybe_negative;
          result.push_back(std::move(t));
        }
        inner.stms = std::move(kept);
      });
    result.push_back(std::move(s));
  }
  b.stms = std::move(result);
}

}  // namespace

void hoist_allocs(Program& program, PassContext&) {
  program.each_body([&](Body& b) { hoist(program, b); });
}

}  // namespace raido
