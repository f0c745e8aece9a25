// steps.cc - see steps.h.
#include "backends/kernel/steps.h"

#include <algorithm>

#include "compiler/base/match.h"

namespace raido::kir {

Steps::Step Steps::of(ExprId e) const {
  return match(m_.exprs[e.index].node, [](const Const&) -> Step { return 0; },
    [&](Name n) -> Step { auto known = step_.find(n); return known == step_.end() ? 0 : known->second; },
    [&](const Prim& p) -> Step {
      std::vector<Step> by;
      for (ExprId a : p.args) by.push_back(of(a));
      if (std::ranges::all_of(by, [](const Step& s) { return s == 0; })) return 0;
      if (is_float(p.at) || !std::ranges::all_of(by, [](const Step& s) { return s.has_value(); })) return {};
      if (p.op == ScalarOp::add) return *by[0] + *by[1];
      if (p.op == ScalarOp::sub) return *by[0] - *by[1];
      if (p.op != ScalarOp::mul) return {};
      auto factor = m_.const_of(p.args[*by[0] == 0 ? 0 : 1]);
      return factor && (*by[0] == 0 || *by[1] == 0) ? Step((*by[0] + *by[1]) * factor->as_i64()) : Step();
    },
    [&](const Cast& c) -> Step { return of(c.value) == 0 ? Step(0) : Step(); }, [](const auto&) -> Step { return {}; });
}

}  // namespace raido::kir
