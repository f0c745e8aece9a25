// fuse_loops.cc - a loop that reads only element i of what another makes in iteration i is one loop with that.
//
//   let a, ys = for i < n (a = ne, ys = ys0) { .. ys with [i] = x .. in a', ys' }
//   let t     = for j < n (t = t0) { .. ys[j] .. in t' }
//     ==>
//   let a, ys, t = for i < n (a = ne, ys = ys0, t = t0) { .. ys with [i] = x .. ; .. x .. in a', ys', t' }                                      L4
//
// So the sum of what a scan makes needs no array where both run one after the other, as in the rows of a matrix. The iterations of the first
// loop wait for each other with a number, so no vectors are lost. The work of the second is done meanwhile. Sums of floats stay apart from
// loops in which only integers wait, since these wait less.
#include <algorithm>

#include "compiler/ir/build.h"
#include "passes/fusion/pairs.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class LoopFuser : Pairs {
 public:
  LoopFuser(Program& p, PassContext& context) : Pairs(p), context_(context) {}

  void body(Body& b) {
    for (Stm& s : b.stms) walk_parts(s, [&](Body& inner) { body(inner); });
    auto saved = std::exchange(facts_, {});
    for (size_t j = 1; j < b.stms.size(); j++) {
      if (!plain_loop(b.stms[j])) continue;
      for (size_t i = j; i-- > 0;)
        if (fuse(b, i, j)) { j--; break; }
    }
    facts_ = std::move(saved);
  }

 private:
  PassContext& context_;

  static For* plain_loop(Stm& s) {
    auto x = std::get_if<For>(&s.exp);
    return x && s.attrs.empty() && x->vectors == Vectors::Open && !x->blocks && !x->counted && !x->group && !x->budget && !x->slots ? x : nullptr;
  }
  bool has_number(const For& x, bool floats_only) const {
    return std::ranges::any_of(x.state, [&](Bind v) {
      return is_scalar(p_.type(v.var)) && (!floats_only || is_float(elem_of(p_, v.var)));
    });
  }
  // The number that iteration i stores as element i of state `k`, and nothing else.
  std::optional<Atom> element(const For& x, size_t k) const {
    if (!is_array(p_.type(x.state[k].var))) return {};
    for (const Stm& s : x.body.stms) {
      auto u = std::get_if<Update>(&s.exp);
      if (!u || u->array != x.state[k].var || x.body.result[k] != Atom(s.pattern[0].var)) continue;
      return u->at == std::vector<Selector>{Atom(x.i.var)} && is_scalar(p_.type(u->value)) ? std::optional(u->value) : std::nullopt;
    }
    return {};
  }
  bool used_elsewhere(const Body& b, size_t i, size_t j, Var v) {
    bool used = false;
    each_use(p_, b.result, [&](Var u) { used = used || u == v; });
    for (size_t k = i + 1; k < b.stms.size() && !used; k++) used = k != j && std::ranges::find(facts(b.stms[k]).uses, v) != facts(b.stms[k]).uses.end();
    return used;
  }

  bool fuse(Body& b, size_t i, size_t j) {
    Stm &ps = b.stms[i], &cs = b.stms[j];
    For *p = plain_loop(ps), *c = plain_loop(cs);
    if (!p || !c || p->n != c->n || p->any_order || !has_number(*p, false) || (has_number(*c, true) && !has_number(*p, true))) return false;
    Subst elements;                                        // what stands for an array of p
    VarSet results;
    for (size_t k = 0; k < p->state.size(); k++) {
      results.insert(ps.pattern[k].var);
      if (auto x = element(*p, k)) elements.emplace(ps.pattern[k].var, *x);
    }
    if (elements.empty() || !uses_any(cs, results) || !costs_little(c->body)) return false;
    auto reads_element = [&](const Stm& s) {
      auto x = std::get_if<Index>(&s.exp);
      return x && elements.contains(x->array) && x->at == std::vector<Selector>{Atom(c->i.var)};
    };
    size_t uses = 0, reads = 0;
    VarSet read;
    each_use(p_, cs, [&](Var v) { uses += results.contains(v); });
    each_stm(c->body, [&](const Stm& s) {
      if (reads_element(s)) reads++, read.insert(std::get<Index>(s.exp).array);
    });
    if (uses != reads || std::ranges::any_of(ps.pattern, [&](Bind x) { return read.contains(x.var) && used_elsewhere(b, i, j, x.var); })) return false;
    std::vector<bool> later;
    if (!movable(b, i, j, later) || !context_.allow()) return false;

    Subst here;
    here.emplace(c->i.var, p->i.var);
    each_stm(c->body, [&](const Stm& s) {
      if (reads_element(s)) here.emplace(s.pattern[0].var, elements.at(std::get<Index>(s.exp).array));
    });
    drop(c->body, reads_element);
    substitute(p_, c->body, here);
    Stm fused = std::move(ps);
    For& f = std::get<For>(fused.exp);
    auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(f.state, c->state);
    append(f.init, c->init);
    append(fused.pattern, cs.pattern);
    append(f.body.result, c->body.result);
    f.body.stms.splice(f.body.stms.size(), std::move(c->body.stms));
    merge(fused, cs);
    replace(b, i, j, later, std::move(fused));
    context_.stats.count("fuse_loops.L4");
    return true;
  }
  template <class F> static void drop(Body& b, const F& is_dropped) {
    b.stms.filter_backwards([&](const Stm& s) { return !is_dropped(s); });
    for (Stm& s : b.stms) walk_parts(s, [&](Body& inner) { drop(inner, is_dropped); });
  }
};

}  // namespace

void fuse_loops(ir::Program& program, PassContext& context) {
  LoopFuser pass(program, context);
  with_constants(program, [&](ir::Body& b) { pass.body(b); });
}

}  // namespace raido
