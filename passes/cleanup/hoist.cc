// hoist.cc - loop-invariant code motion (C5): statements whose operands are all bound outside leave loops, lambdas of
// parallel operators and seg bodies.
//
// What moves may run although the body never does, so it must not fail, must end, and must not be consumed inside:
// no assertions, no while loops, no calls, no reads that only the body's execution makes safe. Code does not leave
// branches. Statements that listed proofs move only with proofs that are bound outside, too.
#include "compiler/ir/aliases.h"
#include "compiler/ir/transform.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class Hoister {
 public:
  Hoister(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), consumed_(aliases_.own_memory()) {}
  void body(Body& b) {
    List<Stm> out;
    for (auto& item : b.stms.take()) {
      Stm& s = *item;
      walk_parts(s, [&](Body& inner) { body(inner); });
      if (!std::holds_alternative<If>(s.exp)) lift_from(s, out);
      out.push_back(std::move(item));
    }
    b.stms = std::move(out);
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  VarSet consumed_;

  // Safe to run at any time, any number of times, wherever its operands are known.
  bool movable(const Stm& s) const {
    for (Bind b : s.pattern) {
      const Type& t = p_.type(b.var);
      if (is_acc(t) || is_check(t) || std::holds_alternative<BlockType>(t)) return false;
      if (p_.level == Memory && is_array(t)) return false;     // its place decides
      if (is_array(t))
        for (Var r : aliases_.roots(b.var)) if (consumed_.contains(r)) return false;
    }
    if (!aliases_.consumed(s).empty() || !s.attrs.empty()) return false;
    bool ok = total(s);
    walk_parts(s, [&](const Body& inner) { each_stm(inner, [&](const Stm& x) { ok = ok && total(x); }); });
    return ok;
  }
  bool total(const Stm& s) const {
    return match(s.exp, [](const Assert&) { return false; }, [](const While&) { return false; }, [](const Call&) { return false; },
                 [](const Scratch&) { return false; }, [](const Jvp&) { return false; }, [](const Vjp&) { return false; },
                 [](const Custom&) { return false; }, [](const Seg&) { return false; }, [](const Alloc&) { return false; },
                 [](const WithAcc&) { return false; }, [](const Hist&) { return false; }, [](const AccUpdate&) { return false; },
                 [&](const Index&) { return !s.checks.empty(); }, [](const auto&) { return true; });
  }
  void lift_from(Stm& outer, List<Stm>& out) {
    VarSet inside;
    walk_parts(outer, [&](Bind& b) { inside.insert(b.var); });    // parameters, counters, state, everything bound within
    auto lift = [&](Body& b) {
      List<Stm> kept;
      for (auto& item : b.stms.take()) {
        bool free = movable(*item);
        if (free) each_use(p_, item->exp, [&](Var v) { free = free && (!inside.contains(v) || bound_in(*item, v)); });
        for (Var c : item->checks) free = free && !inside.contains(c);
        for (Bind x : item->pattern) walk(p_.type(x.var), [&](const Var& v) { free = free && (!inside.contains(v) || bound_in(*item, v)); });
        if (!free || !context_.allow()) { kept.push_back(std::move(item)); continue; }
        for (Bind x : item->pattern) inside.erase(x.var);
        context_.stats.count("hoist.moved");
        out.push_back(std::move(item));
      }
      b.stms = std::move(kept);
    };
    walk_parts(outer, [&](Body& b) { lift(b); });
  }
  bool bound_in(const Stm& s, Var v) const {
    bool found = false;
    each_bind(s.exp, [&](Var b) { found = found || b == v; });
    for (Bind b : s.pattern) found = found || b.var == v;
    return found;
  }
};

}  // namespace

void hoist(ir::Program& program, PassContext& context) {
  Hoister pass(program, context);
  pass.body(program.constants);
  for (ir::Function& f : program.functions) pass.body(f.lambda.body);
}

}  // namespace raido
