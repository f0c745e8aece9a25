// hoist.cc - loop-invariant code motion (C5): statements whose operands are all bound outside leave loops, lambdas of
// parallel operators and seg bodies.
//
// What moves may run although the body never does, so it must not fail, must end, and must not be consumed inside: no assertions, no
// while loops, no calls, no reads and updates that only the body's execution makes safe, no arrays of n - 1 elements where only that the
// body runs says that n is not 0. Code does not leave branches. Statements that listed proofs move only with proofs that are bound
// outside, too.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/transform.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class Hoister {
 public:
  Hoister(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), consumed_(aliases_.own_memory()) {
    p_.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) { for (Bind x : s.pattern) made_[x.var] = &s; });
    });
  }
  void function(Function& f) {
    for (Bind b : f.lambda.params) exists(b.var);
    body(f.lambda.body);
    sizes_ = {};
  }
  void body(Body& b) {
    List<Stm> out;
    VarSet outside = sizes_;
    for (auto& item : b.stms.take()) {
      Stm& s = *item;
      VarSet before = sizes_;
      match(s.exp, [&](const auto& op) { own_binds(op); });
      walk_parts(s, [&](Body& inner) { body(inner); });
      sizes_ = std::move(before);
      if (!std::holds_alternative<If>(s.exp)) lift_from(s, out);
      for (Bind x : s.pattern) exists(x.var);
      out.push_back(std::move(item));
    }
    b.stms = std::move(out);
    sizes_ = std::move(outside);
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  VarSet consumed_;
  VarMap<const Stm*> made_;
  VarSet sizes_;                                             // of arrays that are there

  void exists(Var v) {
    if (is_array(p_.type(v))) for (const Dim& d : shape_of(p_.type(v))) if (auto n = var_of(d)) sizes_.insert(*n);
  }
  // Parameters and state, not what statements inside bind.
  template <class Op> void own_binds(const Op& op) {
    auto all = [&](const std::vector<Bind>& binds) { for (Bind x : binds) exists(x.var); };
    if constexpr (requires { op.state; }) all(op.state);
    if constexpr (requires { op.pre; }) all(op.pre.params);
    if constexpr (requires { op.scope; }) all(op.scope.params);
  }
  bool not_negative(const Atom& a, int depth = 0) const {
    if (auto c = const_of(a)) return c->as_i64() >= 0;
    Var v = *var_of(a);
    if (sizes_.contains(v)) return true;
    const Stm* s = made_[v];
    if (!s || depth > 8) return false;
    auto both = [&](const Apply& x) { return std::ranges::all_of(x.args, [&](const Atom& y) { return not_negative(y, depth + 1); }); };
    return match(s->exp, [&](const Identity& x) { return not_negative(x.value, depth + 1); },
                 [&](const Apply& x) {
                   switch (x.op) {
                     case ScalarOp::add: case ScalarOp::mul: case ScalarOp::min: case ScalarOp::div: case ScalarOp::quot: return both(x);
                     case ScalarOp::max: return std::ranges::any_of(x.args, [&](const Atom& y) { return not_negative(y, depth + 1); });
                     case ScalarOp::select: return not_negative(x.args[1], depth + 1) && not_negative(x.args[2], depth + 1);
                     default: return false;
                   }
                 },
                 [](const auto&) { return false; });
  }

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
    bool view = match(s.exp, [](const Index&) { return true; }, [](const Reshape&) { return true; }, [](const Permute&) { return true; },
                      [](const Identity&) { return true; }, [](const auto&) { return false; });
    for (Bind b : s.pattern)
      if (is_array(p_.type(b.var)) && s.checks.empty() && !view)
        ok = ok && std::ranges::all_of(shape_of(p_.type(b.var)), [&](const Dim& d) { return not_negative(d); });
    walk_parts(s, [&](const Body& inner) { each_stm(inner, [&](const Stm& x) { ok = ok && total(x); }); });
    return ok;
  }
  bool total(const Stm& s) const {
    return match(s.exp, [](const Assert&) { return false; }, [](const While&) { return false; }, [](const Call&) { return false; },
                 [](const Scratch&) { return false; }, [](const Jvp&) { return false; }, [](const Vjp&) { return false; },
                 [](const Custom&) { return false; }, [](const Seg&) { return false; }, [](const Alloc&) { return false; },
                 [](const WithAcc&) { return false; }, [](const Hist&) { return false; }, [](const AccUpdate&) { return false; },
                 [&](const Index&) { return !s.checks.empty(); }, [&](const Update&) { return !s.checks.empty(); }, [](const auto&) { return true; });
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
        for (Bind x : item->pattern) {
          inside.erase(x.var);
          exists(x.var);
        }
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
  for (ir::Function& f : program.functions) pass.function(f);
}

}  // namespace raido
