// counting.h - what the emulator counts beside memory accesses and cannot see while it runs: the operations of each block of code, and
// which values decide where a kernel goes.
//
// A run in which some blocks are left out computes nothing. Memory *steers* if its values decide a branch, the length of a loop or
// the place of an access. The counts are right all the same if every value in memory that steers has been computed.
#pragma once
#include <string>

#include "backends/kernel/kernel.h"

namespace raido::kir {

// The operations of the statements of `b` and of the expressions `with`, without those of inner blocks, as arguments of the word RAN:
// "OP(f64_add, 2), OP(i64_mul, 1)". Equal expressions count once; a product that only a sum uses is one operation with it. `more`: of i64.
std::string operations_of(const Module& m, const Block& b, const std::vector<ExprId>& with = {}, int more = 0);

// A letter for each parameter: `-` a scalar, `n` memory that the kernel does not touch, `r` `w` `b` memory that it reads, writes or both; a capital if it steers. `T` at the end: it traces.
std::string uses_of_parameters(const Module& m, const Kernel& k);

// What host code reads back and only gives to its caller, as results that no other function of the program looks at.
IdSet<Name> results_only(const Module& m, const HostFunction& f);

}  // namespace raido::kir
