// main.cc - the command word to its function.
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compiler/base/deep_stack.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/reports.h"

namespace {

using namespace raido;

struct Command {
  CommandInfo info;
  int (*function)(const Options&);
};

const Command commands[] = {
    {{"check", Check, "PROGRAM.fut", 1, 1, "check a program"}, command_check},
    {{"eval", Eval, "EXPRESSION...", 1, -1, "evaluate expressions with the interpreter"}, command_eval},
    {{"repl", Repl, "[PROGRAM.fut]", 0, 1, "declare and evaluate interactively"}, command_repl},
    {{"check-syntax", Info, "PROGRAM.fut", 1, 1, "parse a program and its imports"}, command_check_syntax},
    {{"imports", Info, "PROGRAM.fut", 1, 1, "list the files a program consists of"}, command_imports},
    {{"defs", Info, "PROGRAM.fut", 1, 1, "list the definitions of a program"}, command_defs},
    {{"query", Info, "PROGRAM.fut LINE COLUMN", 3, 3, "say what is known about the name at a place"}, command_query},
    {{"hash", Info, "PROGRAM.fut", 1, 1, "print a fingerprint of a program that does not depend on its layout"}, command_hash},
    {{"tokens", Info, "FILE", 1, 1, "list the tokens of a file"}, command_tokens},
    {{"fmt", Fmt, "[FILE...]", 0, -1, "put programs into canonical layout (no file: standard input to output)"}, command_fmt},
    {{"c", Build, "PROGRAM.fut", 1, 1, "compile to sequential C and make an executable"}, command_build},
    {{"multicore", Build, "PROGRAM.fut", 1, 1, "compile to threaded C and make an executable"}, command_build},
    {{"opencl", Build, "PROGRAM.fut", 1, 1, "compile to C and OpenCL kernels and make an executable"}, command_build},
    {{"cuda", Build, "PROGRAM.fut", 1, 1, "compile to C and CUDA kernels and make an executable"}, command_build},
    {{"run", Run, "PROGRAM.fut", 1, 1, "interpret a program on values from standard input"}, command_run},
    {{"test", Test, "PROGRAM.fut|FOLDER...", 1, -1, "run the test blocks of programs"}, command_test},
    {{"script", Script, "PROGRAM.fut [EXPRESSION]", 1, 2, "evaluate expressions over the entry points of a program"}, command_script},
    {{"dataset", Dataset, "", 0, 0, "make data by chance, or convert data from standard input"}, command_dataset},
    {{"datacmp", Datacmp, "GOT EXPECTED", 2, 2, "compare two data files"}, command_datacmp},
    {{"gradbench", Gradbench, "[FOLDER]", 0, 1, "answer GradBench's messages from standard input with the benchmarks of a folder"}, command_gradbench},
    {{"dev", Dev, "[PROGRAM.fut|PROGRAM.ir]", 0, 1, "run single passes or pipelines and show the program"}, command_dev},
};

// The program a command is about can be read, or is not there (which has a message of its own). Else the reason is printed.
bool readable(const CommandInfo& command, const Options& options) {
  if (command.kind & (Fmt | Test | Dataset | Datacmp | Gradbench)) return true;       // they read several files, each with its message
  const std::string path = command.kind & Eval ? options.file : options.words.empty() ? "" : options.words[0];
  std::string wrong = why_unreadable(path);
  if (!wrong.empty()) fmt::print(stderr, "{}: {}\n", path, wrong);
  return wrong.empty();
}

std::string top_level_usage(const std::string& program) {
  std::string text = fmt::format("Usage: {} COMMAND [options] ...\n\n", program);
  for (const Command& c : commands) text += fmt::format("  {:<14}{}\n", c.info.name, c.info.summary);
  return text + fmt::format("\nEvery command has --help. {} --version prints the version,\n{} --explain CODE what a message means, --list-errors all messages.\n", program, program);
}

}  // namespace

int main(int argc, char** argv) {
  std::string program = argv[0], name = program.substr(program.find_last_of('/') + 1);
  std::string word = argc > 1 ? argv[1] : "";
  if (word == "--version" || word == "-V") {
    fmt::print("{}", version_text(program));
    return 0;
  }
  if (word.empty() || word == "--help" || word == "-h") {
    fmt::print("{}", top_level_usage(name));
    return word.empty() ? 1 : 0;
  }
  if (word == "--list-errors") return list_errors(), 0;
  if (word == "--explain" || word.starts_with("--explain=")) {
    std::string code = word.size() > 9 ? word.substr(10) : argc > 2 ? argv[2] : "";
    return explain(code) ? 0 : 2;
  }
  for (const Command& c : commands) {
    if (c.info.name != word) continue;
    auto parsed = parse_options(program, c.info, argc - 1, argv + 1, pass_names());
    if (int* code = std::get_if<int>(&parsed)) return *code;
    Options& options = std::get<Options>(parsed);
    if (!readable(c.info, options)) return 2;
    return on_deep_stack([&] { return c.function(options); });
  }
  if (word[0] == '-') fmt::print(stderr, "Unrecognised argument: {}\n{}", word, top_level_usage(name));
  else fmt::print(stderr, "{}: unknown subcommand \"{}\".\n", name, word);
  return word[0] == '-' ? 1 : 2;
}
