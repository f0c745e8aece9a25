// zeros.cc - see zeros.h.
#include "compiler/ir/analysis/zeros.h"

#include <cmath>

#include "compiler/ir/analysis/flow.h"

namespace raido::ir {

namespace {

template <class F> void each_operator(const Exp& e, F f) {
  match(e, [&](const auto& x) {
    if constexpr (requires { x.scans; }) for (auto* some : {&x.reduces, &x.scans, &x.post_reduces}) for (const Combine& c : *some) f(c);
    if constexpr (requires { x.dests; }) for (const Dest& d : x.dests) if (d.combine) f(*d.combine);
  });
}
template <class F> void each_edge(const Program& p, const Body& b, F&& f) {
  for (const Stm& s : b.stms)
    each_flow(p, s,
              [&](const Atom& from, Var to, Flow how) { if (how != Flow::Steers) f(s, from, to, how); },
              [&](const Body& inner) { each_edge(p, inner, f); });
}

}  // namespace

Zeros::Zeros(const Program& p) {
  p.each_body([&](const Body& b) { each_edge(p, b, [&](const Stm&, const Atom&, Var to, Flow) { zero_.insert(to); }); });
  bool changed;
  auto drop = [&](Var v) {
    changed = changed || zero_.contains(v);
    zero_.erase(v);
  };
  // The neutral element of an operator is on either side of it.
  auto neutrals = [&](const Combine& c) {
    size_t n = c.neutral.size();
    for (size_t k = 0; k < n; k++)
      if (!contains(c.neutral[k])) drop(c.op.params[k].var), drop(c.op.params[n + k].var);
  };
  do {
    changed = false;
    p.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) { each_operator(s.exp, neutrals); });
      each_edge(p, b, [&](const Stm& s, const Atom& from, Var to, Flow how) {
        if (how == Flow::Computed ? !is_computed(s.exp) : !contains(from)) drop(to);
      });
    });
  } while (changed);
}
// Zero times infinity is no number.
bool Zeros::is_computed(const Exp& e) const {
  if (auto x = std::get_if<Convert>(&e)) return contains(x->value);
  auto x = std::get_if<Apply>(&e);
  if (!x) return false;
  auto zero = [&](size_t k) { return contains(x->args[k]); };
  auto finite = [&](size_t k) {
    auto c = const_of(x->args[k]);
    return zero(k) || (c && (!is_float(c->type) || std::isfinite(c->as_f64())));
  };
  switch (x->op) {
    case ScalarOp::neg: case ScalarOp::abs: return zero(0);
    case ScalarOp::add: case ScalarOp::sub: case ScalarOp::min: case ScalarOp::max: return zero(0) && zero(1);
    case ScalarOp::mul: return (zero(0) && finite(1)) || (finite(0) && zero(1));
    case ScalarOp::div: return zero(0) && !zero(1) && const_of(x->args[1]) && finite(1);
    default: return false;
  }
}
bool Zeros::contains(const Atom& a) const {
  if (auto c = const_of(a)) return is_zero(*c);
  return zero_.contains(*var_of(a));
}

}  // namespace raido::ir
