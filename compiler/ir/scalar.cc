// scalar.cc - names, the row table, and the constant folder: scalar_ops.def expanded three times.
#include "compiler/ir/scalar.h"

#include <array>
#include <cmath>
#include <limits>

namespace raido {
namespace {

using std::fabs, std::fmod, std::sin, std::cos, std::log;
#include "compiler/ir/scalar_helpers.h"

uint32_t raido_to_bits(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t raido_to_bits(double x) { return std::bit_cast<uint64_t>(x); }
float raido_from_bits(uint32_t x) { return std::bit_cast<float>(x); }
double raido_from_bits(uint64_t x) { return std::bit_cast<double>(x); }
#define RAIDO_MAX(T) std::numeric_limits<T>::max()

constexpr std::string_view strip(std::string_view name) {
  return name.back() == '_' ? name.substr(0, name.size() - 1) : name;
}

constexpr OpRow rows[] = {
#define OP1(name, domain, flags, value, dx) {ScalarOp::name, strip(#name), 1, Domain::domain, flags, #value},
#define OP2(name, domain, flags, value, dx, dy) {ScalarOp::name, strip(#name), 2, Domain::domain, flags, #value},
#define OP3(name, domain, flags, value, dx, dy, dz) {ScalarOp::name, strip(#name), 3, Domain::domain, flags, #value},
#include "compiler/ir/scalar_ops.def"
#undef OP1
#undef OP2
#undef OP3
};

template <class T> constexpr bool matches(Domain d) {
  constexpr bool boolean = std::is_same_v<T, bool>, integer = std::is_integral_v<T> && !boolean;
  switch (d) {
    case Domain::Int: return integer;
    case Domain::Signed: return integer && std::is_signed_v<T>;
    case Domain::Unsigned: return integer && std::is_unsigned_v<T>;
    case Domain::Float: return std::is_floating_point_v<T>;
    case Domain::Bool: return boolean;
    case Domain::Any: return true;
  }
  return false;
}

template <class T> struct UnsignedTwin { using type = std::make_unsigned_t<T>; };
template <> struct UnsignedTwin<bool> { using type = uint8_t; };
template <> struct UnsignedTwin<float> { using type = uint32_t; };
template <> struct UnsignedTwin<double> { using type = uint64_t; };

// Those of C give NaN for a signalling one. These are as in backends/runtime/scalars.h.
template <class T> T fmin(T x, T y) { T r = x < y ? x : y; return y != y ? x : r; }
template <class T> T fmax(T x, T y) { T r = x > y ? x : y; return y != y ? x : r; }

// One instance for each C++ type; x, y, z are read at the types the flags say.
template <class T> Const fold_typed(ScalarOp op, Scalar s, std::span<const Const> args) {
  using std::abs, std::exp, std::exp2, std::expm1, std::log2, std::log10, std::log1p, std::sqrt, std::cbrt, std::pow,
      std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh, std::asinh, std::acosh, std::atanh,
      std::hypot, std::atan2, std::copysign, std::nextafter, std::ldexp, std::fma, std::tgamma, std::lgamma, std::erf,
      std::erfc, std::floor, std::ceil, std::trunc, std::rint;
  using U [[maybe_unused]] = typename UnsignedTwin<T>::type;
  [[maybe_unused]] constexpr int W = int(sizeof(T)) * 8;
  auto operand = [&]<size_t i, int flags>() {
    if constexpr ((flags & COND) != 0 && i == 0) return args[0].template as<bool>();
    else if constexpr ((flags & SHIFT) != 0 && i == 1) return args[1].template as<int32_t>();
    else return args[i].template as<T>();
  };
  auto result = [&]<int flags, class V>(V value) {
    if constexpr ((flags & TO_BOOL) != 0) return Const::of(Scalar::Bool, bool(value));
    else if constexpr ((flags & TO_I32) != 0) return Const::of(Scalar::I32, int32_t(value));
    else if constexpr ((flags & (TO_BITS | FROM_BITS)) != 0) return Const::of(result_type(op, s), value);
    else return Const::of(s, T(value));
  };
#define BODY(flags, value) return result.template operator()<flags>(value)
#define OP1(name, domain, flags, value, dx)                                          \
  if constexpr (matches<T>(Domain::domain) && (!(int(flags) & FROM_BITS) || sizeof(T) >= 4)) \
    if (op == ScalarOp::name) {                                                      \
      [[maybe_unused]] auto x = operand.template operator()<0, flags>();             \
      BODY(flags, value);                                                            \
    }
#define OP2(name, domain, flags, value, dx, dy)                                      \
  if constexpr (matches<T>(Domain::domain))                                          \
    if (op == ScalarOp::name) {                                                      \
      auto x = operand.template operator()<0, flags>();                              \
      auto y = operand.template operator()<1, flags>();                              \
      BODY(flags, value);                                                            \
    }
#define OP3(name, domain, flags, value, dx, dy, dz)                                  \
  if constexpr (matches<T>(Domain::domain))                                          \
    if (op == ScalarOp::name) {                                                      \
      auto x = operand.template operator()<0, flags>();                              \
      auto y = operand.template operator()<1, flags>();                              \
      auto z = operand.template operator()<2, flags>();                              \
      BODY(flags, value);                                                            \
    }
#include "compiler/ir/scalar_ops.def"
#undef OP1
#undef OP2
#undef OP3
#undef BODY
  PANIC("`{}` is not defined at {}", name_of(op), name_of(s));
}

constexpr std::string_view scalar_names[] = {"bool", "i8", "i16", "i32", "i64", "u8",
                                             "u16",  "u32", "u64", "f16", "f32", "f64"};

// Truncation toward zero, then the low bits; NaN and infinities give 0 (docs/language/evaluation.md).
int64_t integer_part(double x) {
  if (!std::isfinite(x)) return 0;
  x = std::trunc(x);
  if (x >= -9223372036854775808.0 && x < 9223372036854775808.0) return int64_t(x);
  if (x > 0 && x < 18446744073709551616.0) return int64_t(uint64_t(x));
  return 0;
}

}  // namespace

std::string_view name_of(Scalar s) { return scalar_names[int(s)]; }
std::optional<Scalar> scalar_named(std::string_view name) {
  for (int i = 0; i < scalar_count; i++)
    if (scalar_names[i] == name) return Scalar(i);
  return {};
}

uint16_t half_of(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return uint16_t(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  if (magnitude >= 0x477ff000) return uint16_t(sign | 0x7c00);            // rounds to infinity
  if (magnitude < 0x38800000) {                                           // subnormal or zero
    if (magnitude < 0x33000000) return uint16_t(sign);
    uint32_t shift = 126 - (magnitude >> 23), mantissa = (magnitude & 0x7fffff) | 0x800000;
    uint32_t half = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), middle = 1u << (shift - 1);
    return uint16_t(sign | (half + (rest > middle || (rest == middle && (half & 1)))));
  }
  uint32_t half = (magnitude - 0x38000000) >> 13, rest = magnitude & 0x1fff;
  return uint16_t(sign | (half + (rest > 0x1000 || (rest == 0x1000 && (half & 1)))));
}
float float_of(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31, mantissa = half & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float magnitude = float(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

namespace {

// An f64 with the bits of an f32, the last one set if any was cut off. So what is rounded to an f16 then is rounded once.
float odd_float(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value), rest = bits & 0x1fffffff;
  return float(std::bit_cast<double>((bits ^ rest) | uint64_t(rest != 0) << 29));
}

}  // namespace

Const constant(Scalar type, double value) {
  if (type == Scalar::F16) return Const::of(type, odd_float(value));
  return with_type(type, [&](auto t) {
    using T = decltype(t);
    if constexpr (std::is_same_v<T, bool>) return Const::of(type, value != 0);
    else if constexpr (std::is_floating_point_v<T>) return Const::of(type, T(value));
    else return Const::of(type, T(integer_part(value)));
  });
}
Const integer_constant(Scalar type, int64_t value) {
  return with_type(type, [&](auto t) {
    using T = decltype(t);
    if constexpr (std::is_same_v<T, bool>) return Const::of(type, value != 0);
    else return Const::of(type, T(value));
  });
}
bool is_zero(const Const& c) { return is_float(c.type) ? c.as_f64() == 0 : c.bits == 0; }
bool is_one(const Const& c) { return is_float(c.type) ? c.as_f64() == 1 : c.as_i64() == 1; }

std::span<const OpRow> op_rows() { return rows; }
bool in_domain(Domain domain, Scalar s) {
  switch (domain) {
    case Domain::Int: return is_integer(s);
    case Domain::Signed: return is_signed(s);
    case Domain::Unsigned: return is_unsigned(s);
    case Domain::Float: return is_float(s);
    case Domain::Bool: return s == Scalar::Bool;
    case Domain::Any: return true;
  }
  return false;
}
std::string_view name_of(ScalarOp op) {
  for (const OpRow& r : rows)
    if (r.op == op) return r.name;
  PANIC("scalar operation without a row");
}
std::optional<ScalarOp> scalar_op_named(std::string_view name) {
  for (const OpRow& r : rows)
    if (r.name == name) return r.op;
  return {};
}
const OpRow* find_row(ScalarOp op, Scalar s) {
  struct Table {
    std::array<std::array<const OpRow*, scalar_count>, 128> at{};
    Table() {
      for (const OpRow& r : rows)
        for (int i = 0; i < scalar_count; i++)
          if (in_domain(r.domain, Scalar(i)) &&
              !((r.flags & FROM_BITS) && (Scalar(i) == Scalar::U8)))
            at[size_t(r.op)][size_t(i)] = &r;
    }
  };
  static const Table table;
  return table.at[size_t(op)][size_t(s)];
}
const OpRow& row(ScalarOp op, Scalar s) {
  const OpRow* r = find_row(op, s);
  CHECK(r, "`{}` is not defined at {}", name_of(op), name_of(s));
  return *r;
}
int arity_of(ScalarOp op) {
  for (const OpRow& r : rows)
    if (r.op == op) return r.arity;
  PANIC("scalar operation without a row");
}
bool has_pole(ScalarOp op, Scalar s) { return row(op, s).flags & POLE; }
bool is_choice(ScalarOp op, Scalar s) { return row(op, s).flags & CHOICE; }
bool is_commutative(ScalarOp op, Scalar s) { return row(op, s).flags & C; }
bool is_call(ScalarOp op) {
  switch (op) {
    case ScalarOp::pow: case ScalarOp::hypot: case ScalarOp::atan2: case ScalarOp::atan2pi: case ScalarOp::polygamma: return true;
    default: return op >= ScalarOp::cbrt && op <= ScalarOp::erfc;
  }
}
bool has_vector_form(ScalarOp op, Scalar s, const Const* second) {
  switch (op) {
    case ScalarOp::div: case ScalarOp::mod: case ScalarOp::quot: case ScalarOp::rem: {
      if (is_float(s)) return op == ScalarOp::div;
      if (!second || second->as_i64() <= 0) return false;
      bool shifts = (second->as_i64() & (second->as_i64() - 1)) == 0 && (op == ScalarOp::div || op == ScalarOp::mod);
      return shifts || bytes_of(s) <= 4;                   // C compilers multiply instead
    }
    case ScalarOp::pow: return is_float(s);
    case ScalarOp::lgamma: case ScalarOp::gamma: case ScalarOp::polygamma: case ScalarOp::cbrt: case ScalarOp::log10: case ScalarOp::exp10:
    case ScalarOp::hypot: case ScalarOp::nextafter: case ScalarOp::ldexp: case ScalarOp::sinpi: case ScalarOp::cospi: case ScalarOp::tanpi:
    case ScalarOp::popc: case ScalarOp::clz: return false;
    default: return true;
  }
}
bool is_associative(ScalarOp op, Scalar s) { return row(op, s).flags & A; }
Scalar operand_type(ScalarOp op, Scalar s, int i) {
  int flags = row(op, s).flags;
  if ((flags & COND) && i == 0) return Scalar::Bool;
  if ((flags & SHIFT) && i == 1) return Scalar::I32;
  return s;
}
Scalar result_type(ScalarOp op, Scalar s) {
  int flags = row(op, s).flags;
  if (flags & TO_BOOL) return Scalar::Bool;
  if (flags & TO_I32) return Scalar::I32;
  if (flags & TO_BITS) return s == Scalar::F16 ? Scalar::U16 : s == Scalar::F32 ? Scalar::U32 : Scalar::U64;
  if (flags & FROM_BITS) return s == Scalar::U16 ? Scalar::F16 : s == Scalar::U32 ? Scalar::F32 : Scalar::F64;
  return s;
}

bool never_evaluated(ScalarOp op, std::span<const Const> args) {
  if (args.size() != 2 || !is_integer(args[1].type)) return false;
  switch (op) {
    case ScalarOp::div: case ScalarOp::mod: case ScalarOp::quot: case ScalarOp::rem: return args[1].bits == 0;
    case ScalarOp::pow: return is_signed(args[1].type) && args[1].as_i64() < 0;
    default: return false;
  }
}

Const fold(ScalarOp op, Scalar s, std::span<const Const> args) {
  if (op == ScalarOp::to_bits && s == Scalar::F16) return {Scalar::U16, args[0].bits};   // bits, not a float's value
  if (op == ScalarOp::from_bits && s == Scalar::U16) return {Scalar::F16, args[0].bits};
  if (op == ScalarOp::nextafter && s == Scalar::F16) {
    float x = args[0].as<float>(), y = args[1].as<float>();
    if (x != x || y != y) return Const::of(s, x + y);
    if (x == y) return args[1];
    if (x == 0) return {s, uint64_t(y < 0 ? 0x8001 : 1)};
    return {s, uint64_t(uint16_t(args[0].bits + ((y > x) == (x > 0) ? 1 : -1)))};
  }
  if (op == ScalarOp::fma && s == Scalar::F16) {           // the product is exact; what the sum loses is kept in its last bit
    double product = double(args[0].as<float>()) * double(args[1].as<float>()), z = double(args[2].as<float>());
    double sum = product + z, added = sum - product, lost = (product - (sum - added)) + (z - added);
    bool even = (std::bit_cast<uint64_t>(sum) & 1) == 0;
    if (even && lost > 0) sum = std::nextafter(sum, HUGE_VAL);
    if (even && lost < 0) sum = std::nextafter(sum, -HUGE_VAL);
    return constant(s, sum);
  }
  return with_type(s, [&](auto t) { return fold_typed<decltype(t)>(op, s, args); });
}

Const convert(Scalar to, const Const& value) {
  if (to == value.type) return value;
  if (to == Scalar::F16 && value.type == Scalar::F64) return constant(to, value.as<double>());
  return with_type(value.type, [&](auto from) {
    using From = decltype(from);
    From x = value.as<From>();
    return with_type(to, [&](auto t) {
      using To = decltype(t);
      if constexpr (std::is_same_v<To, bool>) return Const::of(to, x != From{});
      else if constexpr (std::is_floating_point_v<To>) return Const::of(to, To(x));
      else if constexpr (std::is_floating_point_v<From>) return Const::of(to, To(integer_part(double(x))));
      else if constexpr (std::is_same_v<From, bool>) return Const::of(to, To(x));
      else if constexpr (std::is_unsigned_v<To>) return Const::of(to, To(std::make_unsigned_t<From>(x)));
      else return Const::of(to, To(x));
    });
  });
}

}  // namespace raido
