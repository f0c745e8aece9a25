// vector_loops.h - what C compilers make of a loop of the printed program: whether they make vectors of it, and what must be hidden from them.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// At which widths the loop may run as vectors. Widest: with AVX-512 only, since it has instructions between integers of 64 bits and floats.
enum class Widths : uint8_t { None, Widest, All };

class VectorLoop {
 public:
  VectorLoop(const Module& m, const For& x);

  Widths widths() const;
  // Whether the expression has the same value in all iterations.
  bool is_given(ExprId e) const;
  // Whether it is a division of integers that has no vector form, by what all iterations have in common. It is a product with the inverse (scalars.h).
  bool divides_by_given(ExprId e) const;
  std::vector<ExprId> given_divisors() const;              // of these
  // Truth values from outside that choices depend on. GCC 12 makes vectors of such choices only where it knows a comparison that makes the value. Of
  // branches in branches it makes several loops, so there are none then.
  std::vector<Name> given_conditions() const;
  // Loads from the last element to the first that GCC makes no vectors of unless it takes the elements for scattered ones: those of a branch, and
  // those in a loop that has narrower numbers, too.
  const std::vector<ExprId>& backward_loads() const { return backward_; }
  // Operands of an integer minimum or maximum that is stored at a place which an element decides. GCC would compute it in vector registers. What
  // else reads the operand would get it through memory: histograms took five times as long.
  std::vector<Name> general() const;
  // Constants that a function may meet, as in `log (max x 1e-9)`. If GCC knew one, it would compute the function of it before the loop. Then it
  // would compute that of x in all lanes, also where x is -1: vector functions go a slow way there.
  std::vector<Const> met_by_functions() const;
  // Whether it begins with a constant and has a mathematical function of what is known then, or rounds it.
  bool calls_of_counter() const;

 private:
  const Module& m_;
  const For& x_;
  IdSet<Name> own_;                                        // what iterations declare or change
  std::vector<ExprId> backward_;

  bool combines_integers(const Assign& a) const;
  bool stores_by_counter() const;
};

}  // namespace raido::kir
