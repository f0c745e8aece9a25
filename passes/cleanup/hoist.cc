// hoist.cc - loop-invariant code motion (C5): statements whose operands are all bound outside leave loops, lambdas of
// parallel operators and seg bodies.
//
// What moves may run although the body never does, so it must not fail, must end, and must not be consumed inside (what a loop
// updates in place moves with the loop): no assertions, no
// while loops, no calls, no reads and updates but those with proofs that are bound outside, too, and those that the loops which move
// with them keep inside of their arrays; no arrays of n - 1 elements where only that the body runs says that n is not 0. Code does not
// leave branches.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/facts.h"
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

  // Safe to run at any time, any number of times, wherever its operands are known. `given`: what is consumed of its results, if its
  // consumer moves as well; what it consumes has to be made by what moves as well.
  bool movable(const Stm& s, const std::vector<Var>& given) const {
    for (Bind b : s.pattern) {
      const Type& t = p_.type(b.var);
      if (is_acc(t) || is_check(t) || std::holds_alternative<BlockType>(t)) return false;
      if (p_.level == Memory && is_array(t)) return false;     // its place decides
      if (is_array(t) && std::ranges::find(given, b.var) == given.end())
        for (Var r : aliases_.roots(b.var)) if (consumed_.contains(r)) return false;
    }
    if (!s.attrs.empty()) return false;
    bool ok = total(s);
    bool view = match(s.exp, [](const Index&) { return true; }, [](const Reshape&) { return true; }, [](const Permute&) { return true; },
                      [](const Identity&) { return true; }, [](const auto&) { return false; });
    for (Bind b : s.pattern)
      if (is_array(p_.type(b.var)) && s.checks.empty() && !view)
        ok = ok && std::ranges::all_of(shape_of(p_.type(b.var)), [&](const Dim& d) { return not_negative(d); });
    walk_parts(s, [&](const Body& inner) { each_stm(inner, [&](const Stm& x) { ok = ok && (total(x) || place(x)); }); });
    return ok;
  }
  // Whether all places that the bodies of s read and update are inside of their arrays by what s says itself and by the sizes outside.
  bool keeps_inside(const Stm& s) const {
    bool any = false;
    walk_parts(s, [&](const Body& inner) { each_stm(inner, [&](const Stm& x) { any = any || !total(x); }); });
    if (!any) return true;
    Facts facts(p_);
    VarSet learnt;
    each_use(p_, s.exp, [&](Var v) { learn(facts, learnt, v, 0); });
    return inside(facts, s);
  }
  void learn(Facts& facts, VarSet& learnt, Var v, int depth) const {
    const Stm* s = made_[v];
    if (sizes_.contains(v)) facts.size(v);
    if (depth > 8 || learnt.contains(v) || !s || !(std::holds_alternative<Apply>(s->exp) || std::holds_alternative<Iota>(s->exp))) return;
    learnt.insert(v);
    each_use(p_, s->exp, [&](Var x) { learn(facts, learnt, x, depth + 1); });
    facts.define(v, s->exp);
  }
  bool inside(Facts& facts, const Stm& s) const {
    auto body = [&](const Body& b) {
      for (const Stm& x : b.stms) {
        auto at = place(x);
        if (at) facts.bound(at->first);
        if (at && x.checks.empty() && !in_bounds(facts, shape_of(p_.type(at->first)), *at->second)) return false;
        if (!inside(facts, x)) return false;
        for (Bind y : x.pattern) {
          facts.bound(y.var);
          facts.define(y.var, x.exp);
        }
      }
      return true;
    };
    bool ok = true;
    size_t mark = facts.enter(s.exp);
    if (auto choice = std::get_if<If>(&s.exp)) {
      for (bool holds : {true, false}) {
        size_t branch = facts.assume(choice->cond, holds);
        ok = ok && body(holds ? choice->then_ : choice->else_);
        facts.retract(branch);
      }
    } else {
      walk_parts(s, [&](const Body& inner) { ok = ok && body(inner); });
    }
    facts.retract(mark);
    return ok;
  }
  static std::optional<std::pair<Var, const std::vector<Selector>*>> place(const Stm& s) {
    if (auto x = std::get_if<Index>(&s.exp)) return std::pair{x->array, &x->at};
    if (auto x = std::get_if<Update>(&s.exp)) return std::pair{x->array, &x->at};
    return {};
  }
  static bool in_bounds(const Facts& facts, const std::vector<Dim>& shape, const std::vector<Selector>& at) {
    for (size_t k = 0; k < at.size(); k++) {
      auto n = facts.linear(shape[k]);
      auto slice = std::get_if<Slice>(&at[k]);
      if (slice && !is_const(slice->stride, 1)) return false;
      auto first = facts.linear(slice ? slice->start : std::get<Atom>(at[k]));
      auto count = slice ? facts.linear(slice->count) : Linear{1, {}};
      if (!n || !first || !count || !facts.nonnegative(*first) || !facts.nonnegative(*count) || !facts.nonnegative(*n - *first - *count)) return false;
    }
    return true;
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
    walk_parts(outer, [&](Body& b) {
      Kept kept;
      for (auto& item : b.stms.take()) {
        kept.push_back(std::move(item));
        std::vector<size_t> group;
        if (!moves(kept, kept.size() - 1, {}, inside, group) || !context_.allow()) continue;
        for (size_t k : group) {
          for (Bind x : kept[k]->pattern) {
            inside.erase(x.var);
            exists(x.var);
          }
          context_.stats.count("hoist.moved");
          out.push_back(std::move(kept[k]));
        }
      }
      for (auto& item : kept) if (item) b.stms.push_back(std::move(item));
    });
  }
  using Kept = std::vector<std::unique_ptr<Stm>>;            // those that have moved are null
  // Whether statement k can move, together with those before it that make the arrays which it consumes: `group`, in order.
  bool moves(const Kept& kept, size_t k, const std::vector<Var>& given, const VarSet& inside, std::vector<size_t>& group) const {
    const Stm& s = *kept[k];
    if (!movable(s, given)) return false;
    std::vector<Var> consumed = aliases_.consumed(s);
    for (Var c : consumed) {
      size_t maker = k;
      for (size_t i = 0; i < k; i++)
        if (kept[i] && std::ranges::any_of(kept[i]->pattern, [&](Bind x) { return x.var == c; })) maker = i;
      if (maker == k || std::ranges::find(group, maker) != group.end()) return false;
      for (size_t i = maker + 1; i < k; i++)                 // reads of what s consumes stay before it
        if (kept[i] && mentions(*kept[i], c)) return false;
      if (!moves(kept, maker, consumed, inside, group)) return false;
    }
    VarSet with;
    for (size_t i : group) for (Bind x : kept[i]->pattern) with.insert(x.var);
    bool free = true;
    auto outside = [&](Var v) { free = free && (!inside.contains(v) || with.contains(v) || bound_in(s, v)); };
    each_use(p_, s.exp, outside);
    for (Var c : s.checks) outside(c);
    for (Bind x : s.pattern) walk(p_.type(x.var), [&](const Var& v) { outside(v); });
    if (!free || !keeps_inside(s)) return false;
    group.push_back(k);
    return true;
  }
  bool mentions(const Stm& s, Var c) const {
    bool found = false;
    each_use(p_, s.exp, [&](Var v) {
      if (!is_array(p_.type(v))) return;
      auto reach = aliases_.reach(v);
      found = found || v == c || std::ranges::find(reach, c) != reach.end();
    });
    return found;
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
