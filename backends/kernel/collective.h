// collective.h - what the translations of kernels have in common whose threads work together: statements of their own code, and the core's
// code between them.
#pragma once
#include <optional>

#include "backends/kernel/translator.h"

namespace raido::kir::translation {

class FromCore::Together {
 protected:
  Together(FromCore& t, const ir::Stm& s, const Seg& x) : t_(t), m_(t.m_), s_(s), x_(x) {}

  FromCore& t_;
  Module& m_;
  const ir::Stm& s_;
  const Seg& x_;

  ExprId declare(const char* hint, ExprId init) {
    Name n = m_.name(hint, m_.exprs[init.index].type);
    t_.emit(Declare{n, init});
    return m_.var(n);
  }
  void assign(ExprId to, ExprId value) { t_.emit(Assign{std::get<Name>(m_.exprs[to.index].node), value}); }
  ExprId op(ScalarOp what, ExprId a, ExprId b) { return m_.prim(what, {a, b}); }
  ExprId both(ExprId a, ExprId b) { return op(ScalarOp::and_, a, b); }
  ExprId is(ExprId a, int64_t n) { return op(ScalarOp::eq, a, m_.number(n)); }
  ExprId builtin(Builtin b) { return m_.expr({Hardware{b}, Scalar::I64}); }
  template <class F> void when(ExprId cond, F fill) { t_.emit(kir::If{cond, t_.block(fill), {}}); }
  template <class F> void guarded(bool elements, F fill) { t_.emit(Guarded{t_.block(fill), elements}); }
  // result(k, value) for each component of left op right.
  template <class F> void combine(const std::vector<Combine>& ops, const std::vector<ExprId>& left, const std::vector<ExprId>& right, F result) {
    guarded(false, [&] {
      size_t first = 0;
      for (const Combine& c : ops) {
        combine_one(c, first, left, right, result);
        first += c.neutral.size();
      }
    });
  }
  template <class F> void combine(const Combine& c, const std::vector<ExprId>& left, const std::vector<ExprId>& right, F result) {
    guarded(false, [&] { combine_one(c, 0, left, right, result); });
  }
  // The values of `count` lanes in shared memory, one of each array from `first` on: neighbours first, then neighbours of these, so that the
  // first one ends with all of them in order. `local`: the thread's number among these lanes; takes_part: only where this holds.
  void combine_neighbours(const std::vector<Combine>& ops, const std::vector<Name>& shared, ExprId first, ExprId local, ExprId count, std::optional<ExprId> takes_part) {
    ExprId apart = declare("apart", m_.number(1));
    Block step = t_.block([&] {
      t_.emit(Barrier{});
      ExprId at = declare("at", m_.mul(m_.mul(local, m_.number(2)), apart)), has_other = op(ScalarOp::lt, m_.add(at, apart), count);
      when(takes_part ? both(*takes_part, has_other) : has_other, [&] {
        ExprId here = declare("here", m_.add(first, at));
        std::vector<ExprId> left, right;
        for (Name a : shared) left.push_back(t_.load(a, here, "left"));
        for (Name a : shared) right.push_back(t_.load(a, m_.add(here, apart), "right"));
        combine(ops, left, right, [&](size_t k, ExprId now) { t_.emit(Store{shared[k], here, now}); });
      });
      assign(apart, m_.mul(apart, m_.number(2)));
    });
    t_.emit(kir::While{{}, op(ScalarOp::lt, apart, count), std::move(step)});
  }

 private:
  template <class F> void combine_one(const Combine& c, size_t first, const std::vector<ExprId>& left, const std::vector<ExprId>& right, F result) {
    size_t n = c.neutral.size();
    for (size_t k = 0; k < n; k++) {
      t_.scalar_[c.op.params[k].var] = left[first + k];
      t_.scalar_[c.op.params[n + k].var] = right[first + k];
    }
    t_.body(c.op.body, {});
    for (size_t k = 0; k < n; k++) result(first + k, t_.atom(c.op.body.result[k]));
  }
};

}  // namespace raido::kir::translation
