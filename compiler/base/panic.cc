// panic.cc - prints an internal error and stops. The stack of contexts is the one piece of global state in the
// compiler. With it, a failing CHECK deep inside a pass can say which pass it was.
#include "compiler/base/panic.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace raido {
namespace {

struct Entry { std::string what, reproduce; };
std::vector<Entry>& contexts() {
  static std::vector<Entry> entries;
  return entries;
}

}  // namespace

PanicContext::PanicContext(std::string what, std::string reproduce) {
  contexts().push_back({std::move(what), std::move(reproduce)});
}
PanicContext::~PanicContext() { contexts().pop_back(); }

void panic_at(const char* file, int line, std::string_view message) {
  fmt::print(stderr, "Internal error: {}\n  at {}:{}\n", message, file, line);
  for (auto entry = contexts().rbegin(); entry != contexts().rend(); ++entry) {
    fmt::print(stderr, "  while running {}\n", entry->what);
    if (!entry->reproduce.empty()) fmt::print(stderr, "  to reproduce: {}\n", entry->reproduce);
  }
  fmt::print(stderr, "This is a mistake in raido, not in your program; please report it with the program.\n");
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace raido
