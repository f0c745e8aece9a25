// print_scalars.cc - see print_scalars.h.
#include "backends/kernel/print_scalars.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

#include "compiler/base/text.h"

namespace raido::kir {
namespace {

// Replaces whole words.
std::string with_words(std::string_view text, const std::map<std::string_view, std::string>& words) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) { out += text[i++]; continue; }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) end++;
    std::string_view word = text.substr(i, end - i);
    auto found = words.find(word);
    out += found == words.end() ? std::string(word) : found->second;
    i = end;
  }
  return out;
}

Scalar bits_of(Scalar s) { return s == Scalar::F64 ? Scalar::U64 : s == Scalar::F32 ? Scalar::U32 : Scalar::U16; }

constexpr std::string_view float_functions[] = {
    "fmod", "pow", "fmin", "fmax", "hypot", "atan2", "copysign", "nextafter", "ldexp", "fma", "fabs", "sqrt", "cbrt", "exp",
    "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "asinh", "acosh", "atanh", "tgamma", "lgamma", "erf", "erfc", "floor", "ceil", "trunc", "rint"};

std::string float_literal(double x, std::string_view suffix) {
  if (std::isnan(x)) return "RAIDO_NAN";
  if (std::isinf(x)) return x < 0 ? "(-RAIDO_INFINITY)" : "RAIDO_INFINITY";
  std::string text = suffix == "f" ? fmt::format("{}", float(x)) : fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  text += suffix;
  return text[0] == '-' ? "(" + text + ")" : text;
}

}  // namespace

std::string_view c_type(Scalar s) { return s == Scalar::F16 ? "f32" : name_of(s); }
std::string_view storage_type(Scalar s) { return name_of(s); }
Scalar unsigned_of(Scalar s) {
  return is_signed(s) ? Scalar(int(s) + int(Scalar::U8) - int(Scalar::I8)) : is_float(s) ? bits_of(s) : s;
}
std::string function_name(ScalarOp op, Scalar at) { return fmt::format("{}_{}", name_of(op), name_of(at)); }

std::string scalar_function(ScalarOp op, Scalar at, For_ language) {
  const OpRow& r = row(op, at);
  std::map<std::string_view, std::string> words = {
      {"T", std::string(c_type(at))}, {"U", std::string(name_of(unsigned_of(at)))}, {"W", std::to_string(8 * bytes_of(at))},
      {"RAIDO_MAX", "RAIDO_MAX"}, {"raido_to_bits", fmt::format("raido_to_bits_{}", name_of(at))},
      {"raido_from_bits", fmt::format("raido_from_bits_{}", name_of(result_type(op, at)))}};
  if (language == For_::C && (at == Scalar::F32 || at == Scalar::F16))
    for (std::string_view f : float_functions) words.emplace(f, std::string(f) + "f");
  if (language == For_::C)                     // scalars.h has better ones
    for (std::string_view f : {"lgamma", "fmin", "fmax"}) words[f] = fmt::format("raido_{}{}", f, at == Scalar::F64 ? "" : "f");
  std::string value = with_words(r.value, words);
  Scalar result = result_type(op, at);
  if (at == Scalar::F16 && op == ScalarOp::to_bits) value = "raido_f32_to_f16(x)";
  else if (result == Scalar::F16 && op == ScalarOp::from_bits) value = "raido_f16_to_f32(x)";
  else if (at == Scalar::F16 && op == ScalarOp::nextafter)   // the neighbour among halves
    value = "x != x || y != y ? x + y : x == y ? y : raido_f16_to_f32(x == 0.0f ? (f16)(y < 0.0f ? 0x8001 : 1) : "
            "(f16)(raido_f32_to_f16(x) + ((y > x) == (x > 0.0f) ? 1 : -1)))";
  else if (at == Scalar::F16 && op == ScalarOp::fma) value = "raido_fma_f16(x, y, z)";
  else if (result == Scalar::F16) value = fmt::format("raido_round_f16({})", value);
  std::vector<std::string> params;
  for (int k = 0; k < r.arity; k++) params.push_back(fmt::format("{} {}", c_type(operand_type(op, at, k)), "xyz"[k]));
  return fmt::format("RAIDO_INLINE {} {}({}) {{ return {}; }}\n", c_type(result), function_name(op, at), join(params, ", "), value);
}

std::string_view infix(ScalarOp op, Scalar at) {
  if (op == ScalarOp::eq) return "==";
  if (op == ScalarOp::ne) return "!=";
  if (op == ScalarOp::lt) return "<";
  if (op == ScalarOp::le) return "<=";
  if (at == Scalar::Bool) return op == ScalarOp::and_ ? "&&" : op == ScalarOp::or_ ? "||" : "";
  if (at != Scalar::F32 && at != Scalar::F64) return "";
  return op == ScalarOp::add ? "+" : op == ScalarOp::sub ? "-" : op == ScalarOp::mul ? "*" : op == ScalarOp::div ? "/" : "";
}

std::string literal(const Const& c) {
  switch (c.type) {
    case Scalar::Bool: return c.bits ? "true" : "false";
    case Scalar::F16: case Scalar::F32: return float_literal(c.as<float>(), "f");
    case Scalar::F64: return float_literal(c.as<double>(), "");
    case Scalar::U64: return fmt::format("UINT64_C({})", c.bits);
    case Scalar::U32: return fmt::format("{}u", c.bits);
    default: break;
  }
  int64_t v = c.as_i64();
  if (v == INT64_MIN) return "INT64_MIN";
  if (v == INT32_MIN) return "(-2147483647 - 1)";
  if (c.type == Scalar::I64 && (v > INT32_MAX || v < INT32_MIN)) return v < 0 ? fmt::format("(INT64_C({}))", v) : fmt::format("INT64_C({})", v);
  return v < 0 ? fmt::format("({})", v) : fmt::format("{}", v);
}

}  // namespace raido::kir
