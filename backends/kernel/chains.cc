// chains.cc - loops where each iteration continues the one before it with a small part of its work.
//
//   for i in from .. to { A; s = f (s, x); B }        A makes x, of what no iteration changes
//     ==>
//   base = from
//   while (base + W <= to) {
//     for l < W { i = base + l; A; xs[l] = x }
//     for l < W { i = base + l; x = xs[l]; s = f (s, x); B }
//     base += W
//   }
//   for i in base .. to { A; s = f (s, x); B }        the last iterations
//
// A scan of what a map makes is such a loop, and so are filters of signals, and searches for the nearest of some points. C compilers make no
// vectors of them. The first loop over a strip is one. Indices are computed again in the second one, so that what it stores lies side by side.
// Each number is computed as before, so the results are the same, but for functions that have vector forms.
#include "backends/kernel/chains.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "backends/kernel/loop_parts.h"
#include "backends/kernel/steps.h"
#include "backends/kernel/walk.h"
#include "compiler/base/match.h"
#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

class Chain {
 public:
  Chain(Module& m, const For& loop) : m_(m), loop_(loop), steps_(m, loop.i) {}

  // Whether the work is worth the arrays between the two loops. Finds what belongs to which.
  bool fits() {
    const For& x = loop_;
    if (!x.reduced.empty() || x.scattered || x.pairs || x.lanes || x.spmd || x.alone || x.unrolled || x.rest || x.group) return false;
    if (!only_computes(x.body) || x.body.size() > costs::cpu::chain_statements) return false;
    auto from = m_.const_of(x.from), to = m_.const_of(x.to);
    if (from && to && to->as_i64() - from->as_i64() < 2 * costs::cpu::chain_strip) return false;
    return divide() && kept_.size() <= costs::cpu::chain_arrays && work_ >= costs::cpu::chain_work && work_ >= chain_work_;
  }

  // What stands in the place of the loop.
  Block run() {
    Name base = m_.name("base", Scalar::I64);
    KeptValues values(m_, costs::cpu::chain_strip);
    for (Name n : kept_) values.add(n);
    Block out;
    out.push_back({Declare{base, loop_.from}});
    values.declare_arrays(out);
    auto each = [&](bool lanes, auto fill) {
      Name l = m_.name("l", Scalar::I64);
      For loop{l, m_.number(0), m_.number(costs::cpu::chain_strip), {}};
      loop.lanes = lanes;
      Block body;
      fill(m_.var(l), body);
      if (std::ranges::count(used_names(m_, body), loop_.i) > 0) loop.body.push_back({Declare{loop_.i, m_.add(m_.var(base), m_.var(l))}});
      for (Stm& s : body) loop.body.push_back(std::move(s));
      return Stm{std::move(loop)};
    };
    Block strip;
    strip.push_back(each(true, [&](ExprId l, Block& b) {
      for (const Stm& s : loop_.body) if (!is_chain(s) && first_.contains(std::get<Declare>(s.node).var)) b.push_back(s);
      for (Name n : kept_) values.store(b, n, l);
    }));
    strip.push_back(each(false, [&](ExprId l, Block& b) {
      for (const Stm& s : loop_.body) {
        auto d = std::get_if<Declare>(&s.node);
        if (is_chain(s) || again_.contains(d->var)) b.push_back(s);
        else if (std::ranges::count(kept_, d->var) > 0) values.read(b, d->var, l);
      }
    }));
    out.push_back(while_whole(m_, base, costs::cpu::chain_strip, loop_.to, std::move(strip)));
    out.push_back({last_iterations(m_, loop_, base)});
    return out;
  }

 private:
  Module& m_;
  const For& loop_;
  Steps steps_;
  IdSet<Name> chain_, changed_, declared_;     // what the chain computes; what iterations hand on, memory included; names of the body
  IdSet<Name> first_, again_;                  // what the first loop computes; indices that both do
  std::vector<Name> kept_;                     // in an array, from the first loop to the second
  size_t work_ = 0, chain_work_ = 0;           // operations, of the first and of the second
  std::unordered_map<Name, const Declare*> made_;

  bool is_chain(const Stm& s) const {
    auto d = std::get_if<Declare>(&s.node);
    return !d || chain_.contains(d->var);
  }
  bool in_chain(ExprId e) const {
    bool found = false;
    each_name(m_, e, [&](Name n) { found = found || changed_.contains(n) || chain_.contains(n); });
    return found;
  }
  // False if there is no chain, or the rest has no vectors.
  bool divide() {
    for (const Stm& s : loop_.body) {
      if (auto d = std::get_if<Declare>(&s.node)) declared_.insert(d->var);
      if (auto w = std::get_if<Store>(&s.node)) changed_.insert(w->memory);
      if (auto a = std::get_if<Assign>(&s.node)) {
        if (declared_.contains(a->var)) return false;
        changed_.insert(a->var);
      }
    }
    bool carried = false, vectors = true;
    std::vector<Name> needed;
    auto needs = [&](ExprId e) { each_name(m_, e, [&](Name n) { needed.push_back(n); }); };
    for (const Stm& s : loop_.body)
      match(s.node,
        [&](const Declare& d) {
          if (!d.init) { vectors = false; return; }
          made_[d.var] = &d;
          steps_.declare(d.var, &*d.init);
          if (in_chain(*d.init)) {
            chain_.insert(d.var);
            chain_work_ += operations(*d.init);
            needs(*d.init);
            return;
          }
          vectors = vectors && has_vectors(*d.init);
          if (m_.names[d.var.index].type != Scalar::I64) work_ += operations(*d.init);
        },
        [&](const Assign& a) { carried = true; needs(a.value); },
        [&](const Store& w) { needs(w.index); needs(w.value); }, [](const auto&) {});
    if (!carried || !vectors) return false;
    while (!needed.empty()) {
      Name n = needed.back();
      needed.pop_back();
      if (!declared_.contains(n) || chain_.contains(n) || again_.contains(n) || std::ranges::count(kept_, n) > 0) continue;
      if (is_index(*made_[n]->init)) {
        again_.insert(n);
        needs(*made_[n]->init);
      } else {
        kept_.push_back(n);
      }
    }
    needed = kept_;
    while (!needed.empty()) {
      Name n = needed.back();
      needed.pop_back();
      if (!made_.contains(n) || first_.contains(n)) continue;
      first_.insert(n);
      needs(*made_[n]->init);
    }
    return true;
  }
  // A sum or product of numbers that the loop does not change, and of such indices.
  bool is_index(ExprId e) const {
    return m_.exprs[e.index].type == Scalar::I64 &&
           match(m_.exprs[e.index].node, [](const Const&) { return true; },
                 [&](Name n) { return !declared_.contains(n) || is_index(*made_.at(n)->init); },
                 [&](const Prim& p) {
                   return (p.op == ScalarOp::add || p.op == ScalarOp::sub || p.op == ScalarOp::mul) && std::ranges::all_of(p.args, [&](ExprId a) { return is_index(a); });
                 },
                 [](const auto&) { return false; });
  }
  size_t operations(ExprId e) const {
    size_t sum = 0;
    any_part(m_, e, [&](ExprId part) {
      auto p = std::get_if<Prim>(&m_.exprs[part.index].node);
      sum += p && is_call(p->op) && is_float(p->at) ? costs::cpu::operations_of_call : p || std::holds_alternative<Cast>(m_.exprs[part.index].node);
      return std::holds_alternative<Load>(m_.exprs[part.index].node);
    });
    return sum;
  }
  // Whether C compilers make vectors of it: functions that have vector forms, elements that lie side by side.
  bool has_vectors(ExprId e) const {
    return !any_part(m_, e, [&](ExprId part) {
      return match(m_.exprs[part.index].node, [&](const Prim&) { return is_without_vectors(m_, part); }, [&](const Load& l) { return !steps_.is_near(l); },
                   [](const Hardware&) { return true; }, [](const auto&) { return false; });
    });
  }
};

}  // namespace

void split_chains(Module& m, Block& b) { rewrite_loops<Chain>(m, b); }

}  // namespace raido::kir
