// loop_parts.h - what rewrites of loops share: strips of iterations, and values that go from one loop over a strip to a later one.
#pragma once
#include <optional>

#include "backends/kernel/kernel.h"
#include "compiler/base/match.h"

namespace raido::kir {

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

// The same with what a Rewrite makes of the loops that it fits.
template <class Rewrite> void rewrite_loops(Module& m, Block& b) {
  replace_loops(b, [&](const For& loop) {
    Rewrite rewrite(m, loop);
    return rewrite.fits() ? std::optional(rewrite.run()) : std::nullopt;
  });
}

// Whether the loop's body has no other loops, branches, checks or calls: C compilers can make vectors of it.
bool only_computes(const Block& b);
// The same, but the body may have branches, too. These only set numbers.
bool computes_or_chooses(const Block& b);

// base + iterations <= to
ExprId has_iterations(Module& m, Name base, int64_t iterations, ExprId to);
// while (base + width <= to) { strip; base = base + width }
Stm while_whole(Module& m, Name base, int64_t width, ExprId to, Block strip);
// The iterations of the loop from `base` on.
For last_iterations(Module& m, const For& loop, Name base);

// Values of names, in an array for each name, with an element for each iteration of a strip.
class KeptValues {
 public:
  KeptValues(Module& m, int64_t width) : m_(m), width_(width) {}

  // Declares the arrays of those that were added, stored or read.
  void declare_arrays(Block& out) const;
  void add(Name n) { array(n); }
  void store(Block& b, Name n, ExprId l);
  // Declares the name.
  void read(Block& b, Name n, ExprId l);

 private:
  Module& m_;
  const int64_t width_;
  IdMap<Name, Name> array_;
  std::vector<Name> order_;                    // of those that have arrays

  Name array(Name n);
};

}  // namespace raido::kir
