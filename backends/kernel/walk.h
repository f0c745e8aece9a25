// walk.h - what statements and expressions are made of, in order.
#pragma once
#include "backends/kernel/kernel.h"
#include "compiler/base/match.h"

namespace raido::kir {

// Calls f of each body, as constant as the statement is.
template <class S, class F> void each_body(S& s, F f) {
  match(s.node, [&](auto& x) {
    if constexpr (requires { x.test; }) f(x.test);
    if constexpr (requires { x.body; }) f(x.body);
    if constexpr (requires { x.then_; }) { f(x.then_); f(x.else_); }
    if constexpr (requires { x.one_by_one; }) f(x.one_by_one);
  });
}

// Calls f of each operand. That of a load is its index.
template <class F> void each_operand(const Module& m, ExprId e, F f) {
  match(m.exprs[e.index].node, [&](const Prim& p) { for (ExprId a : p.args) f(a); }, [&](const Cast& c) { f(c.value); }, [&](const Load& l) { f(l.index); },
        [](const Const&) {}, [](const Name&) {}, [](const Hardware&) {});
}
// Whether it holds for the expression or for one that it is made of.
template <class F> bool any_part(const Module& m, ExprId e, const F& holds) {
  bool found = holds(e);
  if (!found) each_operand(m, e, [&](ExprId a) { found = found || any_part(m, a, holds); });
  return found;
}
// Whether the expression itself is an operation that C compilers make no vectors of.
inline bool is_without_vectors(const Module& m, ExprId e) {
  auto p = std::get_if<Prim>(&m.exprs[e.index].node);
  if (!p) return false;
  const auto second = p->args.size() > 1 ? m.const_of(p->args[1]) : std::nullopt;
  return !has_vector_form(p->op, p->at, second ? &*second : nullptr);
}
// Calls f of each name in the expression. The memory of a load comes before what is in its index.
template <class F> void each_name(const Module& m, ExprId e, const F& f) {
  const auto& node = m.exprs[e.index].node;
  if (auto n = std::get_if<Name>(&node)) f(*n);
  if (auto l = std::get_if<Load>(&node)) f(l->memory);
  each_operand(m, e, [&](ExprId a) { each_name(m, a, f); });
}

}  // namespace raido::kir
