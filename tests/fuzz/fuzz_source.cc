// fuzz_source.cc - lexer, parser and checker: any bytes give messages or success, and the messages can be shown. What does not
// parse is not checked, and the prelude is read only when something is.
#include <cstdint>
#include <string>

#include "compiler/check/load.h"
#include "compiler/syntax/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace raido;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto show = [](const Sources& sources, const Diagnostics& diags) {
    for (const Report& r : diags.sorted()) render(sources, r);
  };
  Sources sources;
  Diagnostics diags;
  ast::Program program;
  ast::parse(program, sources, sources.add("fuzz.fut", text), diags);
  show(sources, diags);
  if (diags.has_errors()) return 0;
  auto checked = check::check_text("fuzz.fut", std::move(text), {});
  show(checked->sources, checked->diags);
  return 0;
}
