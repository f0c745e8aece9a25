// cse_branches.cc - what two branches on one condition both compute, if it costs more than to keep it (V13).
//
//   let y = if c { let e = exp [x] .. in y1 } else { .. }         let y, e1 = if c { let e = exp [x] .. in y1, e } else { .., 0 }
//   let z = if c { let e = exp [x] .. in z1 } else { .. }   ==>   let z = if c { .. e1 .. in z1 } else { .. }
//
// The second may be the return sweep of the first, which needs the adjoints of what lies between. Only one side of both runs, so nobody reads
// the zero. Calls of mathematical functions are kept, and sums, if they are numbers (values.h). Processors only: a device calls such a
// function for less than a register costs.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "passes/fusion/values.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class CseBranches {
 public:
  CseBranches(Program& p, PassContext& context) : p_(p), context_(context) {}

  void body(Body& b) {
    std::unordered_map<Var, std::vector<Stm*>> branches;     // on a condition
    for (Stm& s : b.stms) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto second = std::get_if<If>(&s.exp);
      auto condition = second ? var_of(second->cond) : nullptr;
      if (!condition) continue;
      for (Stm* earlier : branches[*condition]) {
        If& first = std::get<If>(earlier->exp);
        keep_common(*earlier, first.then_, first.else_, second->then_);
        keep_common(*earlier, first.else_, first.then_, second->else_);
      }
      branches[*condition].push_back(&s);
    }
  }

 private:
  Program& p_;
  PassContext& context_;

  // One side of the first branch, its other side, the same side of the second.
  void keep_common(Stm& first, Body& side, Body& other, Body& second) {
    Subst same;                                           // a value of the second -> that of the first
    VarSet needed;                                        // by what only the second computes
    std::vector<const Stm*> common;
    const Twins twins(p_, side);
    for (const Stm& s : second.stms) {
      const Stm* twin = twins.of(p_, s, same);
      if (!twin) {
        each_use(p_, s, [&](Var v) { needed.insert(v); });
        continue;
      }
      common.push_back(&s);
      for (size_t k = 0; k < s.pattern.size(); k++) same.insert_or_assign(s.pattern[k].var, twin->pattern[k].var);
    }
    each_use(p_, second.result, [&](Var v) { needed.insert(v); });
    Subst kept;
    VarSet heavy;                                         // more than a few instructions away from what is kept
    for (const Stm* s : common)
      for (Bind x : s->pattern) {
        if (!worth_keeping(p_, *s, x.var) && !mentions(p_, s->exp, heavy)) continue;
        if (!needed.contains(x.var) || !is_scalar(p_.type(x.var)) || !context_.allow()) {
          heavy.insert(x.var);
          continue;
        }
        Var value = p_.fresh(p_.hint(x.var), p_.type(x.var));
        first.pattern.push_back({value});
        side.result.push_back(same.at(x.var));
        other.result.push_back(Const{elem_of(p_, x.var), 0});
        kept.emplace(x.var, value);
        context_.stats.count("cse_branches.V13");
      }
    substitute(p_, second, kept);
  }
};

}  // namespace

void cse_branches(Program& program, PassContext& context) {
  CseBranches cse(program, context);
  program.each_body([&](Body& b) { cse.body(b); });
}

}  // namespace raido
