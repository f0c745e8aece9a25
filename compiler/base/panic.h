// panic.h - internal errors: the compiler's own mistakes, never the user's.
//
// CHECK(cond, "format {}", args...) stops with the message, the source place, the pass that was running and how to
// reproduce it. The exit code is 1. It is the only way out of a broken invariant: there are no exceptions.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace raido {

// What is running, for the message of a panic: the runner sets it around each pass.
class PanicContext {
 public:
  PanicContext(std::string what, std::string reproduce);
  ~PanicContext();
  PanicContext(const PanicContext&) = delete;
  PanicContext& operator=(const PanicContext&) = delete;
};

[[noreturn]] void panic_at(const char* file, int line, std::string_view message);

}  // namespace raido

#define PANIC(...) ::raido::panic_at(__FILE__, __LINE__, fmt::format(__VA_ARGS__))
#define CHECK(condition, ...) do { if (!(condition)) PANIC(__VA_ARGS__); } while (false)
