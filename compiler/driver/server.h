// server.h - the client of a program that was compiled with `--server`: one line for each command, and its reply.
//
// Every function says false, or gives nothing, after a failure; error() is what the program said, or how it ended.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/child.h"
#include "compiler/base/files.h"

namespace raido {

class Server {
 public:
  // Waits for its greeting, 300 s if there is no deadline before.
  explicit Server(const std::vector<std::string>& argv, std::optional<Child::Time> deadline = {});

  bool alive() const { return alive_; }
  // From here on replies must come in time; a program that is late is ended.
  void deadline(std::optional<Child::Time> time) { deadline_ = time; }
  bool late() const { return child_.late(); }
  const std::string& error() const { return error_; }
  const std::string& folder() const { return folder_.path(); }      // for what is sent; it disappears with the object

  bool command(const std::vector<std::string>& words);
  const std::vector<std::string>& lines() const { return lines_; }  // of the last reply

  // Types of parameters; one that is consumed begins with `*`.
  std::optional<std::vector<std::string>> inputs(const std::string& entry);
  bool restore(const std::string& file, const std::vector<std::string>& names, const std::vector<std::string>& types);
  // The microseconds that the call took.
  std::optional<int64_t> call(const std::string& entry, const std::string& out, const std::vector<std::string>& arguments);
  bool free(const std::vector<std::string>& names);
  // A value as the bytes of `store`.
  std::optional<std::string> stored(const std::vector<std::string>& names);
  // The same of a value whose components, if it is a tuple, are scalars and arrays of them: one after the other.
  std::optional<std::string> components(const std::string& name);
  // The result of an entry point on stored arguments, as bytes. What the program logs goes to standard error.
  std::optional<std::string> apply(const std::string& entry, const std::string& arguments);

 private:
  bool reply(size_t most_lines = SIZE_MAX);
  bool fail(std::string why) { return error_ = std::move(why), false; }

  TemporaryFolder folder_;
  Child child_;
  std::optional<Child::Time> deadline_;
  std::vector<std::string> lines_;
  std::string error_;
  bool alive_ = true;
};

// `x0 x1 ..`: names for so many values.
std::vector<std::string> numbered(const std::string& prefix, size_t count);

}  // namespace raido
