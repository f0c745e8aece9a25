// lane_memory.cc - see lane_memory.h.
#include "backends/kernel/lane_memory.h"

#include <algorithm>

#include "compiler/base/match.h"

namespace raido::kir {
namespace {

class LaneMemory {
 public:
  LaneMemory(Module& m, const Group& group, Name lane, int64_t width) : m_(m), group_(group), lane_(lane), width_(width) {}

  Block block(const Block& b) {
    Block out;
    IdMap<Name, ExprId> added;                   // a new value of an element -> what was added; an old one -> itself
    auto is_sum = [&](Name memory) { return contains(group_.sums, memory); };
    auto known = [&](ExprId e) { auto n = std::get_if<Name>(&m_.exprs[e.index].node); return n && added[*n].valid(); };
    for (const Stm& s : b)
      match(s.node,
        [&](const Declare& x) {
          auto load = x.init ? std::get_if<Load>(&m_.exprs[x.init->index].node) : nullptr;
          auto sum = x.init ? std::get_if<Prim>(&m_.exprs[x.init->index].node) : nullptr;
          if (load && is_sum(load->memory)) { added[x.var] = m_.var(x.var); return; }
          if (x.init && known(*x.init)) { added[x.var] = m_.constant(constant(m_.names[x.var.index].type, 0)); return; }
          if (sum && std::ranges::any_of(sum->args, known)) {
            ExprId term = known(sum->args[0]) ? sum->args[1] : sum->args[0];
            added[x.var] = term;
            return;
          }
          out.push_back({Declare{x.var, x.init ? std::optional(value(*x.init)) : std::nullopt}});
        },
        [&](const Assign& x) { out.push_back({Assign{x.var, value(x.value)}}); },
        [&](const Store& x) {
          if (!is_sum(x.memory)) { out.push_back({Store{x.memory, place(x.memory, x.index), x.value}}); return; }
          CHECK(known(x.value), "a sum of lanes is something else");
          out.push_back({Atomic{x.memory, x.index, added[std::get<Name>(m_.exprs[x.value.index].node)], ScalarOp::add}});
        },
        [&](const For& x) {
          if (x.alone) out.push_back(s);                  // one lane after the other adds
          else out.push_back({For{x.i, x.from, x.to, block(x.body)}});
        },
        [&](const While& x) { out.push_back({While{block(x.test), x.cond, block(x.body)}}); },
        [&](const If& x) { out.push_back({If{x.cond, block(x.then_), block(x.else_)}}); },
        [&](const auto&) { out.push_back(s); });
    return out;
  }

 private:
  Module& m_;
  const Group& group_;
  const Name lane_;
  const int64_t width_;

  static bool contains(const std::vector<Name>& names, Name n) { return std::ranges::find(names, n) != names.end(); }
  ExprId place(Name memory, ExprId index) {
    return contains(group_.own, memory) ? m_.add(m_.mul(index, m_.number(width_)), m_.var(lane_)) : index;
  }
  ExprId value(ExprId e) {
    auto load = std::get_if<Load>(&m_.exprs[e.index].node);
    if (!load) return e;
    const Load at = *load;
    return m_.expr({Load{at.memory, place(at.memory, at.index)}, m_.exprs[e.index].type});
  }
};

}  // namespace

Block with_lane_memory(Module& m, const Group& group, Name lane, int64_t width, const Block& b) { return LaneMemory(m, group, lane, width).block(b); }

}  // namespace raido::kir
