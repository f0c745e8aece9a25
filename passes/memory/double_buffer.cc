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
//
// A small array inside of another loop stays in one block, and is copied there:
//
//   let b = alloc s; let a0' @ b = a0
//   for i < n (a @ b = a0') { let m' = alloc s; .. a' @ m' ..; let a'' @ b = copy a'; in a'' }
//
// C compilers then know where it lies. The loop around may run in lanes: each lane has a part of both blocks.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/costs.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class DoubleBuffer {
 public:
  DoubleBuffer(Program& p, PassContext& c) : p_(p), c_(c) {}

  void whole(Body& b) {
    body(b, false);
    substitute(p_, b, one_block_);
    one_block_.clear();
  }


 private:
  Program& p_;
  PassContext& c_;
  Subst one_block_;                  // blocks of states -> the blocks where these stay

  void body(Body& b, bool inside) {
    List<Stm> out;
    for (auto& s : b.stms.take()) {
      const bool branch = std::holds_alternative<If>(s->exp);
      walk_parts(*s, [&](Body& inner) { body(inner, inside || !branch); });
      if (auto x = std::get_if<For>(&s->exp)) loop(out, *s, *x, nullptr, inside);
      if (auto x = std::get_if<While>(&s->exp)) loop(out, *s, *x, &x->cond, inside);
      out.push_back(std::move(s));
    }
    b.stms = std::move(out);
  }

  static size_t mentions(const Body& b, Var v) {
    size_t n = 0;
    walk(b, overloaded{[&](const Var& u) { n += u == v; }, [&](const Bind&) {}});
    return n;
  }

  template <class Loop> void loop(List<Stm>& out, Stm& s, Loop& x, Lambda* cond, bool inside) {
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
      const auto one = inside && is_small(alloc) ? single_array(x, m, bound) : std::nullopt;
      if (!c_.allow()) continue;
      if (one) {
        c_.stats.count("double_buffer.copy");
        keep_in_one(out, s, x, cond, alloc, k--, *one);
        continue;
      }
      c_.stats.count("double_buffer.loops");
      x.body.stms.erase(*at);
      Var p = add_state(out, s, x, cond, alloc, m), q = add_state(out, s, x, cond, alloc, m);
      Subst to{{*made, p}};
      substitute(p_, x.body, to);
      x.body.result.push_back(q);
      x.body.result.push_back(p);
    }
  }

  // A copy in the memory of a device may be a kernel.
  static bool is_small(const Alloc& alloc) {
    auto bytes = const_of(alloc.bytes);
    return alloc.space != Space::Device && bytes && bytes->as_i64() <= costs::copied_state;
  }
  // The state that lies in the block, if it is one array from the beginning of the block on, as large in each iteration. `bound`: by the loop.
  template <class Loop> std::optional<size_t> single_array(const Loop& x, Var m, const VarSet& bound) const {
    std::optional<size_t> found;
    for (size_t k = 0; k < x.state.size(); k++) {
      auto a = std::get_if<ArrayType>(&p_.type(x.state[k].var));
      if (!a || a->place->block != m) continue;
      const Lmad& lies = a->place->layout;
      bool whole = is_const(lies.offset, 0) && std::ranges::all_of(lies.strides, [](const Atom& d) { return const_of(d); });
      const bool stays = std::ranges::none_of(a->shape, [&](const Dim& d) { return var_of(d) && bound.contains(*var_of(d)); });
      if (found || !whole || !stays || !var_of(x.body.result[k])) return {};
      found = k;
    }
    return found;
  }
  // State k is the block, and state `at` the array in it.
  template <class Loop> void keep_in_one(List<Stm>& out, Stm& s, Loop& x, Lambda* cond, const Alloc& alloc, size_t k, size_t at) {
    const Var m = x.state[k].var;
    const Var block = p_.fresh(p_.hint(m), p_.type(m));
    out.push_back(Stm{{{block}}, Alloc{alloc.space, alloc.bytes}, {}, s.source, {}});
    one_block_[m] = one_block_[s.pattern[k].var] = Atom(block);
    if (cond) one_block_[cond->params[k].var] = Atom(block);
    auto copied = [&](List<Stm>& to, const Atom& array) {
      Type type = p_.type(x.state[at].var);
      std::get<ArrayType>(type).place->block = block;
      Var copy = p_.fresh(p_.hint(*var_of(array)), std::move(type));
      to.push_back(Stm{{{copy}}, Copy{*var_of(array)}, {}, s.source, {}});
      return copy;
    };
    x.init[at] = copied(out, x.init[at]);
    x.body.result[at] = copied(x.body.stms, x.body.result[at]);
    auto drop = [&](auto& list) { list.erase(list.begin() + i64(k)); };
    drop(x.state);
    drop(x.init);
    drop(x.body.result);
    drop(s.pattern);
    if (cond) drop(cond->params);
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
  program.each_body([&](Body& b) { pass.whole(b); });
}

}  // namespace raido
