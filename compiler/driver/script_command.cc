// script_command.cc - `raido script`: expressions over a program that is interpreted, compiled first, or was compiled as a server.
#include <fmt/format.h>

#include "compiler/driver/commands.h"
#include "compiler/driver/data.h"
#include "compiler/driver/output.h"
#include "compiler/driver/script.h"
#include "compiler/driver/serve.h"

namespace raido {

using ir::Value;

int command_script(const Options& options) {
  std::string folder = options.words[0].find('/') == std::string::npos ? "" : options.words[0].substr(0, options.words[0].rfind('/'));
  ScriptProgram program(options);
  if (int failed = program.start(); failed != 0) return failed;
  ScriptEvaluator script = program.evaluator(folder, true);
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
