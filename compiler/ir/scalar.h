// scalar.h - scalar types, constants, and the scalar operations generated from scalar_ops.def.
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "compiler/base/panic.h"

namespace raido {

enum class Scalar : uint8_t { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64 };
inline constexpr int scalar_count = 12;

std::string_view name_of(Scalar s);
std::optional<Scalar> scalar_named(std::string_view name);
constexpr bool is_float(Scalar s) { return s >= Scalar::F16; }
constexpr bool is_signed(Scalar s) { return s >= Scalar::I8 && s <= Scalar::I64; }
constexpr bool is_unsigned(Scalar s) { return s >= Scalar::U8 && s <= Scalar::U64; }
constexpr bool is_integer(Scalar s) { return is_signed(s) || is_unsigned(s); }
constexpr int bytes_of(Scalar s) {
  constexpr int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  return sizes[int(s)];
}

// Round to nearest even, subnormals and NaN kept (docs/language/evaluation.md).
uint16_t half_of(float value);
float float_of(uint16_t half);

// Calls f with a value of the C++ type that holds `s`; f16 is handed over as float.
template <class F> decltype(auto) with_type(Scalar s, F&& f) {
  switch (s) {
    case Scalar::Bool: return f(bool{});
    case Scalar::I8: return f(int8_t{});
    case Scalar::I16: return f(int16_t{});
    case Scalar::I32: return f(int32_t{});
    case Scalar::I64: return f(int64_t{});
    case Scalar::U8: return f(uint8_t{});
    case Scalar::U16: return f(uint16_t{});
    case Scalar::U32: return f(uint32_t{});
    case Scalar::U64: return f(uint64_t{});
    case Scalar::F16: case Scalar::F32: return f(float{});
    case Scalar::F64: return f(double{});
  }
  PANIC("no such scalar type");
}

// A constant: its type and its bits, zero-extended to 64. Equality is of bits, so NaN equals itself and 0 is not -0.
struct Const {
  Scalar type = Scalar::I64;
  uint64_t bits = 0;
  friend bool operator==(const Const&, const Const&) = default;

  // The value as a C++ number; converts nothing: T is the type with_type gives for `type`.
  template <class T> T as() const {
    if constexpr (std::is_same_v<T, bool>) return bits != 0;
    else if constexpr (std::is_same_v<T, float>)
      return type == Scalar::F16 ? float_of(uint16_t(bits)) : std::bit_cast<float>(uint32_t(bits));
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(bits);
    else return T(bits);
  }
  template <class T> static Const of(Scalar type, T value) {
    if constexpr (std::is_same_v<T, bool>) return {type, uint64_t(value)};
    else if constexpr (std::is_same_v<T, float>)
      return {type, type == Scalar::F16 ? half_of(value) : std::bit_cast<uint32_t>(value)};
    else if constexpr (std::is_same_v<T, double>) return {type, std::bit_cast<uint64_t>(value)};
    else return {type, uint64_t(std::make_unsigned_t<T>(value))};
  }
  // Of an integer or a truth value: a float that is infinite or too large has no such number.
  int64_t as_i64() const {
    if (is_float(type)) PANIC("the integer of a float");
    return with_type(type, [&](auto t) { return int64_t(as<decltype(t)>()); });
  }
  double as_f64() const { return with_type(type, [&](auto t) { return double(as<decltype(t)>()); }); }
};

// The number `value` at any type (rounded, wrapped, or compared with 0).
Const constant(Scalar type, double value);
Const integer_constant(Scalar type, int64_t value);
inline Const i64_const(int64_t value) { return {Scalar::I64, uint64_t(value)}; }
inline Const bool_const(bool value) { return {Scalar::Bool, value}; }
bool is_zero(const Const& c);         // integer or float 0 (also -0), false
bool is_one(const Const& c);          // integer or float 1, true

enum class ScalarOp : uint8_t {
  // The first line of each name gives the enumerator; further domains are aliases of the row table only.
  add, sub, mul, div, mod, quot, rem, pow, min, max, and_, or_, xor_, shl, shr, lshr, mul_hi, mad_hi, neg, not_, abs,
  sgn, popc, clz, ctz, eq, ne, lt, le, select, hypot, atan2, atan2pi, copysign, nextafter, ldexp, polygamma, fma,
  lerp, sqrt, rsqrt, cbrt, exp, exp2, exp10, expm1, log, log2, log10, log1p, sin, cos, tan, asin, acos, atan, sinh,
  cosh, tanh, asinh, acosh, atanh, sinpi, cospi, tanpi, asinpi, acospi, atanpi, gamma, lgamma, erf, erfc, floor, ceil,
  trunc, round, isnan, isinf, to_bits, from_bits
};

enum class Domain : uint8_t { Int, Signed, Unsigned, Float, Bool, Any };
enum OpFlags : uint16_t { _ = 0, C = 1, A = 2, TO_BOOL = 4, TO_I32 = 8, TO_BITS = 16, FROM_BITS = 32, COND = 64, SHIFT = 128, POLE = 256, CHOICE = 512 };

struct OpRow {
  ScalarOp op;
  std::string_view name;       // text form: without trailing underscore
  int arity;
  Domain domain;
  int flags;
  const char* value;           // the C expression
};
std::span<const OpRow> op_rows();
bool in_domain(Domain domain, Scalar s);
std::string_view name_of(ScalarOp op);
std::optional<ScalarOp> scalar_op_named(std::string_view name);

// The row of `op` at type `s` (the type of its operands, COND's bool aside); null where it is not defined.
const OpRow* find_row(ScalarOp op, Scalar s);
const OpRow& row(ScalarOp op, Scalar s);
int arity_of(ScalarOp op);
bool has_pole(ScalarOp op, Scalar s);  // the result or a partial derivative may not be finite although the operands are
bool is_choice(ScalarOp op, Scalar s); // the result is one of the operands
bool is_commutative(ScalarOp op, Scalar s);
bool is_call(ScalarOp op);            // at floats, a mathematical function: dearer than memory
// Whether processors, or libm, have it for several numbers at once. `second`: the second operand, if it is a constant.
bool has_vector_form(ScalarOp op, Scalar s, const Const* second);
bool is_associative(ScalarOp op, Scalar s);
// The type of operand i, and of the result, of `op` at type `s`.
Scalar operand_type(ScalarOp op, Scalar s, int i);
Scalar result_type(ScalarOp op, Scalar s);
// The type `s` an operation works at, from the types of its operands.
inline Scalar working_type(ScalarOp op, Scalar first, Scalar second) { return op == ScalarOp::select ? second : first; }

// Constant folding: the value column compiled as C++. `s` is the working type.
Const fold(ScalarOp op, Scalar s, std::span<const Const> args);
// Does the program's own assertion stop this: a division by zero, a negative exponent? Then the value of `fold` is nobody's.
bool never_evaluated(ScalarOp op, std::span<const Const> args);
// Conversion between any two scalar types (docs/language/evaluation.md).
Const convert(Scalar to, const Const& value);

}  // namespace raido
