// files.h - reading and writing files, temporary folders, child processes, and the files packed into the executable.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace raido {

// The whole file, or why not ("No such file or directory", "Is a directory", ..) in `error`.
struct FileContents {
  std::optional<std::string> text;
  std::string error;
};
FileContents read_file(const std::string& path);

// The text of a program. A pipe or a device is none: nobody should wait for it.
FileContents read_source(const std::string& path);

// Writes beside the target and renames, so that a failure leaves no partial file; the permissions of a file that was there
// stay. A device or a pipe is written as it is. Empty on success, else the reason. `program`: those who may read it may run it.
std::string write_file(const std::string& path, std::string_view text, bool program = false);
// Why that would fail, as far as it can be known before; empty if nothing speaks against it.
std::string why_unwritable(const std::string& path);

// A fresh folder that disappears with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs argv[0] (found on PATH) with `input` on its standard input; collects what it prints. `temporary`: a folder for its temporary files.
struct ProcessResult {
  int exit_code = -1;          // 128 + signal if it was killed
  std::string out, err;
  bool started = true;         // false: no such program
};
ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input, const std::string& temporary = "");

// A file of prelude/, backends/runtime/ or docs/errors/ that the build packed into the executable. embedded_file panics if
// there is none.
std::optional<std::string_view> find_embedded_file(std::string_view path);
std::string_view embedded_file(std::string_view path);

}  // namespace raido
