// cases.h - what test blocks ask for: the programs, the data of their cases, references. For `test`, `bench` and `autotune`.
#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/files.h"
#include "compiler/driver/options.h"
#include "compiler/driver/spec.h"

namespace raido {

// The files among the words, and all programs in the folders among them.
std::vector<std::string> programs_among(const std::vector<std::string>& words);

// The test blocks of a program, or of the file `--spec-file`; none after a message if it cannot be read or is malformed.
std::optional<TestSpec> read_spec(const std::string& path);

bool known_backend(const Options& options, const std::string& backend);      // false after a message

// What is wrong with a POSIX regular expression; empty if nothing is.
std::string pattern_mistake(const std::string& pattern);
// Does it, which is well-formed, match a part of the text?
bool matches(const std::string& pattern, const std::string& text);

// The values of a text, typed by their suffixes; none and a reason.
std::optional<std::vector<ir::Value>> values_of(const std::string& text, std::string& wrong);

// A file that a program names, gunzipped if need be; none and a reason.
std::string beside(const std::string& program, const std::string& name);
std::optional<std::string> data_file(const std::string& program, const std::string& name, std::string& wrong);

// The script of a case with `script input`.
std::string script_text(const std::string& program, const TestCase& c, std::string& wrong);

// What can be done for the cases of programs, by several threads at once.
class CaseTools {
 public:
  explicit CaseTools(const Options& options);

  // The compiler: this executable, or that of --futhark.
  const std::string& compiler() const { return compiler_; }
  // Options for what runs on this machine and is thrown away then: one version is compiled faster than several (decision 033).
  std::vector<std::string> for_this_machine() const;
  // A command that gets five minutes. One of the compiler takes its `--abi` from ours.
  ProcessResult run(std::vector<std::string> argv, const std::string& input) const;

  // Values of the types, made once and kept in the folder `data` beside the program; made anew if the size is wrong.
  std::optional<std::string> random_input(const std::string& program, const std::string& types, std::string& wrong) const;
  // What a case with `auto output` is compared with: kept in `data` until the program changes. `make` makes it, as binary values.
  using Make = std::function<std::optional<std::string>(std::string& wrong)>;
  std::optional<std::vector<ir::Value>> reference(const std::string& program, const std::string& entry, const TestCase& c, const Make& make,
                                                  std::string& wrong) const;
  // The values that a case expects, if it expects any; those of a file are typed by what was got.
  std::optional<std::vector<ir::Value>> expected(const std::string& program, const std::string& entry, const TestCase& c,
                                                 const std::vector<ir::Value>& got, const Make& make, std::string& wrong) const;

 private:
  const Options& options_;
  std::string compiler_;
  mutable std::mutex files_;           // what is kept in data/ is made by one thread at a time
};

}  // namespace raido
