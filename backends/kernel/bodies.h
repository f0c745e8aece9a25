// bodies.h - the bodies of a statement, in order.
#pragma once
#include "backends/kernel/kernel.h"
#include "compiler/base/match.h"

namespace raido::kir {

// Calls f of each, as constant as the statement is.
template <class S, class F> void each_body(S& s, F f) {
  match(s.node, [&](auto& x) {
    if constexpr (requires { x.test; }) f(x.test);
    if constexpr (requires { x.body; }) f(x.body);
    if constexpr (requires { x.then_; }) { f(x.then_); f(x.else_); }
  });
}

}  // namespace raido::kir
