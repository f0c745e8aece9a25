// script_command.cc - `raido script`: expressions over a program that is interpreted, compiled first, or was compiled as a server.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "compiler/driver/commands.h"
#include "compiler/driver/data.h"
#include "compiler/driver/output.h"
#include "compiler/driver/script.h"
#include "compiler/driver/serve.h"

namespace raido {
namespace {

using ir::Value;

class Program {
 public:
  explicit Program(const Options& options) : options_(options), tools_(options) {}

  // An exit code; 0: it is ready.
  int start() {
    const std::string& path = options_.words[0];
    if (!path.ends_with(".fut") && std::filesystem::is_regular_file(path)) return serve(path) ? 0 : 1;
    compiled_ = front_end(path, options_);
    if (!compiled_) return 2;
    if (options_.script_backend.empty()) return 0;
    std::string executable = folder_.path() + "/program", wrong = compile_server(options_, tools_, options_.script_backend, path, executable);
    if (wrong.empty()) return serve(executable) ? 0 : 1;
    fmt::print(stderr, "{}\n", wrong);
    return 2;
  }
  ScriptEvaluator evaluator(std::string folder) {
    if (!server_) return ScriptEvaluator(*compiled_, std::move(folder), true);
    if (compiled_) return ScriptEvaluator(*compiled_, std::move(folder), true, calls_of(*server_));
    return ScriptEvaluator(std::move(entries_), std::move(folder), true, calls_of(*server_));
  }

 private:
  const Options& options_;
  CaseTools tools_;
  TemporaryFolder folder_;
  std::optional<Compiled> compiled_;
  std::unique_ptr<Server> server_;
  ScriptEntries entries_;                              // where there is only a server

  bool serve(const std::string& executable) {
    std::vector<std::string> argv = {executable.find('/') == std::string::npos ? "./" + executable : executable};
    if (options_.script_debugging) argv.push_back("--debugging");
    if (options_.script_log) argv.push_back("--log");
    argv.insert(argv.end(), options_.pass_options.begin(), options_.pass_options.end());
    server_ = std::make_unique<Server>(argv);
    std::string wrong = server_->error();
    std::optional<ScriptEntries> entries;
    if (server_->alive()) entries = script_entries(*server_, wrong);
    if (entries) return entries_ = std::move(*entries), true;
    fmt::print(stderr, "{}\n", wrong.starts_with(executable) ? wrong : executable + ": " + wrong);
    return false;
  }
};

}  // namespace

int command_script(const Options& options) {
  std::string folder = options.words[0].find('/') == std::string::npos ? "" : options.words[0].substr(0, options.words[0].rfind('/'));
  Program program(options);
  if (int failed = program.start(); failed != 0) return failed;
  ScriptEvaluator script = program.evaluator(folder);
  std::vector<std::string> texts = options.expressions;
  for (const std::string& path : options.script_files) {
    FileContents file = read_file(path);
    if (!file.text) {
      fmt::print(stderr, "{}: {}\n", path, file.error);
      return 1;
    }
    texts.push_back(*file.text);
  }
  if (options.words.size() > 1) texts.push_back(options.words[1]);
  for (const std::string& text : texts) {
    auto value = script.run(text);
    std::optional<std::vector<Value>> values;
    std::optional<std::string> shown;
    if (value && !options.arguments_of.empty()) {
      auto args = script.arguments(options.arguments_of, *value);
      if (args && !script.readable(options.arguments_of)) {
        fmt::print(stderr, "Entry point \"{}\" has parameters without an external representation.\n", options.arguments_of);
        return 3;
      }
      if (args) values.emplace();
      if (args)
        for (auto& leaves : *args) values->push_back(leaves[0]);
    } else if (value && options.binary) {
      values = script.components(*value);
    } else if (value) {
      shown = script.show(*value);
    }
    if (values)
      for (const Value& v : *values) print("{}", to_binary(v));
    else if (shown) print("{}\n", *shown);
    else {
      flush_output();
      fmt::print(stderr, "{}\n", script.error());
      return 1;
    }
  }
  return 0;
}

}  // namespace raido
