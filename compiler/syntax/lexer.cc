// Text to tokens by longest match. Malformed literals simply end early (`12abc` is 12 and abc), as the language says.
#include "compiler/syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "compiler/source/habits.h"

namespace raido::ast {

// A character that nobody can tell from a blank, or from nothing: no-break spaces, marks of direction, the byte order mark.
static bool is_unseen(std::string_view c) {
  static constexpr std::pair<std::string_view, std::string_view> ranges[] = {
      {"\u0080", "\u00a0"}, {"\u00ad", "\u00ad"}, {"\u2000", "\u200f"}, {"\u2028", "\u202f"}, {"\u205f", "\u206f"}, {"\u3000", "\u3000"}, {"\ufeff", "\ufeff"}};
  return std::ranges::any_of(ranges, [&](const auto& r) { return r.first <= c && c <= r.second; });
}

std::string_view token_text(Tok kind) {
  static constexpr std::string_view texts[] = {
#define TOKEN(name, text) text,
#define KEYWORD(name, text) "`" text "`",
#include "compiler/syntax/tokens.def"
#undef TOKEN
#undef KEYWORD
  };
  return texts[size_t(kind)];
}

namespace {

// What a character may be part of, in one look.
enum : uint8_t { Blank = 1, Digit = 2, Letter = 4, Constituent = 8, OpStart = 16 };
constexpr std::array<uint8_t, 256> classes = [] {
  std::array<uint8_t, 256> out{};
  auto mark = [&](std::string_view chars, int of) { for (char c : chars) out[static_cast<unsigned char>(c)] |= uint8_t(of); };
  mark(" \t\n\r\f\v", Blank);
  mark("0123456789", Digit | Constituent);
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", Letter | Constituent);
  mark("_'", Constituent);
  mark("+-*/%=!><|&^", OpStart);
  return out;
}();
bool is(char c, int of) { return classes[static_cast<unsigned char>(c)] & of; }
bool is_digit(char c) { return is(c, Digit); }
bool is_letter(char c) { return is(c, Letter); }
bool is_constituent(char c) { return is(c, Constituent); }
bool is_opstart(char c) { return is(c, OpStart); }
bool is_opchar(char c) { return is_opstart(c) || c == '.'; }
bool is_blank(char c) { return is(c, Blank); }
int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) out += char(c);
  else if (c < 0x800) { out += char(0xC0 | c >> 6); out += char(0x80 | (c & 63)); }
  else if (c < 0x10000) { out += char(0xE0 | c >> 12); out += char(0x80 | (c >> 6 & 63)); out += char(0x80 | (c & 63)); }
  else {
    out += char(0xF0 | c >> 18); out += char(0x80 | (c >> 12 & 63));
    out += char(0x80 | (c >> 6 & 63)); out += char(0x80 | (c & 63));
  }
}

// Short words as numbers, to be switched over.
constexpr uint64_t packed(std::string_view word) {
  uint64_t out = 0;
  for (char c : word) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}
std::optional<Tok> keyword(std::string_view word) {
  if (word.size() > 8) return {};
  switch (packed(word)) {
#define TOKEN(name, text)
#define KEYWORD(name, text) static_assert(std::string_view(text).size() <= 8); case packed(text): return Tok::name;
#include "compiler/syntax/tokens.def"
#undef TOKEN
#undef KEYWORD
    default: return {};
  }
}

class Lexer {
 public:
  Lexer(Program& program, const Sources& sources, FileId file, Diagnostics& diags)
      : program_(program), file_(file), text_(sources[file].text), diags_(diags) {}

  Tokens run() {
    out_.items.reserve(text_.size() / 4 + 8);
    while (next()) {}
    // The end is where the last token ends, whatever comments follow.
    uint32_t end = out_.items.empty() ? 0 : out_.items.back().span.end;
    out_.items.push_back({Tok::Eof, {file_, end, end}, {}, 0});
    return std::move(out_);
  }

 private:
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  Span span(size_t from, size_t to) const { return {file_, uint32_t(from), uint32_t(to)}; }
  void push(Tok kind, size_t begin, Name name = {}, uint32_t literal = 0) {
    if (out_.items.size() == out_.items.capacity()) out_.items.reserve(out_.items.size() * 2);
    out_.items.push_back({kind, span(begin, pos_), name, literal});
  }
  void push_named(Tok kind, size_t begin, std::string_view name) { push(kind, begin, program_.names.intern(name)); }
  void push_literal(Tok kind, size_t begin, Literal literal) {
    push(kind, begin, {}, uint32_t(out_.literals.size()));
    out_.literals.push_back(literal);
  }

  bool next() {
    while (pos_ < text_.size() && is_blank(text_[pos_])) pos_++;
    if (pos_ >= text_.size()) { pos_ = text_.size(); return false; }
    size_t begin = pos_;
    char c = text_[pos_];
    if (c == '-' && at(pos_ + 1) == '-') comment();
    else if (is_letter(c) || (c == '_' && (is_letter(at(pos_ + 1)) || is_digit(at(pos_ + 1))))) word();
    else if (is_digit(c)) number();
    else if (c == '"') string();
    else if (c == '\'') quote();
    else if (is_opstart(c)) op();
    else if (c == '#' && at(pos_ + 1) == '[') { pos_ += 2; push(Tok::HashBracket, begin); }
    else if (c == '#' && name_end(pos_ + 1) > pos_ + 1) {
      size_t end = name_end(pos_ + 1);
      pos_ = end;
      push_named(Tok::Constructor, begin, text_.substr(begin + 1, end - begin - 1));
    }
    else punctuation();
    return true;
  }

  // One past the name that starts at i, or i if none does.
  size_t name_end(size_t i) const {
    if (!(is_letter(at(i)) || (at(i) == '_' && (is_letter(at(i + 1)) || is_digit(at(i + 1)))))) return i;
    while (is_constituent(at(i))) i++;
    return i;
  }

  void comment() {
    size_t begin = pos_;
    bool doc = text_.substr(pos_, 4) == "-- |";
    auto skip_line = [&] { while (pos_ < text_.size() && text_[pos_] != '\n') pos_++; };
    skip_line();
    while (doc) {
      size_t next_line = pos_ + 1;
      while (at(next_line) == ' ' || at(next_line) == '\t') next_line++;
      if (next_line >= text_.size() || text_.substr(next_line, 2) != "--") break;
      pos_ = next_line;
      skip_line();
    }
    out_.comments.push_back({span(begin, pos_), doc});
    if (doc) push(Tok::Doc, begin);
  }

  void word() {
    size_t begin = pos_, end = name_end(pos_);
    // (name ".")+ operator is one token.
    for (size_t i = end; i >= no_operator_ && at(i) == '.';) {
      if (is_opstart(at(i + 1))) {
        size_t stop = i + 1;
        while (is_opchar(at(stop))) stop++;
        pos_ = stop;
        push_named(Tok::QualOperator, begin, text_.substr(begin, stop - begin));
        return;
      }
      size_t more = name_end(i + 1);
      if (more == i + 1) { no_operator_ = i; break; }
      i = more;
      if (at(i) != '.') no_operator_ = i;
    }
    pos_ = end;
    std::string_view text = text_.substr(begin, end - begin);
    if (auto k = keyword(text)) push(*k, begin);
    else push_named(Tok::Name, begin, text);
  }

  // `123`, `0xFF`, `0b1`, `0rXIV`, `1.5e3`, `0x1.8p3`, each with an optional suffix.
  void number() {
    size_t begin = pos_;
    char kind = at(pos_) == '0' ? char(at(pos_ + 1) | 32) : ' ';
    if (kind == 'x' && digit_value(at(pos_ + 2)) < 16) return hexadecimal();
    if (kind == 'b' && (at(pos_ + 2) == '0' || at(pos_ + 2) == '1')) { pos_ += 2; return integer(begin, pos_, 2); }
    if (kind == 'r' && roman_value(at(pos_ + 2))) return roman();
    auto digits = [&](size_t i) { while (is_digit(at(i)) || at(i) == '_') i++; return i; };
    size_t end = digits(pos_);
    bool real = false;
    bool after_dot = !out_.items.empty() && out_.items.back().kind == Tok::Dot;
    if (!after_dot) {
      if (at(end) == '.' && is_digit(at(end + 1))) { end = digits(end + 1); real = true; }
      if ((at(end) | 32) == 'e') {
        size_t e = end + 1;
        if (at(e) == '+' || at(e) == '-') e++;
        if (is_digit(at(e))) {
          while (is_digit(at(e))) e++;
          end = e, real = true;
        }
      }
    }
    std::optional<Prim> suffix = suffix_at(end);
    if (!real && !(suffix && *suffix >= Prim::F16)) return integer(begin, begin, 10);
    std::string plain;
    for (char d : text_.substr(begin, end - begin)) if (d != '_') plain += d;
    pos_ = end;
    finish_real(begin, std::strtod(plain.c_str(), nullptr), suffix);
  }

  std::optional<Prim> suffix_at(size_t i) const {
    static constexpr std::pair<std::string_view, Prim> suffixes[] = {
        {"i8", Prim::I8}, {"i16", Prim::I16}, {"i32", Prim::I32}, {"i64", Prim::I64}, {"u8", Prim::U8}, {"u16", Prim::U16},
        {"u32", Prim::U32}, {"u64", Prim::U64}, {"f16", Prim::F16}, {"f32", Prim::F32}, {"f64", Prim::F64}};
    if (at(i) != 'i' && at(i) != 'u' && at(i) != 'f') return {};
    for (auto [text, prim] : suffixes) if (text_.substr(std::min(i, text_.size()), text.size()) == text) return prim;
    return {};
  }
  size_t suffix_length(Prim p) const { return p == Prim::I8 || p == Prim::U8 ? 2 : 3; }

  void finish_real(size_t begin, double value, std::optional<Prim> suffix) {
    Literal lit = Literal::of(Literal::Kind::Float);
    lit.real = value;
    lit.text = program_.arena.copy_text(text_.substr(begin, pos_ - begin));
    if (suffix && *suffix >= Prim::F16) lit.has_suffix = true, lit.suffix = *suffix, pos_ += 3;
    push_literal(Tok::Float, begin, lit);
  }

  void integer(size_t begin, size_t from, int base) {
    Literal lit = Literal::of(Literal::Kind::Int);
    pos_ = from;
    while (digit_value(at(pos_)) < base || at(pos_) == '_') {
      if (at(pos_) != '_') {
        int d = digit_value(at(pos_));
        if (__builtin_mul_overflow(lit.integer, uint64_t(base), &lit.integer)) lit.too_big = true;
        if (__builtin_add_overflow(lit.integer, uint64_t(d), &lit.integer)) lit.too_big = true;
        lit.real = lit.real * base + d;
      }
      pos_++;
    }
    if (auto suffix = suffix_at(pos_); suffix && (*suffix < Prim::F16 || base == 10))
      lit.has_suffix = true, lit.suffix = *suffix, pos_ += suffix_length(*suffix);
    push_literal(Tok::Int, begin, lit);
  }

  void hexadecimal() {
    size_t begin = pos_, i = pos_ + 2;
    auto hex_digits = [&](size_t k, std::string& out) {
      while (digit_value(at(k)) < 16 || at(k) == '_') { if (at(k) != '_') out += at(k); k++; }
      return k;
    };
    std::string mantissa, fraction, exponent;
    i = hex_digits(i, mantissa);
    if (at(i) == '.' && digit_value(at(i + 1)) < 16) {
      size_t j = hex_digits(i + 1, fraction);
      if ((at(j) | 32) == 'p') {
        j++;
        if (at(j) == '+' || at(j) == '-') exponent += at(j++);
        size_t first = j;
        while (is_digit(at(j)) || (j > first && at(j) == '_')) { if (at(j) != '_') exponent += at(j); j++; }
        if (j > first) {
          pos_ = j;
          return finish_real(begin, std::strtod(("0x" + mantissa + "." + fraction + "p" + exponent).c_str(), nullptr), suffix_at(j));
        }
      }
    }
    integer(begin, begin + 2, 16);
  }

  static int roman_value(char c) {
    switch (c) {
      case 'I': return 1; case 'V': return 5; case 'X': return 10; case 'L': return 50;
      case 'C': return 100; case 'D': return 500; case 'M': return 1000; default: return 0;
    }
  }
  void roman() {
    size_t begin = pos_;
    pos_ += 2;
    int64_t total = 0, last = 0;
    for (; roman_value(at(pos_)) || at(pos_) == '_'; pos_++) {
      int64_t v = roman_value(at(pos_));
      if (!v) continue;
      total += v > last && last ? v - 2 * last : v;
      last = v;
    }
    Literal lit = Literal::of(Literal::Kind::Int);
    lit.integer = uint64_t(total), lit.real = double(total);
    if (auto suffix = suffix_at(pos_); suffix && *suffix < Prim::F16)
      lit.has_suffix = true, lit.suffix = *suffix, pos_ += suffix_length(*suffix);
    push_literal(Tok::Int, begin, lit);
  }

  static int simple_escape(char c) {
    switch (c) {
      case 'n': return '\n'; case 't': return '\t'; case 'r': return '\r'; case 'b': return '\b';
      case 'f': return '\f'; case 'v': return '\v'; case 'a': return '\a'; case '\\': return '\\';
      case '"': return '"'; case '\'': return '\''; default: return -1;
    }
  }

  void string() {
    size_t begin = pos_++;
    std::string bytes;
    for (;;) {
      char c = at(pos_);
      if (pos_ >= text_.size() || c == '\n') {
        // The end of a text of several lines begins another one.
        if (!std::exchange(unclosed_, true)) diags_.report(span(begin, pos_), err::unclosed_string).help("close it by `\"`; the end of a line inside of a text is `\\n`");
        break;
      }
      if (c == '"') { pos_++; break; }
      if (c != '\\') { bytes += c; pos_++; continue; }
      size_t escape = pos_++;
      c = at(pos_);
      int base = is_digit(c) ? 10 : c == 'x' ? 16 : c == 'o' ? 8 : 0;
      if (base) {
        if (base != 10) pos_++;
        uint32_t code = 0;
        size_t first = pos_;
        while (digit_value(at(pos_)) < base) {
          if (code < 0x110000) code = code * uint32_t(base) + uint32_t(digit_value(at(pos_)));
          pos_++;
        }
        if (pos_ == first || code > 0x10FFFF) diags_.report(span(escape, pos_), err::bad_escape);
        else append_utf8(bytes, code);
      }
      else if (c == '&') pos_++;
      else if (simple_escape(c) >= 0) { bytes += char(simple_escape(c)); pos_++; }
      else if (pos_ < text_.size() && c != '\n') {
        pos_++;
        diags_.report(span(escape, pos_), err::bad_escape).help(c == 'u' || c == 'U' ? "the number of a character follows `\\x`: `\\x41`" : "");
      }
    }
    Literal lit = Literal::of(Literal::Kind::String);
    lit.text = program_.arena.copy_text(bytes);
    push_literal(Tok::String, begin, lit);
  }

  // Reported, and a number for the parser to go on with.
  void bad_character(size_t begin, std::string help = "") {
    diags_.report(span(begin, pos_), err::bad_char).help(std::move(help));
    push_literal(Tok::Int, begin, Literal::of(Literal::Kind::Int));
  }

  // A character literal, or the quote of a type parameter.
  void quote() {
    size_t begin = pos_, i = pos_ + 1;
    uint32_t code = 0;
    char c = at(i);
    if (c == '\\') {
      i++;
      if (is_digit(at(i))) {
        while (is_digit(at(i))) { if (code < 0x110000) code = code * 10 + uint32_t(at(i) - '0'); i++; }
      }
      else if (simple_escape(at(i)) >= 0) code = uint32_t(simple_escape(at(i++)));
      else {
        pos_ = std::min(text_.find_first_of("'\n", i), text_.size());
        if (at(pos_) == '\'') pos_++;
        return bad_character(begin, at(i) == 'x' || at(i) == 'o' || at(i) == 'u' ? "the number of a character is decimal: `'\\65'`" : "");
      }
    }
    else if (c && c != '\'' && c != '\n') {
      unsigned char lead = static_cast<unsigned char>(c);
      int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
      code = more == 3 ? lead & 7 : more == 2 ? lead & 15 : more == 1 ? lead & 31 : lead;
      for (i++; more > 0; more--, i++) code = code << 6 | (static_cast<unsigned char>(at(i)) & 63);
    }
    else if (c == '\'') {
      pos_ += 2;
      return bad_character(begin);
    }
    if (at(i) == '\'' && i > begin + 1) {
      pos_ = i + 1;
      Literal lit = Literal::of(Literal::Kind::Int);
      lit.integer = code, lit.real = code;
      return push_literal(Tok::Int, begin, lit);
    }
    pos_ = begin + 1;
    if (at(pos_) == '^') { pos_++; push(Tok::QuoteHat, begin); }
    else if (at(pos_) == '~') { pos_++; push(Tok::QuoteTilde, begin); }
    else push(Tok::Quote, begin);
  }

  void op() {
    size_t begin = pos_;
    while (is_opchar(at(pos_))) pos_++;
    std::string_view text = text_.substr(begin, pos_ - begin);
    if (text == "=") push(Tok::Equals, begin);
    else if (text == "->") push(Tok::Arrow, begin);
    else push_named(Tok::Operator, begin, text);
  }

  void punctuation() {
    size_t begin = pos_;
    auto mark = [&](Tok kind, size_t length) { pos_ += length; push(kind, begin); };
    auto next_are = [&](std::string_view text) { return text_.substr(pos_ + 1, text.size()) == text; };
    switch (at(pos_)) {
      case '[': {
        bool index = pos_ > 0 && (is_constituent(text_[pos_ - 1]) || text_[pos_ - 1] == ')' || text_[pos_ - 1] == ']');
        return mark(index ? Tok::IndexBracket : Tok::LBracket, 1);
      }
      case ']': return mark(Tok::RBracket, 1);
      case '(': return mark(Tok::LParen, 1);
      case ')': return mark(Tok::RParen, 1);
      case '{': return mark(Tok::LBrace, 1);
      case '}': return mark(Tok::RBrace, 1);
      case ',': return mark(Tok::Comma, 1);
      case '_': return mark(Tok::Underscore, 1);
      case '\\': return mark(Tok::Backslash, 1);
      case '~': return mark(Tok::Tilde, 1);
      case '`': return mark(Tok::Backtick, 1);
      case '$': return mark(Tok::Dollar, 1);
      case ':': return next_are(">") ? mark(Tok::ColonGreater, 2) : mark(Tok::Colon, 1);
      case '?': return next_are("??") ? mark(Tok::Hole, 3) : mark(Tok::Question, 1);
      case '.':
        if (next_are("..")) return mark(Tok::DotDotDot, 3);
        if (next_are(".<")) return mark(Tok::DotDotLess, 3);
        if (next_are(".>")) return mark(Tok::DotDotGreater, 3);
        return next_are(".") ? mark(Tok::DotDot, 2) : mark(Tok::Dot, 1);
      default: break;
    }
    // Skip a whole UTF-8 character, so that one odd character is one message.
    pos_++;
    while (pos_ < text_.size() && (static_cast<unsigned char>(text_[pos_]) & 0xC0) == 0x80) pos_++;
    unsigned char lead = static_cast<unsigned char>(text_[begin]);
    std::string shown(text_.substr(begin, pos_ - begin)), help(habit(shown));
    if (lead < 32 || lead == 127) shown = fmt::format("\\x{:02x}", lead);
    if (is_unseen(shown)) {
      help = "it looks like a blank, or like nothing: remove it";
      char32_t code = lead < 0xE0 ? lead & 31 : lead & 15;
      for (size_t i = 1; i < shown.size(); i++) code = code << 6 | (static_cast<unsigned char>(shown[i]) & 63);
      shown = fmt::format("U+{:04X}", uint32_t(code));
    }
    diags_.report(span(begin, pos_), err::bad_character, shown).help(std::move(help));
    push(Tok::Bad, begin);
  }

  Program& program_;
  FileId file_;
  std::string_view text_;
  Diagnostics& diags_;
  Tokens out_;
  size_t pos_ = 0;
  bool unclosed_ = false;       // some string
  size_t no_operator_ = 0;      // no dotted name before here ends in an operator: keeps long paths linear
};

}  // namespace

// How many bytes from the start are UTF-8 (RFC 3629: shortest forms, no surrogates); all of them if the text is.
static size_t utf8_prefix(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  size_t i = 0;
  while (i < text.size()) {
    uint64_t eight;
    while (i + 8 <= text.size() && (std::memcpy(&eight, text.data() + i, 8), (eight & 0x8080808080808080) == 0)) i += 8;     // ASCII
    if (i == text.size()) break;
    unsigned lead = byte(i);
    size_t more = lead < 0x80 ? 0 : lead >= 0xC2 && lead < 0xE0 ? 1 : lead >= 0xE0 && lead < 0xF0 ? 2 : lead >= 0xF0 && lead < 0xF5 ? 3 : 4;
    if (more == 4) break;
    unsigned second = byte(i + 1), low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (more > 0 && (second < low || second > high)) break;
    bool whole = true;
    for (size_t k = 2; k <= more; k++) whole = whole && (byte(i + k) & 0xC0) == 0x80;
    if (!whole) break;
    i += more + 1;
  }
  return i;
}

// Text that is not UTF-8 has no tokens, only a message: what is shown of it would not be text either.
Tokens lex(Program& program, const Sources& sources, FileId file, Diagnostics& diags) {
  const std::string& text = sources[file].text;
  if (size_t bad = utf8_prefix(text); bad < text.size()) {
    Position at = sources.position(file, uint32_t(bad));
    diags.report({}, err::not_utf8, sources[file].name, fmt::format("{:02x}", static_cast<unsigned char>(text[bad])), std::to_string(at.line), std::to_string(at.column));
    Tokens none;
    none.items.push_back({Tok::Bad, {file, 0, 0}, {}, 0});     // the parser has nothing to add
    none.items.push_back({Tok::Eof, {file, 0, 0}, {}, 0});
    return none;
  }
  return Lexer(program, sources, file, diags).run();
}

}  // namespace raido::ast
