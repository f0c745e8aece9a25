// fuzz_programs.cc - programs with tokens moved about. The mutator works on tokens, so that most of what it makes parses and much of it
// is well typed. Whatever it is gives messages or success; what is accepted is lowered, and the core program verified.
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "compiler/base/panic.h"
#include "compiler/check/load.h"
#include "compiler/ir/verify.h"
#include "compiler/lower/lower.h"
#include "compiler/syntax/lexer.h"

namespace {

// The tokens as texts, with the white space in front of each.
std::vector<std::string> pieces(const uint8_t* data, size_t size) {
  using namespace raido;
  Sources sources;
  Diagnostics diags;
  ast::Program program;
  std::string text(reinterpret_cast<const char*>(data), size);
  ast::Tokens tokens = ast::lex(program, sources, sources.add("fuzz.fut", text), diags);
  std::vector<std::string> out;
  size_t from = 0;
  for (const ast::Token& t : tokens.items) {
    if (t.kind == ast::Tok::Eof || t.span.end > text.size() || t.span.end <= from) break;
    out.push_back(text.substr(from, t.span.end - from));
    from = t.span.end;
  }
  return out;
}

size_t put(const std::vector<std::string>& texts, uint8_t* data, size_t max_size) {
  std::string text;
  for (const std::string& t : texts) if (text.size() + t.size() <= max_size) text += t;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  auto below = [&](size_t n) { return size_t(random() % (n ? n : 1)); };
  std::vector<std::string> t = pieces(data, size);
  if (t.size() < 4 || below(16) == 0) return LLVMFuzzerMutate(data, size, max_size);
  static const char* const words[] = {
      " let", " in", " if", " then", " else", " loop", " for", " while", " do", " with", " match", " case", " entry", " def", " type", " module",
      " open", " (", ")", " [", "]", " {", "}", ",", ".", " :", " :>", " =", " ->", " \\x ->", " *", " ^", " '", " #c", " ++", " + ", " |> ", "...", "..<", " map",
      " reduce", " scan", " filter", " iota", " 0", " 1i64", " true", " x", " n", " i64", " []i32", " _", " ???", " vjp", " jvp", " copy", " #[unsafe]", " assert"};
  for (size_t k = 1 + below(3); k-- > 0 && t.size() > 1;) {
    size_t at = below(t.size()), n = 1 + below(std::min<size_t>(t.size() - at, 8)), to = below(t.size());
    auto begin = t.begin() + long(at);
    switch (below(6)) {
      case 0: t.erase(begin, begin + long(n)); break;
      case 1: { std::vector<std::string> run(begin, begin + long(n)); t.insert(t.begin() + long(to), run.begin(), run.end()); break; }
      case 2: t[at] = t[to]; break;
      case 3: std::swap(t[at], t[to]); break;
      case 4: t[at] = words[below(std::size(words))]; break;
      default: t.insert(begin, words[below(std::size(words))]);
    }
  }
  return put(t, data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t size_one, const uint8_t* two, size_t size_two, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> a = pieces(one, size_one), b = pieces(two, size_two);
  if (a.empty() || b.empty()) return 0;
  size_t from = random() % b.size(), n = std::min<size_t>(b.size() - from, 1 + random() % 40);
  a.insert(a.begin() + long(random() % a.size()), b.begin() + long(from), b.begin() + long(from + n));
  return put(a, out, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace raido;
  auto checked = check::check_text("fuzz.fut", std::string(reinterpret_cast<const char*>(data), size), {});
  for (const Report& r : checked->diags.sorted()) render(checked->sources, r);
  if (!checked->ok()) return 0;
  ir::Program program = lower::lower(*checked, {});
  if (checked->diags.has_errors()) return 0;
  ir::Violation v = ir::verify(program);
  CHECK(v.rule.empty(), "lowering made a program that breaks rule {}: {}", v.rule, v.message);
  return 0;
}
