// text_tokens.cc - see text_tokens.h.
#include "compiler/ir/text_tokens.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace raido::ir {

void TextTokens::fail(std::string message) {
  if (!ok()) return;
  size_t line = 1;
  for (char c : text_.substr(0, text_.size() - rest_.size())) line += c == '\n';
  error_ = "line " + std::to_string(line) + ": " + std::move(message);
  rest_ = {};
}
bool TextTokens::word_char(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }
void TextTokens::skip() {
  for (;;) {
    while (!rest_.empty() && isspace(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
    if (!rest_.starts_with("--")) return;
    rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
  }
}
std::string_view TextTokens::peek() {
  skip();
  if (rest_.empty()) return {};
  size_t n = 0;
  bool number = isdigit(static_cast<unsigned char>(rest_[0])) ||
                (rest_[0] == '-' && rest_.size() > 1 && (isalnum(static_cast<unsigned char>(rest_[1]))));
  if (number) {
    n = 1;
    while (n < rest_.size() && (word_char(rest_[n]) || rest_[n] == '.' ||
                                ((rest_[n] == '+' || rest_[n] == '-') && rest_[n - 1] == 'e'))) n++;
  } else if (word_char(rest_[0])) {
    while (n < rest_.size() && (word_char(rest_[n]) || (rest_[n] == '.' && n + 1 < rest_.size() && isdigit(static_cast<unsigned char>(rest_[n + 1]))))) n++;
  } else if (rest_[0] == '"') {
    n = 1;
    while (n < rest_.size() && rest_[n] != '"') n += rest_[n] == '\\' ? 2 : 1;
    n = std::min(n + 1, rest_.size());
  } else if (rest_.starts_with("->") || rest_.starts_with("+:")) n = 2;
  else n = 1;
  return rest_.substr(0, n);
}
std::string TextTokens::next() {
  std::string_view token = peek();
  rest_.remove_prefix(token.size());
  return std::string(token);
}
bool TextTokens::accept(std::string_view token) {
  if (peek() != token) return false;
  next();
  return true;
}
void TextTokens::expect(std::string_view token) {
  if (!accept(token)) fail("expected `" + std::string(token) + "`, found `" + std::string(peek()) + "`");
}
i64 TextTokens::integer() {
  std::string_view token = peek();
  i64 value = 0;
  auto [end, ec] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (ec != std::errc() || end != token.data() + token.size()) fail("expected a number, found `" + std::string(token) + "`");
  else next();
  return value;
}
std::string TextTokens::string() {
  std::string token = next(), out;
  if (token.size() < 2 || token[0] != '"' || token.back() != '"') { fail("expected a string"); return out; }
  for (size_t i = 1; i + 1 < token.size(); i++) {
    if (token[i] != '\\') { out += token[i]; continue; }
    char c = token[++i];
    if (c == 'n') out += '\n';
    else if (c == 't') out += '\t';
    else if (c == 'u' && i + 4 < token.size()) { out += char(std::strtol(token.substr(i + 1, 4).c_str(), nullptr, 16)); i += 4; }
    else out += c;
  }
  return out;
}
bool TextTokens::number(std::string_view token, Scalar type, Const& c) {
  std::string digits(token);
  if (is_float(type)) {
    if (digits == "inf" || digits == "-inf" || digits == "nan") {
      double value = digits == "nan" ? std::nan("") : digits == "inf" ? INFINITY : -INFINITY;
      c = constant(type, value);
      return true;
    }
    char* end = nullptr;
    c = type == Scalar::F64 ? constant(type, std::strtod(digits.c_str(), &end))
                            : Const::of(type, std::strtof(digits.c_str(), &end));
    return !digits.empty() && *end == 0;
  }
  if (type == Scalar::Bool) { c = bool_const(digits == "true"); return digits == "true" || digits == "false"; }
  const char *first = digits.data(), *last = first + digits.size();
  std::from_chars_result r;
  if (is_signed(type)) {
    i64 value = 0;
    r = std::from_chars(first, last, value);
    c = integer_constant(type, value);
  } else {
    uint64_t value = 0;
    r = std::from_chars(first, last, value);
    c = integer_constant(type, i64(value));
  }
  return r.ec == std::errc() && r.ptr == last;
}

}  // namespace raido::ir
