// data.cc - the readers and printers of values.
//
// Text is cut into tokens: maximal runs of letters, digits and `. - + _`, or single other characters. A reader that
// knows the expected type passes it down and accepts everything C's scanning functions would. The self-typed reader is
// stricter and lets the first element of an innermost row decide.
#include "compiler/driver/data.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace raido {
using ir::Value;

namespace {

constexpr std::array<Scalar, 12> all_scalars = {Scalar::Bool, Scalar::I8,  Scalar::I16, Scalar::I32, Scalar::I64, Scalar::U8,
                                                Scalar::U16,  Scalar::U32, Scalar::U64, Scalar::F16, Scalar::F32, Scalar::F64};

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+' || c == '_'; }

template <class T> std::string raw(T x) { return std::string(reinterpret_cast<const char*>(&x), sizeof x); }

// The low bits of `bits` as an element of an integer type.
std::string integer_bytes(Scalar elem, uint64_t bits) {
  return std::string(reinterpret_cast<const char*>(&bits), size_t(bytes_of(elem)));
}
std::string float_bytes(Scalar elem, const std::string& text) {
  if (elem == Scalar::F64) return raw(std::strtod(text.c_str(), nullptr));
  if (elem == Scalar::F32) return raw(std::strtof(text.c_str(), nullptr));
  return raw(uint16_t(constant(Scalar::F16, std::strtod(text.c_str(), nullptr)).bits));
}

bool only(std::string_view text, auto allowed) { return !text.empty() && std::all_of(text.begin(), text.end(), allowed); }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool hex_digit(char c) { return std::isxdigit(static_cast<unsigned char>(c)); }

// Digits of an integer in some base.
std::optional<uint64_t> parse_digits(std::string_view digits, unsigned base, bool& overflow) {
  uint64_t value = 0;
  overflow = false;
  if (digits.empty()) return {};
  for (char c : digits) {
    unsigned d = digit(c) ? unsigned(c - '0') : hex_digit(c) ? unsigned(std::tolower(c) - 'a') + 10 : 99;
    if (d >= base) return {};
    if (value > (UINT64_MAX - d) / base) overflow = true;
    value = value * base + d;
  }
  return value;
}

// A decimal number: digits [. digits] [e [sign] digits]. The liberal form also takes `.5`, `1.` and `1E5`.
bool is_decimal(std::string_view s, bool liberal) {
  size_t i = 0, whole = 0, fraction = 0;
  while (i < s.size() && digit(s[i])) i++, whole++;
  bool point = i < s.size() && s[i] == '.';
  if (point)
    for (i++; i < s.size() && digit(s[i]); i++) fraction++;
  if (liberal ? whole + fraction == 0 : (whole == 0 || (point && fraction == 0))) return false;
  if (i < s.size() && (s[i] == 'e' || (liberal && s[i] == 'E'))) {
    i++;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) i++;
    size_t exponent = 0;
    while (i < s.size() && digit(s[i])) i++, exponent++;
    if (exponent == 0) return false;
  }
  return i == s.size();
}

// The first number of the command's data that did not fit into its type.
void warn_of_low_bits(std::string_view text, size_t at, std::string_view number, Scalar elem) {
  static bool warned = false;
  if (std::exchange(warned, true)) return;
  fmt::print(stderr, "Warning: {}: `{}` does not fit into {}: its low bits are read. Other such numbers are not reported.\n", place_in(text, at), number,
             name_of(elem));
}

std::string lower_case(std::string_view s) {
  std::string r(s);
  for (char& c : r) c = char(std::tolower(static_cast<unsigned char>(c)));
  return r;
}

}  // namespace

// ---- Tokens ----

void DataReader::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) at_++;
}
void DataReader::skip_blanks_and_comments() {
  for (;;) {
    skip_blanks();
    if (text_.substr(at_, 2) != "--") return;
    while (at_ < text_.size() && text_[at_] != '\n') at_++;
  }
}
std::string_view DataReader::peek() {
  skip_blanks_and_comments();
  token_ = at_;
  size_t n = 0;
  while (at_ + n < text_.size() && is_word(text_[at_ + n])) n++;
  return text_.substr(at_, n ? n : std::min<size_t>(1, text_.size() - at_));
}
std::string_view DataReader::next() {
  std::string_view t = peek();
  at_ += t.size();
  return t;
}
char DataReader::peek_char() {
  skip_blanks_and_comments();
  return at_ < text_.size() ? text_[at_] : 0;
}
bool DataReader::at_end() { return peek_char() == 0; }

std::string place_in(std::string_view text, size_t at) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < at && i < text.size(); i++) {
    if (text[i] == '\n') line++, column = 1;
    else column++;
  }
  return fmt::format("{}:{}", line, column);
}

std::nullopt_t DataReader::fail_at(size_t at, std::string message) {
  error_ = fmt::format("{}: {}", place_in(text_, at), message);
  return std::nullopt;
}
std::nullopt_t DataReader::fail(std::string message) { return fail_at(token_, std::move(message)); }

// ---- Values ----

std::optional<Value> DataReader::read_as(Scalar elem, int rank) {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == 'b') return read_binary(elem, rank);
  if (rank > 0) return read_array(elem, rank);
  auto number = read_scalar(elem, true);
  if (!number) return {};
  return Value{elem, {}, std::move(number->bytes)};
}

std::optional<Value> DataReader::read() {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == 'b') return read_binary({}, -1);
  char c = peek_char();
  if (c == '[' || text_.substr(at_, 5) == "empty") return read_array({}, -1);
  if (c == '"') return read_string();
  auto number = read_scalar({}, false);
  if (!number) return {};
  return Value{number->elem, {}, std::move(number->bytes)};
}

std::optional<Value> DataReader::read_binary(std::optional<Scalar> elem, int rank) {
  token_ = at_;
  auto take = [&](size_t n) {
    std::string_view part = text_.substr(std::min(at_, text_.size()), n);
    at_ += part.size();
    return part;
  };
  take(1);
  std::string_view version = take(1);
  if (version.empty()) return fail("could not read version.");
  if (version[0] != 2)
    return fail(fmt::format("File uses version {}, but I only understand version 2.", int(version[0])));
  std::string_view rank_byte = take(1), type = take(4);
  if (type.size() < 4) return fail("could not read the type.");
  std::string_view name = type.substr(std::min<size_t>(type.find_first_not_of(' '), 4));
  std::optional<Scalar> got = scalar_named(name);
  if (!got) return fail(fmt::format("Did not recognize the type '{}'.", type));
  int r = static_cast<unsigned char>(rank_byte[0]);
  if (elem) {
    if (rank == 0 && r != 0)
      return fail(fmt::format("Expected scalar (0 dimensions), but got array with {} dimensions.", r));
    if (r != rank) return fail(fmt::format("Expected {} dimensions, but got array with {} dimensions.", rank, r));
    if (*got != *elem && rank == 0)
      return fail(fmt::format("Expected scalar of type {} but got scalar of type {}.", name_of(*elem),
                              name_of(*got)));
    if (*got != *elem)
      return fail(fmt::format("Expected {0}D-array with element type '{1}' but got {0}D-array with element type '{2}'.",
                              rank, name_of(*elem), name_of(*got)));
  }
  Value value{*got, {}, {}};
  const int64_t limit = int64_t(text_.size());  // more elements than bytes cannot follow
  int64_t count = 1;
  bool none = false;
  for (int i = 0; i < r; i++) {
    std::string_view part = take(8);
    if (part.size() < 8) return fail("Couldn't get dims.");
    int64_t d;
    std::memcpy(&d, part.data(), 8);
    if (d < 0) return fail(fmt::format("Failed to allocate array of size {}.", d));
    value.shape.push_back(d);
    if (d == 0) none = true;
    else count = count > limit / d ? limit + 1 : count * d;
  }
  if (none) count = 0;
  size_t size = size_t(bytes_of(*got));
  std::string_view data = take(size_t(count) * size);
  if (data.size() < size_t(count) * size)
    return fail(fmt::format("tried to read {} elements of an array, but only got {} elements.", count,
                            data.size() / size));
  value.bytes = data;
  if (*got == Scalar::Bool)
    for (char& c : value.bytes) c = c != 0;
  return value;
}

std::optional<Value> DataReader::read_empty(std::optional<Scalar> elem, int rank) {
  next();  // empty
  if (next() != "(") return fail("expected `(` after `empty`");
  Value value;
  while (peek() == "[") {
    next();
    bool overflow = false;
    auto n = parse_digits(next(), 10, overflow);
    if (!n || overflow || *n > uint64_t(INT64_MAX)) return fail("expected a size");
    value.shape.push_back(int64_t(*n));
    if (next() != "]") return fail("expected `]`");
  }
  std::string_view name = next();
  auto got = scalar_named(name);
  if (!got) return fail(fmt::format("`{}` is not an element type", name));
  value.elem = *got;
  if (next() != ")") return fail("expected `)`");
  if (std::none_of(value.shape.begin(), value.shape.end(), [](int64_t d) { return d == 0; }))
    return fail("at least one size of `empty` is 0");
  if (elem && (*elem != *got || rank != int(value.shape.size())))
    return fail(fmt::format("expected {}, found {}", type_text(*elem, size_t(rank)), type_text(*got, value.shape.size())));
  return value;
}

std::optional<Value> DataReader::read_string() {
  peek();
  size_t i = at_ + 1;
  Value value{Scalar::U8, {}, {}};
  for (;; i++) {
    if (i >= text_.size() || text_[i] == '\n') return fail("this string does not end");
    char c = text_[i];
    if (c == '"') break;
    if (c != '\\') {
      value.bytes += c;
      continue;
    }
    c = i + 1 < text_.size() ? text_[++i] : 0;
    if (c == 'n') value.bytes += '\n';
    else if (c == 't') value.bytes += '\t';
    else if (c == '\\' || c == '"') value.bytes += c;
    else if (c == 'x' || digit(c)) {
      unsigned base = c == 'x' ? 16 : 10, code = 0;
      size_t from = c == 'x' ? i + 1 : i, k = from;
      while (k < text_.size() && (base == 16 ? hex_digit(text_[k]) : digit(text_[k])) && code <= 255)
        code = code * base + unsigned(digit(text_[k]) ? text_[k] - '0' : std::tolower(text_[k]) - 'a' + 10), k++;
      if (k == from || code > 255) return fail_at(i, "this character code is not a byte");
      value.bytes += char(code);
      i = k - 1;
    } else {
      return fail_at(i, "unknown escape in a string");
    }
  }
  at_ = i + 1;
  value.shape = {int64_t(value.bytes.size())};
  return value;
}

std::optional<Value> DataReader::read_array(std::optional<Scalar> elem, int rank) {
  std::string_view first = peek();
  if (first == "empty") return read_empty(elem, rank);
  if (first == "\"") {
    auto value = read_string();
    if (value && elem && (*elem != Scalar::U8 || rank != 1))
      return fail(fmt::format("expected {}, found a string", type_text(*elem, size_t(rank))));
    return value;
  }
  if (first != "[") return fail(fmt::format("expected an array, found `{}`", first));
  Value value;
  std::optional<Scalar> found = elem;
  if (!read_rows(value, found, 0, elem ? std::optional<int>(rank) : std::nullopt, elem.has_value())) return {};
  if (!found) return fail("the element type of this array is not known: write `empty([0]TYPE)`");
  value.elem = *found;
  if (elem && int(value.shape.size()) != rank) {
    // Rows were all missing: only rank one may be written as a bare `[]`.
    return fail(fmt::format("expected an array of rank {}, found one of rank {}", rank, value.shape.size()));
  }
  return value;
}

// One bracketed row at nesting `depth`, or a string, which is a row of bytes. Extents of depths seen before must agree: arrays are regular.
bool DataReader::read_rows(Value& out, std::optional<Scalar>& elem, int depth, std::optional<int> rank, bool typed) {
  size_t begin = (peek(), token_);
  auto irregular = [&](size_t at) { return fail_at(at, "array is irregular or has elements of multiple types."), false; };
  auto ends = [&](int64_t n) {
    if (int(out.shape.size()) <= depth) out.shape.resize(size_t(depth) + 1, -1);
    int64_t& extent = out.shape[size_t(depth)];
    if (extent == -1) extent = n;
    return extent == n || irregular(begin);
  };
  if (peek() == "\"") {
    if (rank && depth + 1 != *rank) return fail("expected an array with more dimensions"), false;
    auto string = read_string();
    if (!string) return false;
    if ((elem && *elem != Scalar::U8) || int(out.shape.size()) > depth + 1) return irregular(begin);
    elem = Scalar::U8;
    out.bytes += string->bytes;
    return ends(string->count());
  }
  next();  // [
  if (rank && depth >= *rank) return fail_at(begin, "an array with more dimensions than expected"), false;
  if (depth > 60) return fail_at(begin, "an array with too many dimensions"), false;
  int64_t n = 0;
  std::optional<Scalar> row_elem;  // of this innermost row, for the self-typed reader
  while (peek() != "]") {
    if (peek() == "[" || peek() == "\"") {
      // Reaching deeper than an earlier row of scalars went is irregular; shape has -1 for extents still unknown.
      if (int(out.shape.size()) <= depth + 1 && n > 0)
        return irregular(token_);
      if (int(out.shape.size()) <= depth) out.shape.resize(size_t(depth) + 1, -1);
      if (!read_rows(out, elem, depth + 1, rank, typed)) return false;
    } else {
      if (rank && depth + 1 != *rank) return fail("expected an array with more dimensions"), false;
      if (int(out.shape.size()) > depth + 1) return irregular(token_);
      auto number = read_scalar(typed ? elem : row_elem, typed);
      if (!number) return false;
      if (!typed && elem && n == 0 && *elem != number->elem)
        return irregular(token_);
      row_elem = elem = number->elem;
      out.bytes += number->bytes;
    }
    n++;
    if (peek() == ",") next();
    else if (peek() != "]") return fail("expected `,` or `]` in an array"), false;
  }
  next();  // ]
  if (n == 0 && !typed) return fail_at(begin, "an array without elements is written `empty([0]TYPE)`"), false;
  return ends(n);
}

// ---- Scalars ----

std::optional<DataReader::Number> DataReader::read_scalar(std::optional<Scalar> expected, bool typed) {
  std::string_view token = next();
  auto wrong = [&]() -> std::nullopt_t {
    if (token.empty()) return fail(expected ? fmt::format("expected {}, found the end", name_of(*expected)) : "expected a value");
    if (expected) return fail(fmt::format("expected {}, found `{}`", name_of(*expected), token));
    return fail(fmt::format("`{}` is not a value", token));
  };
  if (token == "true" || token == "false") {
    if (expected && *expected != Scalar::Bool) return wrong();
    return Number{Scalar::Bool, std::string(1, char(token == "true"))};
  }
  if (expected == Scalar::Bool) return wrong();

  std::string text(token);
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  for (Scalar s : {Scalar::F16, Scalar::F32, Scalar::F64}) {
    std::string prefix(name_of(s));
    bool inf = text == prefix + ".inf", nan = text == prefix + ".nan";
    if (!inf && !nan) continue;
    if ((expected && *expected != s) || (nan && negative)) return wrong();
    return Number{s, float_bytes(s, nan ? "nan" : negative ? "-inf" : "inf")};
  }

  bool hex = text.starts_with("0x") || (typed && text.starts_with("0X"));
  bool bits = text.starts_with("0b");
  std::optional<Scalar> suffix;
  for (Scalar s : all_scalars) {
    if (s == Scalar::Bool || (is_float(s) && (hex || bits) && text.find('p') == std::string::npos)) continue;
    if (text.size() > name_of(s).size() && text.ends_with(name_of(s))) suffix = s;
  }
  if (suffix) text.resize(text.size() - name_of(*suffix).size());
  if (expected && suffix && *suffix != *expected) return wrong();
  if (text.starts_with('_')) return wrong();
  std::erase(text, '_');

  if (typed && is_float(*expected)) {
    std::string word = lower_case(text);
    bool special = word == "nan" || word == "inf" || word == "infinity";
    if (!special && !hex && !is_decimal(text, true)) return wrong();
    if (hex) {  // the whole of the text must be a hexadecimal float
      char* end;
      std::strtod(text.c_str(), &end);
      if (*end || text.size() < 3) return wrong();
    }
    return Number{*expected, float_bytes(*expected, (negative ? "-" : "") + text)};
  }

  std::string_view digits = text;
  unsigned base = 10;
  if (hex || bits) digits.remove_prefix(2), base = hex ? 16 : 2;
  bool overflow = false;
  std::optional<uint64_t> whole = parse_digits(digits, base, overflow);
  Scalar elem = suffix ? *suffix : expected ? *expected : whole ? Scalar::I32 : Scalar::F64;
  if (is_float(elem)) {
    if (base != 10 || !is_decimal(text, false)) return wrong();
    return Number{elem, float_bytes(elem, (negative ? "-" : "") + text)};
  }
  if (!whole) return wrong();
  // A number that does not fit keeps its low bits. The type-directed reader takes the nearest number of 64 bits first. Digits of bits may
  // also fill the sign.
  uint64_t all = UINT64_MAX >> (64 - 8 * bytes_of(elem)), half = all / 2 + 1;
  uint64_t limit = negative ? (is_signed(elem) ? half : 0) : is_signed(elem) && base == 10 ? half - 1 : all;
  if (overflow || *whole > limit) {
    warn_of_low_bits(text_, token_, token, elem);
    uint64_t greatest = !is_signed(elem) ? UINT64_MAX : negative ? uint64_t{1} << 63 : base == 10 ? uint64_t(INT64_MAX) : UINT64_MAX;
    if (typed && (overflow || *whole > greatest)) {
      whole = greatest;
      negative = negative && is_signed(elem);
    }
  }
  return Number{elem, integer_bytes(elem, negative ? 0 - *whole : *whole)};
}

// ---- Printing ----

namespace {

// Digits for people: point form from 0.1 to below 10^7, else an exponent without `+`.
template <class T> std::string shortest(T x) {
  if (x == 0) return std::signbit(x) ? "-0.0" : "0.0";
  double size = std::fabs(double(x));
  if (size >= 0.1 && size < 1e7) {
    char buffer[64];
    auto [end, ok] = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed);
    (void)ok;
    std::string s(buffer, end);
    return s.find('.') == std::string::npos ? s + ".0" : s;
  }
  char buffer[64];
  auto [end, ok] = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific);
  (void)ok;
  std::string s(buffer, end), mantissa = s.substr(0, s.find('e')), exponent = s.substr(s.find('e') + 1);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  bool minus = exponent[0] == '-';
  exponent.erase(0, std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
  return mantissa + "e" + (minus ? "-" : "") + exponent;
}

std::string float_text(const Value& v, int64_t i, bool exact) {
  std::string_view type = name_of(v.elem);
  double x = v.elem == Scalar::F64   ? v.at<double>(i)
             : v.elem == Scalar::F32 ? double(v.at<float>(i))
                                     : double(float_of(v.at<uint16_t>(i)));
  if (std::isnan(x)) return fmt::format("{}.nan", type);
  if (std::isinf(x)) return fmt::format("{}{}.inf", x < 0 ? "-" : "", type);
  if (exact) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, v.elem == Scalar::F64 ? "%.17g" : "%.9g", x);
    return buffer;
  }
  if (v.elem == Scalar::F64) return shortest(x);
  return shortest(float(x));      // a half shows all digits that make it the same float
}

std::string element_text(const Value& v, int64_t i, bool suffix, bool exact) {
  auto with_suffix = [&](std::string s) {
    bool special = s.find('n') != std::string::npos;  // nan and inf carry their type already
    return suffix && !special ? s + std::string(name_of(v.elem)) : s;
  };
  switch (v.elem) {
    case Scalar::Bool: return v.at<uint8_t>(i) ? "true" : "false";
    case Scalar::I8: return with_suffix(std::to_string(v.at<int8_t>(i)));
    case Scalar::I16: return with_suffix(std::to_string(v.at<int16_t>(i)));
    case Scalar::I32: return with_suffix(std::to_string(v.at<int32_t>(i)));
    case Scalar::I64: return with_suffix(std::to_string(v.at<int64_t>(i)));
    case Scalar::U8: return with_suffix(std::to_string(v.at<uint8_t>(i)));
    case Scalar::U16: return with_suffix(std::to_string(v.at<uint16_t>(i)));
    case Scalar::U32: return with_suffix(std::to_string(v.at<uint32_t>(i)));
    case Scalar::U64: return with_suffix(std::to_string(v.at<uint64_t>(i)));
    case Scalar::F16:
    case Scalar::F32:
    case Scalar::F64: return with_suffix(float_text(v, i, exact));
  }
  return {};
}

void rows(const Value& v, size_t depth, int64_t& i, TextStyle style, std::string& out) {
  if (depth == v.shape.size()) {
    out += element_text(v, i++, true, style == TextStyle::Executable);
    return;
  }
  bool lines = (style == TextStyle::Tool || style == TextStyle::Rows) && depth + 1 < v.shape.size();
  out += '[';
  for (int64_t k = 0; k < v.shape[depth]; k++) {
    if (k > 0) out += lines ? ",\n" + std::string(style == TextStyle::Tool ? depth + 1 : 0, ' ') : std::string(", ");
    rows(v, depth + 1, i, style, out);
  }
  out += ']';
}

}  // namespace

std::string to_text(const Value& value, TextStyle style) {
  if (!value.shape.empty() && value.count() == 0) {
    std::string s = "empty(";
    for (int64_t d : value.shape) s += fmt::format("[{}]", d);
    return s + std::string(name_of(value.elem)) + ")";
  }
  std::string out;
  int64_t i = 0;
  rows(value, 0, i, style, out);
  return out;
}

std::string to_binary(const Value& value) {
  std::string out = {'b', 2, char(value.shape.size())};
  out += fmt::format("{:>4}", name_of(value.elem));
  for (int64_t d : value.shape) out += raw(d);
  return out + value.bytes;
}

std::string type_text(Scalar elem, size_t rank) {
  std::string s;
  for (size_t i = 0; i < rank; i++) s += "[]";
  return s + std::string(name_of(elem));
}

std::string scalar_text(const Value& value, int64_t index, bool suffix) {
  return element_text(value, index, suffix, false);
}

double number_at(const Value& v, int64_t i) {
  return with_type(v.elem, [&](auto t) -> double {
    using T = decltype(t);
    if (v.elem == Scalar::F16) return double(float_of(v.at<uint16_t>(i)));
    return double(v.at<T>(i));
  });
}

}  // namespace raido
