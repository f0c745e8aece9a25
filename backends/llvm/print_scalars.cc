// print_scalars.cc - scalar operations in LLVM's language: what scalar_ops.def says in C.
//
// Integers wrap around, operations are total: the operand that would be undefined is replaced before, the result chosen after it. Functions
// of the C library are called by their names, which LLVM knows. What is long is called in the runtime (loader.c). f16 is float in registers,
// rounded after each operation by the same function as in C.
#include <cmath>

#include "backends/llvm/code.h"

namespace raido::llvm {
namespace {

using Op = ScalarOp;
using Args = std::vector<std::string>;

std::string integer(int bits) { return fmt::format("i{}", bits); }
std::string number(Scalar s, double x) { return literal(constant(s == Scalar::F16 ? Scalar::F32 : s, x)); }

// A pure function; every parameter and the result as given.
std::string pure(Code& c, const std::string& result, const std::string& name, const Args& types, const Args& args) {
  std::string params, passed;
  for (size_t k = 0; k < args.size(); k++) {
    params += (k > 0 ? ", " : "") + types[k];
    passed += fmt::format("{}{} {}", k > 0 ? ", " : "", types[k], args[k]);
  }
  std::string f = c.around.function(result, name, params, "#1");
  return c.value("call {} {}({})", result, f, passed);
}

std::string integer_part(Code& c, const std::string& x) {
  std::string a = c.value("fcmp oge double {}, {}", x, number(Scalar::F64, -9223372036854775808.0));
  std::string b = c.value("fcmp olt double {}, {}", x, number(Scalar::F64, 9223372036854775808.0));
  std::string d = c.value("fcmp olt double {}, {}", x, number(Scalar::F64, 18446744073709551616.0));
  std::string inside = c.value("and i1 {}, {}", a, b), above = c.value("and i1 {}, {}", a, d);
  std::string low = c.value("fptosi double {} to i64", x), high = c.value("fptoui double {} to i64", x);
  std::string r = c.value("select i1 {}, i64 {}, i64 0", above, high);
  return c.value("select i1 {}, i64 {}, i64 {}", inside, low, r);
}

// div and mod round towards minus infinity, quot and rem towards zero.
std::string division(Code& c, Op op, Scalar at, const std::string& x, const std::string& y) {
  std::string t = type_of(at);
  bool quotient = op == Op::div || op == Op::quot;
  std::string zero = c.value("icmp eq {} {}, 0", t, y);
  if (is_unsigned(at)) {
    std::string safe = c.value("select i1 {}, {} 1, {} {}", zero, t, t, y);
    std::string r = c.value("{} {} {}, {}", quotient ? "udiv" : "urem", t, x, safe);
    return c.value("select i1 {}, {} 0, {} {}", zero, t, t, r);
  }
  std::string minus = c.value("icmp eq {} {}, -1", t, y), odd = c.value("or i1 {}, {}", zero, minus);
  std::string safe = c.value("select i1 {}, {} 1, {} {}", odd, t, t, y);
  std::string q = c.value("sdiv {} {}, {}", t, x, safe), r = c.value("srem {} {}, {}", t, x, safe);
  std::string result = quotient ? q : r;
  if (op == Op::div || op == Op::mod) {
    std::string some = c.value("icmp ne {} {}, 0", t, r), mixed = c.value("xor {} {}, {}", t, r, safe), apart = c.value("icmp slt {} {}, 0", t, mixed);
    std::string down = c.value("and i1 {}, {}", some, apart);
    if (quotient) {
      std::string step = c.value("sext i1 {} to {}", down, t);
      result = c.value("add {} {}, {}", t, q, step);
    } else {
      std::string step = c.value("select i1 {}, {} {}, {} 0", down, t, safe, t);
      result = c.value("add {} {}, {}", t, r, step);
    }
  }
  if (!quotient) return c.value("select i1 {}, {} 0, {} {}", odd, t, t, result);
  std::string negative = c.value("sub {} 0, {}", t, x);
  std::string special = c.value("select i1 {}, {} 0, {} {}", zero, t, t, negative);
  return c.value("select i1 {}, {} {}, {} {}", odd, t, special, t, result);
}

std::string upper_half(Code& c, Scalar at, const std::string& x, const std::string& y) {
  int bits = 8 * bytes_of(at);
  std::string t = type_of(at), wide = integer(2 * bits);
  std::string_view extend = is_signed(at) ? "sext" : "zext";
  std::string a = c.value("{} {} {} to {}", extend, t, x, wide), b = c.value("{} {} {} to {}", extend, t, y, wide);
  std::string p = c.value("mul {} {}, {}", wide, a, b), h = c.value("lshr {} {}, {}", wide, p, bits);
  return c.value("trunc {} {} to {}", wide, h, t);
}

std::string integer_operation(Code& c, Op op, Scalar at, const Args& a) {
  std::string t = type_of(at);
  int bits = 8 * bytes_of(at);
  bool is_s = is_signed(at);
  auto simple = [&](std::string_view name) { return c.value("{} {} {}, {}", name, t, a[0], a[1]); };
  auto shift = [&](std::string_view name) {
    std::string by = c.value("and {} {}, {}", t, a[1], bits - 1);
    return c.value("{} {} {}, {}", name, t, a[0], by);
  };
  auto chosen = [&](std::string_view relation) {
    std::string less = c.value("icmp {} {} {}, {}", relation, t, a[0], a[1]);
    return c.value("select i1 {}, {} {}, {} {}", less, t, a[0], t, a[1]);
  };
  auto count = [&](std::string_view name, std::string_view more) {
    std::string f = c.around.function(t, fmt::format("llvm.{}.{}", name, t), t + std::string(more.empty() ? "" : ", i1"), "#1");
    std::string n = c.value("call {} {}({} {}{})", t, f, t, a[0], more);
    if (bits == 32) return n;
    return c.value("{} {} {} to i32", bits > 32 ? "trunc" : "zext", t, n);
  };
  switch (op) {
    case Op::add: return simple("add");
    case Op::sub: return simple("sub");
    case Op::mul: return simple("mul");
    case Op::and_: return simple("and");
    case Op::or_: return simple("or");
    case Op::xor_: return simple("xor");
    case Op::div: case Op::mod: case Op::quot: case Op::rem: return division(c, op, at, a[0], a[1]);
    case Op::min: return chosen(is_s ? "slt" : "ult");
    case Op::max: {
      std::string less = c.value("icmp {} {} {}, {}", is_s ? "slt" : "ult", t, a[0], a[1]);
      return c.value("select i1 {}, {} {}, {} {}", less, t, a[1], t, a[0]);
    }
    case Op::shl: return shift("shl");
    case Op::shr: return shift(is_s ? "ashr" : "lshr");
    case Op::lshr: return shift("lshr");
    case Op::mul_hi: return upper_half(c, at, a[0], a[1]);
    case Op::mad_hi: return c.value("add {} {}, {}", t, upper_half(c, at, a[0], a[1]), a[2]);
    case Op::neg: return c.value("sub {} 0, {}", t, a[0]);
    case Op::not_: return c.value("xor {} {}, -1", t, a[0]);
    case Op::abs: {
      if (!is_s) return a[0];
      std::string negative = c.value("icmp slt {} {}, 0", t, a[0]), n = c.value("sub {} 0, {}", t, a[0]);
      return c.value("select i1 {}, {} {}, {} {}", negative, t, n, t, a[0]);
    }
    case Op::sgn: {
      std::string some = c.value("icmp {} {} {}, 0", is_s ? "sgt" : "ne", t, a[0]), up = c.value("zext i1 {} to {}", some, t);
      if (!is_s) return up;
      std::string negative = c.value("icmp slt {} {}, 0", t, a[0]), down = c.value("sext i1 {} to {}", negative, t);
      return c.value("or {} {}, {}", t, up, down);
    }
    case Op::popc: return count("ctpop", "");
    case Op::clz: return count("ctlz", ", i1 false");
    case Op::ctz: return count("cttz", ", i1 false");
    case Op::pow: {
      Args wide = a;
      for (std::string& x : wide)
        if (bits < 64) x = c.value("{} {} {} to i64", is_s ? "sext" : "zext", t, x);
      std::string r = pure(c, "i64", "raido_ipow", {"i64", "i64"}, wide);
      return bits == 64 ? r : c.value("trunc i64 {} to {}", r, t);
    }
    case Op::from_bits: {
      if (at == Scalar::U16) return from_storage(c, Scalar::F16, a[0]);
      return c.value("bitcast {} {} to {}", t, a[0], bits == 32 ? "float" : "double");
    }
    default: PANIC("`{}` at {} has no text for LLVM", name_of(op), name_of(at));
  }
}

// Of floats: `flt` is float or double, and so many letters more are in the name of a function of the C library.
struct Floats {
  Code& c;
  Scalar at;
  const Args& a;
  std::string flags;
  std::string t = type_of(at), suffix = at == Scalar::F64 ? "" : "f", intrinsic = at == Scalar::F64 ? "f64" : "f32";

  std::string arithmetic(std::string_view name, const std::string& x, const std::string& y) { return c.value("{}{} {} {}, {}", name, flags, t, x, y); }
  std::string times(const std::string& x, double y) { return arithmetic("fmul", x, number(at, y)); }
  std::string built_in(std::string_view name, int arity = 1) {
    std::string params = t, passed = t + " " + a[0];
    for (int k = 1; k < arity; k++) params += ", " + t, passed += fmt::format(", {} {}", t, a[size_t(k)]);
    std::string f = c.around.function(t, fmt::format("llvm.{}.{}", name, intrinsic), params, "#1");
    return c.value("call {} {}({})", t, f, passed);
  }
  std::string library(std::string_view name) { return library(name, a); }
  std::string library(std::string_view name, const Args& args) {
    std::string full = std::string(name) + suffix, params = t, passed = t + " " + args[0];
    for (size_t k = 1; k < args.size(); k++) params += ", " + t, passed += fmt::format(", {} {}", t, args[k]);
    std::string f = c.around.function(t, full, params, "#1");
    return c.value("call {} {}({}){}", t, f, passed, c.around.vector_variants(full, at, int(args.size())));
  }
  std::string doubled(const std::string& x) { return at == Scalar::F64 ? x : c.value("fpext float {} to double", x); }
  std::string back(const std::string& x) { return at == Scalar::F64 ? x : c.value("fptrunc double {} to float", x); }
  std::string pi(const std::string& name) { return pure(c, "double", name, {"double"}, {doubled(a[0])}); }
  std::string fewer(std::string_view relation) {
    std::string less = c.value("fcmp {} {} {}, {}", relation, t, a[0], a[1]), r = c.value("select i1 {}, {} {}, {} {}", less, t, a[0], t, a[1]);
    std::string nan = c.value("fcmp uno {} {}, {}", t, a[1], a[1]);
    return c.value("select i1 {}, {} {}, {} {}", nan, t, a[0], t, r);
  }
  std::string run(Op op) {
    switch (op) {
      case Op::add: return arithmetic("fadd", a[0], a[1]);
      case Op::sub: return arithmetic("fsub", a[0], a[1]);
      case Op::mul: return arithmetic("fmul", a[0], a[1]);
      case Op::div: return arithmetic("fdiv", a[0], a[1]);
      case Op::rem: return library("fmod");
      case Op::min: return fewer("olt");
      case Op::max: return fewer("ogt");
      case Op::atan2pi: return times(library("atan2"), 0.31830988618379067154);
      case Op::copysign: return built_in("copysign", 2);
      case Op::nextafter: return at == Scalar::F16 ? pure(c, "float", "raido_nextafter_f16", {t, t}, a) : library("nextafter");
      case Op::ldexp: return pure(c, t, "ldexp" + suffix, {t, "i32"}, a);
      case Op::polygamma: return back(pure(c, "double", "raido_polygamma_at", {"double", "double"}, {doubled(a[0]), doubled(a[1])}));
      case Op::fma: return at == Scalar::F16 ? pure(c, "float", "raido_fma_f16", {t, t, t}, a) : built_in("fma", 3);
      case Op::lerp: return arithmetic("fadd", a[0], arithmetic("fmul", arithmetic("fsub", a[1], a[0]), a[2]));
      case Op::neg: return c.value("fneg {} {}", t, a[0]);
      case Op::abs: return built_in("fabs");
      case Op::sgn: {
        std::string up = c.value("fcmp ogt {} {}, 0.0", t, a[0]), down = c.value("fcmp olt {} {}, 0.0", t, a[0]), nan = c.value("fcmp uno {} {}, {}", t, a[0], a[0]);
        std::string low = c.value("select i1 {}, {} -1.0, {} 0.0", down, t, t), r = c.value("select i1 {}, {} 1.0, {} {}", up, t, t, low);
        return c.value("select i1 {}, {} {}, {} {}", nan, t, a[0], t, r);
      }
      case Op::sqrt: return built_in("sqrt");
      case Op::rsqrt: return arithmetic("fdiv", number(at, 1), built_in("sqrt"));
      case Op::exp10: return library("pow", {number(at, 10), a[0]});
      case Op::sinpi: return back(pi("raido_sinpi"));
      case Op::cospi: return back(pi("raido_cospi"));
      case Op::tanpi: {
        std::string s = pi("raido_sinpi"), k = pi("raido_cospi");
        return back(c.value("fdiv double {}, {}", s, k));
      }
      case Op::asinpi: return times(library("asin"), 0.31830988618379067154);
      case Op::acospi: return times(library("acos"), 0.31830988618379067154);
      case Op::atanpi: return times(library("atan"), 0.31830988618379067154);
      case Op::gamma: return library("tgamma");
      case Op::lgamma: return library("raido_lgamma");
      case Op::floor: return built_in("floor");
      case Op::ceil: return built_in("ceil");
      case Op::trunc: return built_in("trunc");
      case Op::round: return built_in("rint");
      case Op::pow: case Op::hypot: case Op::atan2: case Op::cbrt: case Op::exp: case Op::exp2: case Op::expm1: case Op::log: case Op::log2:
      case Op::log10: case Op::log1p: case Op::sin: case Op::cos: case Op::tan: case Op::asin: case Op::acos: case Op::atan: case Op::sinh:
      case Op::cosh: case Op::tanh: case Op::asinh: case Op::acosh: case Op::atanh: case Op::erf: case Op::erfc: return library(name_of(op));
      default: PANIC("`{}` at {} has no text for LLVM", name_of(op), name_of(at));
    }
  }
};

}  // namespace

std::string type_of(Scalar s) {
  if (s == Scalar::Bool) return "i1";
  if (is_float(s)) return s == Scalar::F64 ? "double" : "float";
  return integer(8 * bytes_of(s));
}
std::string storage_of(Scalar s) { return s == Scalar::Bool ? "i8" : s == Scalar::F16 ? "i16" : type_of(s); }

std::string literal(const Const& c) {
  if (c.type == Scalar::Bool) return c.bits ? "true" : "false";
  if (!is_float(c.type)) return std::to_string(c.as_i64());
  double x = c.type == Scalar::F64 ? c.as<double>() : double(c.as<float>());
  if (std::isnan(x)) return "0x7FF8000000000000";
  return fmt::format("0x{:016X}", std::bit_cast<uint64_t>(x));      // floats are written as doubles, too
}

std::string operation(Code& c, Op op, Scalar at, const Args& args, std::string_view flags) {
  std::string t = type_of(at);
  if (op == Op::select) return c.value("select i1 {}, {} {}, {} {}", args[0], t, args[1], t, args[2]);
  if (op == Op::eq || op == Op::ne || op == Op::lt || op == Op::le) {
    size_t k = op == Op::eq ? 0 : op == Op::ne ? 1 : op == Op::lt ? 2 : 3;
    static constexpr std::string_view floats[] = {"oeq", "une", "olt", "ole"}, integers[] = {"eq", "ne", "slt", "sle"}, naturals[] = {"eq", "ne", "ult", "ule"};
    if (is_float(at)) return c.value("fcmp {} {} {}, {}", floats[k], t, args[0], args[1]);
    return c.value("icmp {} {} {}, {}", (is_signed(at) ? integers : naturals)[k], t, args[0], args[1]);
  }
  if (at == Scalar::Bool) {
    if (op == Op::not_) return c.value("xor i1 {}, true", args[0]);
    return c.value("{} i1 {}, {}", op == Op::and_ ? "and" : op == Op::or_ ? "or" : "xor", args[0], args[1]);
  }
  if (!is_float(at)) return integer_operation(c, op, at, args);
  if (op == Op::isnan) return c.value("fcmp uno {} {}, {}", t, args[0], args[0]);
  if (op == Op::to_bits) return at == Scalar::F16 ? to_storage(c, at, args[0]) : c.value("bitcast {} {} to {}", t, args[0], integer(8 * bytes_of(at)));
  if (op == Op::isinf) {
    std::string x = Floats{c, at, args, ""}.built_in("fabs");
    return c.value("fcmp oeq {} {}, 0x7FF0000000000000", t, x);
  }
  std::string more = flags.empty() ? std::string() : " " + std::string(flags);
  if (!c.around.machine.strict_fp) more += " contract";
  std::string r = Floats{c, at, args, more}.run(op);
  return at == Scalar::F16 ? pure(c, "float", "raido_round_f16", {"float"}, {r}) : r;
}

std::string smaller_or_larger(Code& c, bool smaller, Scalar at, const std::string& x, const std::string& y) {
  std::string t = type_of(at), first = c.value("fcmp {} {} {}, {}", smaller ? "olt" : "ogt", t, x, y);
  return c.value("select i1 {}, {} {}, {} {}", first, t, x, t, y);
}

std::string cast(Code& c, Scalar from, Scalar to, const std::string& x) {
  std::string f = type_of(from), t = type_of(to);
  if (to == Scalar::Bool) {
    if (from == Scalar::Bool) return x;
    return is_float(from) ? c.value("fcmp une {} {}, 0.0", f, x) : c.value("icmp ne {} {}, 0", f, x);
  }
  if (is_float(to)) {
    std::string r = x;
    if (!is_float(from)) r = c.value("{} {} {} to {}", is_signed(from) ? "sitofp" : "uitofp", f, x, t);
    else if (from == Scalar::F64 && to == Scalar::F16) r = pure(c, "float", "raido_odd_f32", {"double"}, {x});
    else if (f != t) r = c.value("{} {} {} to {}", t == "double" ? "fpext" : "fptrunc", f, x, t);
    return to == Scalar::F16 && from != Scalar::F16 ? pure(c, "float", "raido_round_f16", {"float"}, {r}) : r;
  }
  std::string value = x;
  int have = from == Scalar::Bool ? 1 : 8 * bytes_of(from), want = 8 * bytes_of(to);
  if (is_float(from)) {
    value = integer_part(c, f == "double" ? x : c.value("fpext float {} to double", x));
    have = 64;
  }
  if (have == want) return value;
  std::string_view how = have > want ? "trunc" : is_signed(from) && is_signed(to) ? "sext" : "zext";
  return c.value("{} {} {} to {}", how, integer(have), value, t);
}

std::string from_storage(Code& c, Scalar s, const std::string& x) {
  if (s == Scalar::Bool) return c.value("icmp ne i8 {}, 0", x);
  return s == Scalar::F16 ? pure(c, "float", "raido_f16_to_f32", {"i16"}, {x}) : x;
}
std::string to_storage(Code& c, Scalar s, const std::string& x) {
  if (s == Scalar::Bool) return c.value("zext i1 {} to i8", x);
  return s == Scalar::F16 ? pure(c, "i16", "raido_f32_to_f16", {"float"}, {x}) : x;
}

}  // namespace raido::llvm
