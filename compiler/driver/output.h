// output.h - what commands print on standard output.
//
// It may take no more: a full disk, a closed pipe. That is said once, on standard error, and the command ends with exit code 1.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace raido {

void write_output(std::string_view text);
template <class... Args> void print(fmt::format_string<Args...> text, Args&&... args) {
  write_output(fmt::format(text, std::forward<Args>(args)...));
}
void flush_output();
// Of a file written for the user: false, and a message, if it cannot be written.
bool write_or_say(const std::string& path, std::string_view text, bool program = false);
// The same before there is anything to write, as far as it can be known.
bool writable_or_say(const std::string& path);

// The end of a command: its exit code, or 1 if output was lost.
int finish_output(int code);

}  // namespace raido
