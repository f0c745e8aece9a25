// fmt.cc - `raido fmt`: programs in canonical layout, in place or from standard input to standard output.
#include <cstdio>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/fmt.h"
#include "compiler/driver/output.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parser.h"

namespace raido {

std::optional<std::string> in_layout(check::Checked& unit, const std::string& name, std::string text) {
  FileId file = unit.sources.add(name, std::move(text));
  ast::parse(unit.program, unit.sources, file, unit.diags);
  if (!unit.ok()) return {};
  ast::Tokens tokens = ast::lex(unit.program, unit.sources, file, unit.diags);
  std::string out = ast::format(unit.sources, file, tokens);
  ast::Tokens again = ast::lex(unit.program, unit.sources, unit.sources.add(name, out), unit.diags);
  std::string changed = ast::token_difference(unit.sources, tokens, again);
  CHECK(changed.empty(), "the layout would change the program at {}", changed);
  return out;
}

namespace {

std::optional<std::string> formatted(const std::string& name, const std::string& text, const Options& options) {
  check::Checked unit;
  auto out = in_layout(unit, name, text);
  print_reports(unit, options);
  return out;
}

}  // namespace

int command_fmt(const Options& options) {
  if (options.words.empty()) {
    std::string text = read_standard_input();
    auto out = formatted("<stdin>", text, options);
    if (!out) return 2;
    if (!options.only_check) print("{}", *out);
    else if (*out != text) fmt::print(stderr, "<stdin>: not formatted correctly.\n");
    return options.only_check && *out != text ? 1 : 0;
  }
  int code = 0;
  for (const std::string& path : options.words) {
    std::string wrong = why_unreadable(path);
    FileContents file = wrong.empty() ? read_file(path) : FileContents{};
    if (!file.text) {
      fmt::print(stderr, "{}: {}\n", path, wrong.empty() ? "file not found." : wrong);
      code = std::max(code, 2);
      continue;
    }
    auto out = formatted(path, *file.text, options);
    if (!out) {
      code = std::max(code, 2);
      continue;
    }
    if (*out == *file.text) continue;
    if (options.only_check) {
      fmt::print(stderr, "{}: not formatted correctly.\n", path);
      code = std::max(code, 1);
      continue;
    }
    if (!write_or_say(path, *out)) code = std::max(code, 2);
  }
  return code;
}

}  // namespace raido
