// sums.h - sums of floats that are vectors until their end.
#pragma once
#include <optional>

#include "backends/kernel/kernel.h"
#include "compiler/base/match.h"

namespace raido::kir {

// Rewrites the loops that are sums of floats in any order and only compute, everywhere in the block.
void sum_in_vectors(Module& m, Block& b);

// Adds the upper half of an array of `width` elements, a power of two, to the lower one, until two elements are left; returns their sum.
ExprId sum_in_halves(Module& m, Block& out, Name terms, int64_t width);

// Puts other statements in the place of loops, everywhere in the block, the innermost first. f(loop): nothing if it stays.
template <class F> void replace_loops(Block& b, F f) {
  Block out;
  for (Stm& s : b) {
    match(s.node, [&](For& x) { replace_loops(x.body, f); }, [&](While& x) { replace_loops(x.test, f); replace_loops(x.body, f); },
          [&](If& x) { replace_loops(x.then_, f); replace_loops(x.else_, f); }, [&](ParallelFor& x) { replace_loops(x.body, f); },
          [](auto&) {});   // others have no bodies
    auto loop = std::get_if<For>(&s.node);
    std::optional<Block> other = loop ? f(*loop) : std::nullopt;
    if (!other) { out.push_back(std::move(s)); continue; }
    for (Stm& r : *other) out.push_back(std::move(r));
  }
  b = std::move(out);
}

// Whether the loop's body has no other loops, branches, checks or calls: C compilers can make vectors of it.
bool only_computes(const Block& b);

}  // namespace raido::kir
