// double_buffer.cc - an array made anew by every iteration of a loop alternates between two blocks.
//
//   for i < n (m: block = m0, a @ m = a0) { let m' = alloc s; .. a' @ m' ..; in m', a' }
//   ==>
//   let b = alloc s, c = alloc s
//   for i < n (m: block = m0, p: block = b, q: block = c, a @ m = a0) { .. a' @ p ..; in p, q, p, a' }
//
// when s is known outside the loop. The iteration reads m and writes p; the next one reads p and writes q, and so on. The
// initial block is never written, since somebody else may read it. Neither m nor m' may reach another result or loop: then
// an older iteration's array would still be in use when its block comes round.
#include "compiler/ir/analysis/defs.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class DoubleBuffer {
 public:
  DoubleBuffer(Program& p, PassContext& c) : p_(p), c_(c) {}

  void body(Body& b) {
    List<Stm> out;
    for (auto& s : b.stms.take()) {
      walk_parts(*s, [&](Body& inner) { body(inner); });
      if (auto x = std::get_if<For>(&s->exp)) loop(out, *s, *x, nullptr);
      if (auto x = std::get_if<While>(&s->exp)) loop(out, *s, *x, &x->cond);
      out.push_back(std::move(s));
    }
    b.stms = std::move(out);
  }

 private:
  Program& p_;
  PassContext& c_;

  static size_t mentions(const Body& b, Var v) {
    size_t n = 0;
    walk(b, overloaded{[&](const Var& u) { n += u == v; }, [&](const Bind&) {}});
    return n;
  }

  template <class Loop> void loop(List<Stm>& out, Stm& s, Loop& x, Lambda* cond) {
    const VarSet bound = bound_in(s.exp);
    for (size_t k = 0; k < x.state.size(); k++) {
      Var m = x.state[k].var;
      auto made = var_of(x.body.result[k]);
      if (!std::holds_alternative<BlockType>(p_.type(m)) || !made) continue;
      const Stm* at = nullptr;
      for (const Stm& t : x.body.stms)
        if (std::holds_alternative<Alloc>(t.exp) && t.pattern[0].var == *made) at = &t;
      if (!at || mentions(x.body, m) > 0 || mentions(x.body, *made) != 1) continue;
      const Alloc alloc = std::get<Alloc>(at->exp);
      if (auto bytes = var_of(alloc.bytes); bytes && bound.contains(*bytes)) continue;
      if (!c_.allow()) continue;
      c_.stats.count("double_buffer.loops");
      x.body.stms.erase(*at);
      Var p = add_state(out, s, x, cond, alloc, m), q = add_state(out, s, x, cond, alloc, m);
      Subst to{{*made, p}};
      substitute(p_, x.body, to);
      x.body.result.push_back(q);
      x.body.result.push_back(p);
    }
  }

  // A block allocated before the loop as further state.
  template <class Loop> Var add_state(List<Stm>& out, Stm& s, Loop& x, Lambda* cond, const Alloc& alloc, Var like) {
    auto fresh = [&] { return p_.fresh(p_.hint(like), p_.type(like)); };
    Var block = fresh(), state = fresh();
    out.push_back(Stm{{{block}}, Alloc{alloc.space, alloc.bytes, true}, {}, s.source, {}});
    x.state.push_back({state});
    x.init.push_back(block);
    s.pattern.push_back({fresh()});
    if (cond) cond->params.push_back({fresh()});
    return state;
  }
};

}  // namespace

void double_buffer(Program& program, PassContext& context) {
  DoubleBuffer pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
