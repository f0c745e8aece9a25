// server.cc - replies end with the line `%%% OK`; `%%% FAILURE` begins what went wrong.
#include "compiler/driver/server.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/ir/value.h"

namespace raido {
namespace {

// A scalar or an array of scalars, by the name of its type.
bool transparent(std::string_view type) {
  while (type.starts_with("[]")) type.remove_prefix(2);
  return scalar_named(type).has_value();
}

}  // namespace

std::vector<std::string> numbered(const std::string& prefix, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; i++) names.push_back(prefix + std::to_string(i));
  return names;
}

// The first command does not wait for the greeting: an executable that is no server reads it as its input, refuses it and ends.
Server::Server(const std::vector<std::string>& argv, std::optional<Child::Time> deadline) : child_(argv, folder_.path() + "/errors") {
  constexpr int most_seconds = 300;
  constexpr size_t most_lines = 100'000;
  auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(most_seconds);
  bool patient = !deadline || latest < *deadline;
  deadline_ = patient ? latest : deadline;
  child_.write("types\n");
  if (reply(most_lines)) reply();
  deadline_.reset();
  if (alive_) error_.clear();
  else if (late() && patient) error_ = fmt::format("No line `%%% OK` within {} s, with which a server begins.", most_seconds);
}

bool Server::command(const std::vector<std::string>& words) {
  if (!alive_) return false;
  std::string line = join(words, " ", [](const std::string& w) { return w.find_first_of(" \t") == w.npos ? w : "\"" + w + "\""; });
  return child_.write(line + "\n"), reply();         // whether it was read shows in the reply
}

bool Server::reply(size_t most_lines) {
  lines_.clear(), error_.clear();
  bool failed = false;
  for (;;) {
    auto line = child_.read_line(deadline_);
    if (!line) break;
    if (lines_.size() >= most_lines) {
      alive_ = false;
      child_.kill();
      child_.wait();
      return fail(fmt::format("No line `%%% OK` among {}, with which a server begins.", most_lines));
    }
    if (*line == "%%% OK") {
      while (error_.ends_with("\n")) error_.pop_back();
      return !failed;
    }
    if (*line == "%%% FAILURE" && !failed) failed = true;
    else if (failed) error_ += *line + "\n";
    else lines_.push_back(std::move(*line));
  }
  alive_ = false;
  if (late()) {
    child_.kill();
    child_.wait();
    return fail("No reply in time.");
  }
  int code = child_.wait();
  std::string said = read_file(folder() + "/errors").text.value_or("");
  while (said.ends_with("\n")) said.pop_back();
  return fail(!said.empty() ? said : code > 128 ? fmt::format("The program was ended by signal {}.", code - 128)
                                                : fmt::format("The program ended with exit code {}.", code));
}

std::optional<std::vector<std::string>> Server::inputs(const std::string& entry) {
  if (!command({"inputs", entry})) return {};
  return lines_;
}

bool Server::restore(const std::string& file, const std::vector<std::string>& names, const std::vector<std::string>& types) {
  std::vector<std::string> words = {"restore", file};
  for (size_t i = 0; i < names.size(); i++) words.insert(words.end(), {names[i], types[i].starts_with("*") ? types[i].substr(1) : types[i]});
  return command(words);
}

std::optional<int64_t> Server::call(const std::string& entry, const std::string& out, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"call", entry, out};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (!command(words)) return {};
  for (const std::string& line : lines_)
    if (line.starts_with("runtime: ")) return std::atoll(line.c_str() + 9);
  fail("The reply to `call` has no line `runtime: ..`.");
  return {};
}

bool Server::free(const std::vector<std::string>& names) {
  std::vector<std::string> words = {"free"};
  words.insert(words.end(), names.begin(), names.end());
  return names.empty() || command(words);
}

std::optional<std::string> Server::stored(const std::vector<std::string>& names) {
  std::string file = folder() + "/stored";
  std::vector<std::string> words = {"store", file};
  words.insert(words.end(), names.begin(), names.end());
  if (!command(words)) return {};
  FileContents contents = read_file(file);
  if (!contents.text) fail(file + ": " + contents.error);
  return std::move(contents.text);
}

std::optional<std::string> Server::components(const std::string& name) {
  if (!command({"type", name})) return {};
  std::string type = lines_.empty() ? "" : lines_[0];
  if (transparent(type)) return stored({name});
  bool is_record = command({"fields", type});
  std::vector<std::string> fields = lines_;
  is_record = is_record && std::all_of(fields.begin(), fields.end(), [](const std::string& f) {
    return transparent(f.substr(f.find(' ') + 1));
  });
  if (!alive_) return {};
  if (!is_record) {
    fail("Cannot load opaque value.");
    return {};
  }
  std::vector<std::string> parts = numbered(name + "_", fields.size());
  for (size_t i = 0; i < fields.size(); i++)
    if (!command({"project", parts[i], name, fields[i].substr(0, fields[i].find(' '))})) return {};
  auto bytes = stored(parts);
  if (!bytes || !free(parts)) return {};
  return bytes;
}

std::optional<std::string> Server::apply(const std::string& entry, const std::string& arguments) {
  auto types = inputs(entry);
  if (!types) return {};
  std::string file = folder() + "/arguments";
  std::vector<std::string> names = numbered("argument", types->size());
  if (std::string wrong = write_file(file, arguments); !wrong.empty()) return fail(file + ": " + wrong), std::nullopt;
  if (!restore(file, names, *types)) return {};
  bool called = call(entry, "result", names).has_value();
  for (const std::string& line : lines_)
    if (!line.starts_with("runtime: ")) fmt::print(stderr, "{}\n", line);
  if (!called || !free(names)) return {};
  auto bytes = stored({"result"});
  if (!bytes || !free({"result"})) return {};
  return bytes;
}

}  // namespace raido
