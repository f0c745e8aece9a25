// allocs.cc - hoist_allocs: allocations move out of loops.
//
//   for i < n { let b = alloc m; .. }   ==>   let b = alloc m; for i < n { .. }
//
// when m is known outside and b does not leave the iteration: then every iteration may use the same block. Inner loops
// first, so a block rises through a whole nest. Sizes are products that `place` has computed as far outside as they are
// known. A hoisted allocation of negative size asks for nothing: its iteration may never run.
#include "compiler/ir/transform.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// Blocks that leave `b` or become state or arguments inside it under another name.
VarSet leaving(const Body& b) {
  VarSet out;
  auto add = [&](const std::vector<Atom>& atoms) { for (const Atom& a : atoms) if (auto v = var_of(a)) out.insert(*v); };
  add(b.result);
  return out;
}

void hoist(Program& p, Body& b) {
  List<Stm> result;
  for (auto& s : b.stms.take()) {
    walk_parts(*s, [&](Body& inner) { hoist(p, inner); });
    bool loop = std::holds_alternative<For>(s->exp) || std::holds_alternative<While>(s->exp);
    if (loop)
      walk_parts(*s, [&](Body& inner) {
        VarSet bound, out = leaving(inner);
        each_bind(s->exp, [&](Var v) { bound.insert(v); });
        List<Stm> kept;
        for (auto& t : inner.stms.take()) {
          auto x = std::get_if<Alloc>(&t->exp);
          auto bytes = x ? var_of(x->bytes) : nullptr;
          if (!x || out.contains(t->pattern[0].var) || (bytes && bound.contains(*bytes))) { kept.push_back(std::move(t)); continue; }
          if (bytes && !std::any_of(t->attrs.begin(), t->attrs.end(), [](const Attr& a) { return a.name == "hoisted"; }))
            t->attrs.push_back({"hoisted", {}});
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
