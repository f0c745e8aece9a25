// fuzz_text.cc - the core text form: no bytes crash the parser, and print is the inverse of parse.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace raido::ir;
  Parsed one = parse({reinterpret_cast<const char*>(data), size});
  if (!one.error.empty() || !verify(one.program).rule.empty()) return 0;
  std::string text = print(one.program);
  Parsed two = parse(text);
  if (!two.error.empty() || print(two.program) != text || !verify(two.program).rule.empty()) std::abort();
  return 0;
}
