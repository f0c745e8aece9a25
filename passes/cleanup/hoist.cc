// hoist.cc - loop-invariant code motion (C5): statements whose operands are all bound outside leave loops, lambdas of
// parallel operators and seg bodies.
//
// What moves may run although the body never does. So it must not fail, must end, and must not be consumed inside. Hence assertions,
// while loops and calls do not move. Nor do arrays of n - 1 elements where only the fact that the body runs says that n is not 0. Reads
// and updates move if their proofs are bound outside, too. They also move if they stay inside of their arrays because of the loops and
// conditions around, or of the loops that move with them. A loop that updates arrays moves together with what makes them, and an update of
// an accumulator with its whole scope. Code does not leave branches.
//
// On processors, loops, parallel operations, mathematical functions and choices of elements that make numbers leave a map or loop even if they
// may fail. Then they ask whether the body runs:
//
//   map n (\x -> { r = reduce .. asserts ..; .. }) xs   ==>   r = if 0 < n { reduce .. } else { 0 };  map n (\x -> ..) xs
//
// Nothing before them in the body may fail, so that the same check fails first. Before differentiation so do elements that a loop reads
// again and again: then their adjoints are numbers, which the return sweep adds to its array once.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/facts.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class Hoister {
 public:
  Hoister(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p), consumed_(aliases_.own_memory()), made_(p), facts_(p) {}
  void function(Function& f) {
    size_t mark = facts_.mark();
    for (Bind b : f.lambda.params) facts_.bound(b.var);
    body(f.lambda.body);
    facts_.forget_since(mark);
  }
  // What it binds is known to facts_ afterwards.
  void body(Body& b) {
    List<Stm> out;
    for (auto& item : b.stms.take()) {
      Stm& s = *item;
      size_t mark = facts_.mark(), begin = facts_.definitions();
      facts_.in_bodies(s, [&](Body& inner) { body(inner); });
      facts_.forget_since(mark);
      size_t end = facts_.definitions();
      if (std::holds_alternative<If>(s.exp)) define(s);      // what its branches define tells what a condition does
      facts_.forget_definitions(begin, end);
      if (!std::holds_alternative<If>(s.exp)) {
        lift_from(s, out);
        define(s);
      }
      out.push_back(std::move(item));
    }
    b.stms = std::move(out);
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;
  VarSet consumed_;
  Definitions made_;
  Facts facts_;                                              // at the place to which statements move

  void define(const Stm& s) {
    for (Bind x : s.pattern) {
      facts_.bound(x.var);
      facts_.define(x.var, s.exp);
    }
  }
  bool not_negative(const Atom& a, int depth = 0) const {
    if (auto l = facts_.form(a); l && facts_.nonnegative(*l)) return true;
    const Stm* s = made_.of(a);
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
      if (is_array(t) && std::ranges::find(given, b.var) == given.end() && aliases_.has_root_in(b.var, consumed_)) return false;
    }
    if (!s.attrs.empty()) return false;
    bool ok = traits_of(s.exp).speculatable;
    for (Bind b : s.pattern)
      if (is_array(p_.type(b.var)) && s.checks.empty() && !is_view(s.exp))
        ok = ok && std::ranges::all_of(shape_of(p_.type(b.var)), [&](const Dim& d) { return not_negative(d); });
    walk_parts(s, [&](const Body& inner) { each_stm(inner, [&](const Stm& x) { ok = ok && traits_of(x.exp).speculatable; }); });
    return ok;
  }
  // Whether all places that s and its bodies read and update are inside of their arrays. The proof uses what is known outside, what s
  // says itself, and what its checks ask. A check alone is not enough. Where a slice and an element of it have become one read, the
  // slice has a check. The element may need none only because the body runs.
  bool keeps_inside(const Stm& s) {
    size_t mark = facts_.mark(), before = facts_.definitions();
    bool ok = inside(s);
    facts_.forget_since(mark);
    facts_.forget_definitions(before, facts_.definitions());
    return ok;
  }
  bool inside(const Stm& s) {
    if (auto at = place(s)) {
      facts_.bound(at->first);
      std::vector<Comparison> asked;
      for (Var c : s.checks) if (auto a = made_.get<Assert>(c)) comparisons(a->cond, asked);
      if (!in_bounds(shape_of(p_.type(at->first)), *at->second, asked)) return false;
    }
    if (auto update = std::get_if<AccUpdate>(&s.exp); update && update->in_range)
      if (!in_bounds(std::get<AccType>(p_.type(update->acc)).space, {update->at.begin(), update->at.end()}, {})) return false;
    bool ok = true;
    facts_.in_bodies(s, [&](const Body& b) {
      for (const Stm& x : b.stms) {
        ok = ok && inside(x);
        define(x);
      }
    });
    return ok;
  }
  static std::optional<std::pair<Var, const std::vector<Selector>*>> place(const Stm& s) {
    if (auto x = std::get_if<Index>(&s.exp)) return std::pair{x->array, &x->at};
    if (auto x = std::get_if<Update>(&s.exp)) return std::pair{x->array, &x->at};
    return {};
  }
  struct Comparison { ScalarOp op; Atom left, right; };
  // The comparisons that all hold where the condition does.
  void comparisons(const Atom& condition, std::vector<Comparison>& found) const {
    auto x = made_.get<Apply>(condition);
    if (!x) return;
    if (x->op == ScalarOp::and_) for (const Atom& part : x->args) comparisons(part, found);
    if (x->op == ScalarOp::le || x->op == ScalarOp::lt) found.push_back({x->op, x->args[0], x->args[1]});
  }
  bool in_bounds(const std::vector<Dim>& shape, const std::vector<Selector>& at, const std::vector<Comparison>& asked) {
    auto is_asked = [&](ScalarOp op, const Atom& a, const Atom& b) {
      return std::ranges::any_of(asked, [&](const Comparison& c) { return c.op == op && c.left == a && c.right == b; });
    };
    for (size_t k = 0; k < at.size(); k++) {
      if (auto i = std::get_if<Atom>(&at[k]))
        if (is_asked(ScalarOp::le, i64_atom(0), *i) && is_asked(ScalarOp::lt, *i, shape[k])) continue;
      auto n = facts_.form(shape[k]);
      auto slice = std::get_if<Slice>(&at[k]);
      if (slice && !is_const(slice->stride, 1)) return false;
      auto first = facts_.form(slice ? slice->start : std::get<Atom>(at[k]));
      auto count = slice ? facts_.form(slice->count) : Affine(1);
      if (!n || !first || !count || !facts_.nonnegative(*first) || !facts_.nonnegative(*count) || !facts_.nonnegative(*n - *first - *count)) return false;
    }
    return true;
  }
  void lift_from(Stm& outer, List<Stm>& out) {
    VarSet inside;
    walk_parts(outer, [&](Bind& b) { inside.insert(b.var); });    // parameters, counters, state, everything bound within
    // Between kernels an element of an array costs a transfer, and a loop over elements one for each.
    bool to_host = context_.target == Target::Gpu && !std::holds_alternative<For>(outer.exp) && !std::holds_alternative<While>(outer.exp);
    walk_parts(outer, [&](Body& b) {
      Kept kept;
      for (auto& item : b.stms.take()) {
        kept.push_back(std::move(item));
        std::vector<size_t> group;
        const Stm& s = *kept.back();
        bool element = std::holds_alternative<Index>(s.exp) && is_scalar(p_.type(s.pattern[0].var));
        if (to_host && (element || std::holds_alternative<For>(s.exp))) continue;
        if (!moves(kept, kept.size() - 1, {}, inside, group) || !context_.allow()) {
          group.clear();
          if (leaves_if_run(outer, b, kept, inside, group) && context_.allow()) {
            for (Bind x : s.pattern) inside.erase(x.var);
            if_run(*runs(outer, b), kept, group, out);
          }
          continue;
        }
        for (size_t k : group) {
          for (Bind x : kept[k]->pattern) inside.erase(x.var);
          define(*kept[k]);
          context_.stats.count("hoist.moved");
          out.push_back(std::move(kept[k]));
        }
      }
      for (auto& item : kept) if (item) b.stms.push_back(std::move(item));
    });
  }
  using Kept = std::vector<std::unique_ptr<Stm>>;            // those that have moved are null
  // How often the body runs, if that is a number, and all of it runs each time.
  static std::optional<Dim> runs(const Stm& outer, const Body& b) {
    if (auto x = std::get_if<For>(&outer.exp)) return x->n;
    auto x = std::get_if<Screma>(&outer.exp);
    return x && &b == &x->pre.body ? std::optional(x->width) : std::nullopt;
  }
  // The last statement kept computes numbers, takes long, may fail, and nothing before it does. `group`: what it needs of the statements before, which
  // are copied: steps, reads and their checks.
  bool leaves_if_run(const Stm& outer, const Body& b, const Kept& kept, const VarSet& inside, std::vector<size_t>& group) const {
    const Stm& s = *kept.back();
    if (context_.target == Target::Gpu || !runs(outer, b) || !s.attrs.empty()) return false;
    if (p_.level == Ad ? !std::holds_alternative<For>(outer.exp) || !reads_number(s) : p_.level != Core || !(takes_long(s) || chooses_element(s))) return false;
    if (!std::ranges::all_of(s.pattern, [&](Bind x) { return is_scalar(p_.type(x.var)); })) return false;       // arrays fuse with what reads them
    if (!needed(kept, kept.size() - 1, inside, group)) return false;
    std::ranges::sort(group);
    bool fails = false;
    auto look = [&](const Stm& x) { fails = fails || (!traits_of(x.exp).speculatable && kind_of(x.exp) != Kind::Make); };
    for (size_t k = 0; k + 1 < kept.size(); k++) {
      if (!kept[k] || std::ranges::binary_search(group, k)) continue;
      look(*kept[k]);
      walk_parts(*kept[k], [&](const Body& part) { each_stm(part, look); });
    }
    return !fails;
  }
  // An element of an array, in a branch as well.
  bool reads_number(const Stm& s) const {
    if (std::holds_alternative<Index>(s.exp)) return is_scalar(p_.type(s.pattern[0].var));
    auto x = std::get_if<If>(&s.exp);
    return x && std::ranges::any_of(std::array{&x->then_, &x->else_}, [&](const Body* part) {
      return std::any_of(part->stms.begin(), part->stms.end(), [&](const Stm& inner) { return reads_number(inner); });
    });
  }
  // C compilers leave the branch where it is if it may fail.
  bool chooses_element(const Stm& s) const { return std::holds_alternative<If>(s.exp) && reads_number(s); }
  // A loop, a parallel operation or a mathematical function, in a branch as well.
  bool takes_long(const Stm& s) const {
    const Kind kind = kind_of(s.exp);
    if (kind == Kind::Loop || kind == Kind::Parallel) return true;
    if (auto x = std::get_if<Apply>(&s.exp)) return is_call(x->op) && is_float(elem_of(p_, x->args[0]));
    bool found = false;
    if (auto x = std::get_if<If>(&s.exp))
      for (const Body* part : {&x->then_, &x->else_}) for (const Stm& inner : part->stms) found = found || takes_long(inner);
    return found;
  }
  // Whether statement k needs nothing of an iteration but cheap statements that do not either, which join the group.
  bool needed(const Kept& kept, size_t k, const VarSet& inside, std::vector<size_t>& group) const {
    bool fine = true;
    each_use(p_, *kept[k], [&](Var v) {
      if (!fine || !inside.contains(v) || bound_in(*kept[k], v)) return;
      size_t maker = k;
      for (size_t i = 0; i < k; i++)
        if (kept[i] && std::ranges::any_of(kept[i]->pattern, [&](Bind x) { return x.var == v; })) maker = i;
      fine = maker < k;                                    // no parameter, counter or state
      if (!fine || std::ranges::find(group, maker) != group.end()) return;
      const Kind kind = kind_of(kept[maker]->exp);
      fine = (kind == Kind::Step || kind == Kind::Read || kind == Kind::View || kind == Kind::Check) && kept[maker]->attrs.empty();
      if (fine) group.push_back(maker), fine = needed(kept, maker, inside, group);
    });
    return fine;
  }
  void if_run(const Dim& n, Kept& kept, const std::vector<size_t>& group, List<Stm>& out) {
    context_.stats.count("hoist.if_run");
    std::unique_ptr<Stm> s = std::move(kept.back());
    const size_t first = out.size();
    Builder b(p_, out);
    b.source = s->source;
    const std::vector<Bind> results = s->pattern;
    for (Bind x : results) facts_.bound(x.var);
    Subst copies;
    auto copy = [&](const Stm& x) {
      Stm made = clone(p_, x, &copies);
      substitute(p_, made, copies);
      b.emit(std::move(made));
    };
    const Atom any = lt(b.number(Scalar::I64, 0), b.term(n)).atom;
    const bool always = any == Atom(bool_const(true));
    Body body = b.body([&] {
      for (size_t k : group) copy(*kept[k]);
      copy(*s);
      std::vector<Atom> made;
      for (Bind x : results) made.push_back(copies.at(x.var));
      return made;
    });
    if (always) {
      for (size_t k = 0; k < results.size(); k++) body.stms.push_back(Stm{{results[k]}, Identity{body.result[k]}, {}, s->source, {}});
      b.emit_all(std::move(body.stms));
    } else {
      If choice{any, std::move(body), {}};
      for (Bind x : results) choice.else_.result.push_back(constant(elem_of(p_.type(x.var)), 0));        // which nobody reads
      b.emit({results, std::move(choice), {}, b.source, {}});
    }
    for (size_t k = first; k < out.size(); k++) made_.add(out[k]);                                       // s is no more
  }
  // Whether statement k can move, together with those before it that make the arrays which it consumes: `group`, in order.
  bool moves(const Kept& kept, size_t k, const std::vector<Var>& given, const VarSet& inside, std::vector<size_t>& group) {
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
