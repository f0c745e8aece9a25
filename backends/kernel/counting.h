// counting.h - what the emulator counts beside memory accesses and cannot see while it runs: the operations of each block of code, and
// which values decide where a kernel goes.
//
// A run in which some blocks are left out computes nothing. Memory *steers* if its values decide a branch, the length of a loop or
// the place of an access. The counts are right all the same if every value in memory that steers has been computed.
#pragma once
#include <string>

#include "backends/kernel/kernel.h"

namespace raido::kir {

// The loops around a block, and which arithmetic is no instruction in it, since the device's compiler does it elsewhere.
// - Everywhere: what only constants and the size of a block say.
// - Of a loop that is written out: what only its counters and constants say is a constant of each iteration. A sum of that and what stands
//   before the loop is computed once, or is the offset of an access.
// - Of any other loop: what no iteration changes is computed before the loop.
class Around {
 public:
  explicit Around(const Module& m) : m_(&m) {}
  Around inside(const For& loop) const;
  Around inside(const While& loop) const;
  bool is_free(ExprId e) const { return is_constant(e) || is_folded(e) || is_still(e); }
  bool is_still(ExprId e) const;           // no iteration of the innermost loop that is not written out changes it

 private:
  const Module* m_;
  bool written_out_ = false, loops_ = false;
  IdSet<Name> counters_, computed_;        // of loops that are written out: counters, and what only they say; all else that an iteration computes
  IdSet<Name> still_;

  void enter(const Block& test, const Block& body);
  void note(const Block& b);
  void keep(const Block& b, const IdSet<Name>& assigned);
  bool is_folded(ExprId e) const;
  bool is_constant(ExprId e) const;
};

// The operations of the statements of `b` and of the expressions `with`, without those of inner blocks, as arguments of the word RAN:
// "OP(f64_add, 2), OP(i64_mul, 1)". Equal expressions count once; a product that only a sum uses is one operation with it. `more`: of i64.
// Of loops in `b` comes what they leave to the code before them.
std::string operations_of(const Module& m, const Block& b, const Around& around, const std::vector<ExprId>& with = {}, int more = 0);

// A letter for each parameter: `-` a scalar, `n` memory that the kernel does not touch, `r` `w` `b` memory that it reads, writes or both; a capital if it steers. `T` at the end: it traces.
std::string uses_of_parameters(const Module& m, const Kernel& k);

// Whether what an earlier kernel has computed decides a branch, the length of a loop or the place of an access. If that kernel has failed,
// the numbers may be anything.
bool is_steered_by_memory(const Module& m, const Kernel& k);

// What host code reads back and only gives to its caller, as results that no other function of the program looks at.
IdSet<Name> results_only(const Module& m, const HostFunction& f);

}  // namespace raido::kir
