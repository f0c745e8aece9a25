// output.cc - the error flag of the stream remembers what was lost.
#include "compiler/driver/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "compiler/base/files.h"

namespace raido {
namespace {
// A reader that wants no more (`| head`) is no mistake to speak of.
void say_lost() {
  if (errno != EPIPE) fmt::print(stderr, "Cannot write the output: {}\n", std::strerror(errno));
}
}  // namespace

void write_output(std::string_view text) {
  if (!std::ferror(stdout) && std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) say_lost();
}

bool write_or_say(const std::string& path, std::string_view text, bool program) {
  std::string failed = write_file(path, text, program);
  if (!failed.empty()) fmt::print(stderr, "{}: {}\n", path, failed);
  return failed.empty();
}

bool writable_or_say(const std::string& path) {
  std::string failed = why_unwritable(path);
  if (!failed.empty()) fmt::print(stderr, "{}: {}\n", path, failed);
  return failed.empty();
}

void flush_output() {
  if (!std::ferror(stdout) && std::fflush(stdout) != 0) say_lost();
}

int finish_output(int code) {
  flush_output();
  return std::ferror(stdout) && code == 0 ? 1 : code;
}

}  // namespace raido
