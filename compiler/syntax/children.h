// children.h - the expressions directly inside an expression (not those in its patterns and types).
#pragma once
#include <algorithm>

#include "compiler/base/small_vector.h"
#include "compiler/syntax/ast.h"

namespace raido::ast {

// Calls f(Expr*&) for each direct child, in the order written. Missing parts are skipped.
template <class E, class F> void each_child(E& e, F&& f) {
  auto maybe = [&](auto& child) { if (child) f(child); };
  auto selectors = [&](auto& at) { for (auto& s : at) { maybe(s.at); maybe(s.from); maybe(s.to); maybe(s.step); } };
  auto steps = [&](auto& all) { for (auto& s : all) selectors(s.at); };
  auto all = [&](auto& items) { for (auto& item : items) f(item); };
  match(e.node,
      [](auto& leaf) requires (std::is_same_v<std::remove_const_t<std::remove_reference_t<decltype(leaf)>>, Literal> ||
                               std::is_same_v<std::remove_const_t<std::remove_reference_t<decltype(leaf)>>, Ref> ||
                               std::is_same_v<std::remove_const_t<std::remove_reference_t<decltype(leaf)>>, Hole> ||
                               std::is_same_v<std::remove_const_t<std::remove_reference_t<decltype(leaf)>>, SizeHole>) {},
      [&](std::conditional_t<std::is_const_v<E>, const Tuple, Tuple>& x) { all(x.parts); },
      [&](std::conditional_t<std::is_const_v<E>, const Record, Record>& x) { for (auto& field : x.fields) f(field.value); },
      [&](std::conditional_t<std::is_const_v<E>, const Project, Project>& x) { f(x.record); },
      [&](std::conditional_t<std::is_const_v<E>, const Index, Index>& x) { f(x.array); selectors(x.at); },
      [&](std::conditional_t<std::is_const_v<E>, const ArrayLit, ArrayLit>& x) { all(x.elems); },
      [&](std::conditional_t<std::is_const_v<E>, const Range, Range>& x) { f(x.first); maybe(x.second); f(x.last); },
      [&](std::conditional_t<std::is_const_v<E>, const Apply, Apply>& x) { f(x.fun); all(x.args); },
      [&](std::conditional_t<std::is_const_v<E>, const Construct, Construct>& x) { all(x.args); },
      [&](std::conditional_t<std::is_const_v<E>, const Operator, Operator>& x) { f(x.left); f(x.op); f(x.right); },
      [&](std::conditional_t<std::is_const_v<E>, const Unary, Unary>& x) { f(x.operand); },
      [&](std::conditional_t<std::is_const_v<E>, const Section, Section>& x) { maybe(x.left); f(x.op); maybe(x.right); },
      [&](std::conditional_t<std::is_const_v<E>, const AccessSection, AccessSection>& x) { steps(x.steps); },
      [&](std::conditional_t<std::is_const_v<E>, const Lambda, Lambda>& x) { f(x.body); },
      [&](std::conditional_t<std::is_const_v<E>, const If, If>& x) { f(x.cond); f(x.then_); f(x.else_); },
      [&](std::conditional_t<std::is_const_v<E>, const Match, Match>& x) { f(x.on); for (auto& c : x.cases) f(c.body); },
      [&](std::conditional_t<std::is_const_v<E>, const Let, Let>& x) { f(x.value); f(x.body); },
      [&](std::conditional_t<std::is_const_v<E>, const LetFun, LetFun>& x) { f(x.def->body); f(x.body); },
      [&](std::conditional_t<std::is_const_v<E>, const Loop, Loop>& x) { f(x.init); f(x.bound); f(x.body); },
      [&](std::conditional_t<std::is_const_v<E>, const With, With>& x) { f(x.base); steps(x.steps); f(x.value); },
      [&](std::conditional_t<std::is_const_v<E>, const Ascribe, Ascribe>& x) { f(x.exp); },
      [&](std::conditional_t<std::is_const_v<E>, const Coerce, Coerce>& x) { f(x.exp); },
      [&](std::conditional_t<std::is_const_v<E>, const LocalOpen, LocalOpen>& x) { f(x.body); },
      [&](std::conditional_t<std::is_const_v<E>, const Assert, Assert>& x) { f(x.cond); f(x.body); },
      [&](std::conditional_t<std::is_const_v<E>, const Attributed, Attributed>& x) { f(x.body); });
}

// Calls f for `e` and every expression inside it, each before its children; f answers whether to go into them. Long chains do not
// deepen the stack.
template <class E, class F> void each_expression(E* root, F&& f) {
  SmallVector<E*, 32> open{root};
  while (!open.empty()) {
    E* e = open.back();
    open.pop_back();
    if (!f(e)) continue;
    size_t first = open.size();
    each_child(*e, [&](auto* child) { open.push_back(child); });
    std::reverse(open.begin() + first, open.end());
  }
}

inline bool is_let(const Expr& e) { return std::get_if<Let>(&e.node) || std::get_if<LetFun>(&e.node); }
inline bool binds_names(const Expr* e) {
  bool found = false;
  each_expression(e, [&](const Expr* x) {
    found |= std::get_if<Lambda>(&x->node) || is_let(*x) || std::get_if<Loop>(&x->node) || std::get_if<Match>(&x->node);
    return !found;
  });
  return found;
}
inline Expr* body_of_let(const Expr& e) {
  if (auto* l = std::get_if<Let>(&e.node)) return l->body;
  return std::get<LetFun>(e.node).body;
}
// What an expression gives in the end, after all its `let`s.
inline Expr* result_of(Expr* e) {
  while (is_let(*e)) e = body_of_let(*e);
  return e;
}

}  // namespace raido::ast
