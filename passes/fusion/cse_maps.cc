// cse_maps.cc - what two scremas over the same elements both compute, if it costs more than to keep it (V11).
//
//   let s = reduce n (+) (map (\x -> exp x) xs)        let s, es = screma n (\x -> let e = exp x in e, e) xs
//   let ys = map n (\x -> exp x * s) xs          ==>   let ys = map n (\e -> e * s) es
//
// The two cannot be one where the second needs a result of the first, as a return sweep does of its forward sweep. Values
// are the same if they are made by the same operations from the same elements. Calls of mathematical functions cost more than
// memory does, and so do sums (values.h). On devices they do not, which is why this is for processors only.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "passes/fusion/values.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class CseMaps {
 public:
  CseMaps(Program& p, PassContext& context) : p_(p), context_(context), aliases_(p) {}

  void body(Body& b) {
    std::vector<Stm*> earlier;
    for (Stm& s : b.stms) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto x = std::get_if<Screma>(&s.exp);
      if (!x || !identity_post(*x) || !x->post_reduces.empty()) continue;
      for (Stm* before : earlier)
        if (std::get<Screma>(before->exp).width == x->width && context_.allow()) keep_common(*before, s);
      if (costly(*x)) earlier.push_back(&s);
    }
  }

 private:
  Program& p_;
  PassContext& context_;
  Aliases aliases_;

  bool costly(const Screma& x) const {
    for (const Stm& s : x.pre.body.stms)
      for (Bind b : s.pattern) if (worth_keeping(p_, s, b.var)) return true;
    return false;
  }
  // An array may leave a lambda as it is if its size is known outside and nothing in there consumes it.
  bool may_leave(const Lambda& f, Var v) const {
    if (is_scalar(p_.type(v))) return true;
    const VarSet inside = bound_in(f);
    for (const Dim& d : shape_of(p_.type(v))) if (auto x = var_of(d); x && inside.contains(*x)) return false;
    for (const Stm& s : f.body.stms)
      for (Var x : aliases_.consumed(s)) if (aliases_.may_alias(x, v)) return false;
    return true;
  }

  void keep_common(Stm& first, Stm& second) {
    Screma &a = std::get<Screma>(first.exp), &b = std::get<Screma>(second.exp);
    size_t mapped = width_of(a.reduces) + width_of(a.scans);
    Subst same;                                           // a value of b -> that of a
    for (size_t j = 0; j < b.inputs.size(); j++) {
      if (!is_array(p_.type(b.inputs[j]))) continue;
      for (size_t i = 0; i < a.inputs.size(); i++)
        if (b.inputs[j] == a.inputs[i]) same.insert_or_assign(b.pre.params[j].var, a.pre.params[i].var);
      for (size_t k = mapped; k < first.pattern.size(); k++)
        if (b.inputs[j] == first.pattern[k].var) same.insert_or_assign(b.pre.params[j].var, a.pre.body.result[k]);
    }
    if (same.empty()) return;
    std::vector<const Stm*> common;                       // statements of b whose values a computes, too
    VarSet needed;                                        // by the rest of b
    bool worth = false;
    for (const Stm& s : b.pre.body.stms) {
      const Stm* twin = twin_in(p_, a.pre.body, s, same);
      if (!twin) {
        each_use(p_, s, [&](Var v) { needed.insert(v); });
        continue;
      }
      for (Bind x : s.pattern) worth = worth || worth_keeping(p_, s, x.var);
      common.push_back(&s);
      for (size_t k = 0; k < s.pattern.size(); k++) same.insert_or_assign(s.pattern[k].var, twin->pattern[k].var);
    }
    if (!worth) return;
    each_use(p_, b.pre.body.result, [&](Var v) { needed.insert(v); });
    Subst kept;
    VarSet heavy;                                         // more than a few instructions away from what is kept anyway
    for (const Stm* s : common) {
      bool later = mentions(p_, s->exp, heavy);
      for (Bind x : s->pattern) {
        if (!later && !worth_keeping(p_, *s, x.var)) continue;
        if (!needed.contains(x.var) || !may_leave(a.pre, *var_of(same.at(x.var))) || !may_leave(b.pre, x.var)) {
          heavy.insert(x.var);
          continue;
        }
        Var values = p_.fresh(p_.hint(x.var), lifted(a.width, p_.type(x.var))), value = p_.fresh(p_.hint(x.var), p_.type(x.var));
        a.pre.body.result.push_back(same.at(x.var));
        first.pattern.push_back({values});
        b.inputs.push_back(values);
        b.pre.params.push_back({value});
        kept.emplace(x.var, value);
        context_.stats.count("cse_maps.V11");
      }
    }
    substitute(p_, b.pre.body, kept);
  }
};

}  // namespace

void cse_maps(Program& program, PassContext& context) {
  CseMaps cse(program, context);
  program.each_body([&](Body& b) { cse.body(b); });
}

}  // namespace raido
