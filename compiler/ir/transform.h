// transform.h - free variables, substitution, cloning. Binders are unique in a program, so "free" is plain set
// difference and substitution cannot capture.
#pragma once
#include <functional>
#include <unordered_map>

#include "compiler/ir/types.h"

namespace raido::ir {

using Subst = std::unordered_map<Var, Atom>;

// Free variables of x in order of first use, sizes in the types of its binders included.
template <class X> std::vector<Var> free_vars(const Program& p, const X& x) {
  VarSet seen;
  std::vector<Var> free;
  each_bind(x, [&](Var v) { seen.insert(v); });
  each_use(p, x, [&](Var v) {
    if (seen.contains(v)) return;
    seen.insert(v);
    free.push_back(v);
  });
  return free;
}

// Replaces uses in x, and in what is known of the variables that x binds. Where a variable is demanded (an array, a token),
// the replacement is one.
template <class X> void substitute(Program& p, X& x, const Subst& s) {
  if (s.empty()) return;
  auto in_var = [&](Var& v) {
    auto found = s.find(v);
    if (found == s.end()) return;
    auto to = var_of(found->second);
    CHECK(to, "a constant cannot take the place of the array `{}`", p.hint(v));
    v = *to;
  };
  auto in_atom = [&](Atom& a) {
    if (auto v = var_of(a))
      if (auto found = s.find(*v); found != s.end()) a = found->second;
  };
  walk(x, overloaded{in_var, in_atom, [&](Bind& b) {
    VarInfo& info = p.vars[b.var.index];
    walk(info.type, overloaded{in_var, in_atom});
    for (Var& v : info.before) in_var(v);
  }});
}

// A copy with fresh binders: the only legal way to use a lambda or a body twice. `renamed`, if given, receives old -> new.
template <class X> X clone(Program& p, const X& x, Subst* renamed = nullptr) {
  X copy = x;
  Subst s;
  walk(copy, [&](Bind& b) {
    Var fresh{uint32_t(p.vars.size())};
    VarInfo info = p.vars[b.var.index];
    p.vars.push_back(std::move(info));
    s.emplace(b.var, fresh);
    b.var = fresh;
  });
  substitute(p, copy, s);
  if (renamed) for (auto& [from, to] : s) renamed->insert_or_assign(from, to);
  return copy;
}

// Statements in x, those in nested bodies included.
template <class X> size_t count_statements(const X& x) {
  size_t n = 0;
  walk(x, overloaded{[&](const Stm& s) { n++; walk_parts(s, [&](const Body& b) { n += count_statements(b); }); }});
  return n;
}

// Calls f on every statement in x, outer before inner.
template <class X, class F> void each_stm(X& x, F&& f) {
  if constexpr (std::is_const_v<X>)
    walk(x, overloaded{[&](const Stm& s) { f(s); walk_parts(s, [&](const Body& b) { each_stm(b, f); }); }});
  else
    walk(x, overloaded{[&](Stm& s) { f(s); walk_parts(s, [&](Body& b) { each_stm(b, f); }); }});
}

// Equal up to the names of what is bound inside (for common subexpressions); attributes are ignored.
bool alike(const Program& p, const Exp& a, const Exp& b);
// A sequence of words that alike expressions have, and no others: to look one up among many.
std::vector<uint64_t> words_of(const Program& p, const Exp& e);

// Removes every accumulator whose type `gone` accepts from the statements of b: updates vanish; loops, branches and
// scremas lose the state, result or input. The results of b itself are the caller's to remove.
void drop_accumulators(const Program& p, Body& b, const std::function<bool(const AccType&)>& gone);

// Takes from any_order the operators of the states that will go. To be called before they go.
void keep_operators(const Program& p, For& loop, const std::vector<bool>& keep);

bool has_attr(const std::vector<Attr>& attrs, std::string_view name);
const Attr* find_attr(const std::vector<Attr>& attrs, std::string_view name);

}  // namespace raido::ir
