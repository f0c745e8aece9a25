// print_scalars.h - numbers and scalar operations as text.
#pragma once
#include <cctype>
#include <string>

#include "compiler/ir/scalar.h"

namespace raido::kir {

enum class For_ { C, Device };

std::string_view c_type(Scalar s);              // of a value in a register: f16 is f32
std::string_view storage_type(Scalar s);        // of an element in memory

inline bool is_word(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }   // of a name
Scalar unsigned_of(Scalar s);                   // the unsigned integer of the same width
std::string function_name(ScalarOp op, Scalar at);
// The function of one row of scalar_ops.def at one type. Host code takes the functions of libm, and those of scalars.h that are better.
std::string scalar_function(ScalarOp op, Scalar at, For_ language);
// The operator that means the operation in C; empty: it has to be called.
std::string_view infix(ScalarOp op, Scalar at);
std::string literal(const Const& c);

}  // namespace raido::kir
