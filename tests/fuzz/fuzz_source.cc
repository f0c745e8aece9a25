// fuzz_source.cc - lexer, parser and checker: any bytes give messages or success.
#include <cstdint>
#include <string>

#include "compiler/check/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  raido::check::check_text("fuzz.fut", std::string(reinterpret_cast<const char*>(data), size), {});
  return 0;
}
