// unswitch.cc - takes a branch out of a loop if it goes the same way in all iterations, and updates arrays or is long. There are two loops then.
//
//   for i < n (xs) { let y = if c { update xs .. } else { .. } }   ==>   if c { for i < n (xs) { update xs .. } } else { for i < n (xs) { .. } }
//
// C compilers do so for short branches that make numbers. In the return sweep of a stencil, the rows at the edges are such a branch. After this
// pass, updates can be added in strips, and stored as vectors. Only innermost loops with small bodies are copied, and loops and tasks over rows
// that are scanned in vectors if they are long: in the version for short rows, rows are lanes.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// A loop, or a seg of tasks. (How updates of tasks are kept apart has been decided for the seg as it is.)
const Body* repeated(const Exp& e) {
  if (auto loop = std::get_if<For>(&e)) return &loop->body;
  auto seg = std::get_if<Seg>(&e);
  return seg && seg->level == SegLevel::Task ? &seg->body : nullptr;
}

// The condition of the first such branch.
std::optional<Var> condition(const Program& p, const Exp& e) {
  const Body* body = repeated(e);
  if (!body || count_statements(*body) > costs::peeled_statements) return {};
  const VarSet inside = bound_in(e);
  if (auto loop = std::get_if<For>(&e)) {
    for (Bind x : loop->state) {
      bool depends = false;                                // on another state
      walk(p.type(x.var), [&](const Var& v) { depends = depends || inside.contains(v); });
      if (depends) return {};
    }
  }
  std::optional<Var> found;
  bool innermost = std::holds_alternative<For>(e), scans = false;     // scans: the branch is between a scan in vectors and one for short rows (vector_scans.h)
  each_stm(*body, [&](const Stm& s) { innermost = innermost && kind_of(s.exp) != Kind::Loop && kind_of(s.exp) != Kind::Parallel; });
  for (const Stm& s : body->stms) {
    auto x = std::get_if<If>(&s.exp);
    const Var* c = x ? var_of(x->cond) : nullptr;
    if (found || !c || inside.contains(*c)) continue;
    each_stm(x->then_, [&](const Stm& inner) { scans = scans || std::holds_alternative<Seg>(inner.exp); });
    bool arrays = std::ranges::any_of(s.pattern, [&](Bind b) { return is_array(p.type(b.var)); });
    if (arrays || count_statements(x->then_) + count_statements(x->else_) > costs::switched_statements) found = *c;
  }
  return innermost || scans ? found : std::nullopt;
}

void unswitch(Program& p, PassContext& context, Body& whole) {
  rewrite(p, whole, [&](Builder& b, Stm& s, Subst&) {
    walk_parts(s, [&](Body& inner) { unswitch(p, context, inner); });
    const bool accumulates = std::ranges::any_of(s.pattern, [&](Bind x) { return is_acc(p.type(x.var)); });
    auto c = s.checks.empty() && (!accumulates || std::holds_alternative<For>(s.exp)) ? condition(p, s.exp) : std::nullopt;
    if (!c || !context.allow()) return false;
    auto version = [&](bool holds) {
      return b.body([&] {
        Stm made{{}, clone(p, s.exp), {}, s.source, s.attrs};
        substitute(p, made.exp, {{*c, bool_const(holds)}});
        std::vector<Atom> results;
        for (Bind x : s.pattern) results.push_back(made.pattern.emplace_back(p.fresh(p.hint(x.var), p.type(x.var))).var);
        b.emit(std::move(made));
        return results;
      });
    };
    If choice{*c, version(true), {}};
    choice.else_ = version(false);
    b.emit({s.pattern, std::move(choice), {}, s.source, {}});
    context.stats.count("unswitch.loops");
    return true;
  });
}

}  // namespace

void unswitch(Program& program, PassContext& context) {
  program.each_body([&](Body& b) { unswitch(program, context, b); });
}

}  // namespace raido
