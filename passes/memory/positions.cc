// positions.cc - see positions.h.
#include "passes/memory/positions.h"

#include <algorithm>

#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"

namespace raido {

using namespace ir;

Positions::Positions(const Program& p, const Body& whole) {
  each_stm(whole, [&](const Stm& s) {
    auto x = std::get_if<Apply>(&s.exp);
    if (x && x->args.size() == 2 && elem_of(p, x->args[0]) == Scalar::I64 && (x->op == ScalarOp::add || x->op == ScalarOp::sub || x->op == ScalarOp::mul))
      made_.emplace(s.pattern[0].var, *x);
  });
}

namespace {

template <class Sum> void add_product(Sum& sum, const Sum& x, const Sum& y) {
  for (const auto& [left, by] : x)
    for (const auto& [right, times] : y) {
      std::vector<Var> product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::ranges::sort(product);
      sum[product] += by * times;
    }
}

}  // namespace

std::optional<Positions::Sum> Positions::of(const Atom& a, int depth) const {
  auto v = var_of(a);
  if (!v) return Sum{{{}, uint64_t(const_of(a)->as_i64())}};
  auto found = made_.find(*v);
  if (found == made_.end() || depth == 0) return Sum{{{*v}, 1}};
  auto x = of(found->second.args[0], depth - 1), y = of(found->second.args[1], depth - 1);
  if (!x || !y) return {};
  Sum sum;
  if (found->second.op == ScalarOp::mul) {
    add_product(sum, *x, *y);
  } else {
    sum = *x;
    for (const auto& [product, times] : *y) sum[product] += found->second.op == ScalarOp::add ? times : -times;
  }
  if (sum.size() > costs::cpu::position_terms) return {};
  return sum;
}

std::optional<Positions::Sum> Positions::of(const Lmad& layout, const std::vector<Selector>& at) const {
  auto sum = of(layout.offset, costs::cpu::position_depth);
  for (size_t d = 0; d < at.size() && sum; d++) {
    auto index = std::get_if<Atom>(&at[d]);
    auto i = index ? of(*index, costs::cpu::position_depth) : std::nullopt, apart = of(layout.strides[d], costs::cpu::position_depth);
    if (!i || !apart) return {};
    add_product(*sum, *i, *apart);
  }
  return sum;
}

bool Positions::same(const Lmad& a, const std::vector<Selector>& at, const Lmad& b, const std::vector<Selector>& there) const {
  auto x = of(a, at), y = of(b, there);
  if (!x || !y) return false;
  for (auto* sum : {&*x, &*y}) std::erase_if(*sum, [](const auto& term) { return term.second == 0; });
  return *x == *y;
}

}  // namespace raido
