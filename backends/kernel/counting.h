// counting.h - what the emulator counts beside memory accesses and cannot see while it runs: the operations of each block of code, and
// which values decide where a kernel goes.
//
// A run in which some blocks are left out computes nothing. Memory *steers* if its values decide a branch, the length of a loop or
// the place of an access. The counts are right all the same if every value in memory that steers has been computed.
#pragma once
#include <string>

#include "backends/kernel/kernel.h"

namespace raido::kir {

// Index arithmetic that is no instruction in a loop that is written out, if the device's compiler folds it. What only its counters and constants say is a constant of each
// iteration. A sum of that and what stands before the loop is computed once, or is the offset of an access.
class Unrolled {
 public:
  Unrolled() = default;
  Unrolled(const Module& m, const For& outermost);
  explicit operator bool() const { return m_ != nullptr; }
  bool is_free(ExprId e) const;

 private:
  const Module* m_ = nullptr;
  IdSet<Name> counters_, inside_;          // counters, and what only they say; everything else that an iteration computes

  void note(const Block& b);
  bool is_constant(ExprId e) const;
};

// The operations of the statements of `b` and of the expressions `with`, without those of inner blocks, as arguments of the word RAN:
// "OP(f64_add, 2), OP(i64_mul, 1)". Equal expressions count once; a product that only a sum uses is one operation with it. `more`: of i64.
std::string operations_of(const Module& m, const Block& b, const Unrolled& around, const std::vector<ExprId>& with = {}, int more = 0);

// A letter for each parameter: `-` a scalar, `n` memory that the kernel does not touch, `r` `w` `b` memory that it reads, writes or both; a capital if it steers. `T` at the end: it traces.
std::string uses_of_parameters(const Module& m, const Kernel& k);

// Whether what an earlier kernel has computed decides a branch, the length of a loop or the place of an access. If that kernel has failed,
// the numbers may be anything.
bool is_steered_by_memory(const Module& m, const Kernel& k);

// What host code reads back and only gives to its caller, as results that no other function of the program looks at.
IdSet<Name> results_only(const Module& m, const HostFunction& f);

}  // namespace raido::kir
