// traits.h - what kind of operation an operation is. One line for each; a new operation does not compile before it has its line.
//
// Passes ask here instead of listing operations: an operation that they have never heard of then does the right thing.
#pragma once
#include "compiler/ir/ir.h"

namespace raido::ir {

enum class Kind : uint8_t {
  Step,      // one step of scalar work
  Check,     // may stop the program
  Read,      // an element or a part of an array, by index
  View,      // the elements of an array in another shape or order; nothing moves
  Make,      // an array of its own, which can be made at any place in memory
  Constant,  // an array that lies in the program
  Write,     // of elements of an array or accumulator that it consumes
  Branch, Loop,
  Parallel,  // runs a lambda for each element
  Scope,     // of accumulators
  Operator,  // of differentiation
  Call,
  Block,     // memory itself
};

struct Traits {
  Kind kind;
  // It may run where the program does not ask for it, if its checks hold and its bodies may: it ends and cannot fail. A read has to be
  // inside of its array.
  bool speculatable;
  // Two with the same operands give the same value, which both may use.
  bool shareable;
};

template <class Operation> struct MissingLine;
template <class Operation> inline constexpr Traits traits = MissingLine<Operation>{};      // an operation without a line does not compile
template <> inline constexpr Traits traits<Identity>  = {Kind::View, true, true};      // of a scalar, too
template <> inline constexpr Traits traits<Apply>     = {Kind::Step, true, true};
template <> inline constexpr Traits traits<Convert>   = {Kind::Step, true, true};
template <> inline constexpr Traits traits<Assert>    = {Kind::Check, false, true};
template <> inline constexpr Traits traits<Call>      = {Kind::Call, false, true};
template <> inline constexpr Traits traits<If>        = {Kind::Branch, true, true};
template <> inline constexpr Traits traits<For>       = {Kind::Loop, true, true};
template <> inline constexpr Traits traits<While>     = {Kind::Loop, false, true};     // it may not end
template <> inline constexpr Traits traits<Index>     = {Kind::Read, true, true};
template <> inline constexpr Traits traits<Update>    = {Kind::Write, true, true};
template <> inline constexpr Traits traits<Iota>      = {Kind::Make, true, true};
template <> inline constexpr Traits traits<Replicate> = {Kind::Make, true, true};
template <> inline constexpr Traits traits<Scratch>   = {Kind::Make, false, false};    // each is written by its own user
template <> inline constexpr Traits traits<ArrayLit>  = {Kind::Make, true, true};
template <> inline constexpr Traits traits<Data>      = {Kind::Constant, true, true};
template <> inline constexpr Traits traits<Concat>    = {Kind::Make, true, true};
template <> inline constexpr Traits traits<Reshape>   = {Kind::View, true, true};
template <> inline constexpr Traits traits<Permute>   = {Kind::View, true, true};
template <> inline constexpr Traits traits<Copy>      = {Kind::Make, true, true};
template <> inline constexpr Traits traits<Screma>    = {Kind::Parallel, true, true};
template <> inline constexpr Traits traits<Hist>      = {Kind::Parallel, true, true};
template <> inline constexpr Traits traits<WithAcc>   = {Kind::Scope, true, true};
template <> inline constexpr Traits traits<AccUpdate> = {Kind::Write, true, true};      // with its scope
template <> inline constexpr Traits traits<Jvp>       = {Kind::Operator, false, true};
template <> inline constexpr Traits traits<Vjp>       = {Kind::Operator, false, true};
template <> inline constexpr Traits traits<Custom>    = {Kind::Operator, false, true};
template <> inline constexpr Traits traits<Seg>       = {Kind::Parallel, false, true};
template <> inline constexpr Traits traits<Tunable>   = {Kind::Step, true, true};
template <> inline constexpr Traits traits<Alloc>     = {Kind::Block, false, false};

Traits traits_of(const Exp& e);
inline Kind kind_of(const Exp& e) { return traits_of(e).kind; }

// Whether the result is an operand in another shape or order, or a part of it.
inline bool is_view(const Exp& e) { Kind k = kind_of(e); return k == Kind::View || k == Kind::Read; }
// Whether it is one step on scalars, or names one of its operands: as cheap as a jump.
inline bool is_step(const Exp& e) { return kind_of(e) == Kind::Step || std::holds_alternative<Identity>(e); }

// Whether steps of one iteration may stand between those of another: their order is free, no two write one place, and none makes arrays, for
// which there is one memory.
bool may_mix(const For& loop);
// Whether C compilers make vectors of the operation; true of what is no scalar operation.
bool has_vector_form(const Program& p, const Exp& e);
// Whether C compilers make vectors of the statement, at least those of AVX-512, in a loop whose body binds `inside`. A division by what all iterations
// have in common is a product with the inverse. What has checks is none: who takes a loop apart by its choices would lose them.
bool is_for_vectors(const Program& p, const Stm& s, const VarSet& inside);

}  // namespace raido::ir
