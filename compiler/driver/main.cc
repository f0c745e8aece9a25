// main.cc - the command word to its function.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compiler/base/deep_stack.h"
#include "compiler/base/similar.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/manual.h"
#include "compiler/driver/output.h"
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
    {{"lsp", Lsp, "", 0, 0, "answer an editor: the Language Server Protocol over standard input and output"}, command_lsp},
    {{"c", Build, "PROGRAM.fut", 1, 1, "compile to sequential C and make an executable"}, command_build},
    {{"multicore", Build, "PROGRAM.fut", 1, 1, "compile to threaded C and make an executable"}, command_build},
    {{"opencl", Build, "PROGRAM.fut", 1, 1, "compile to C and OpenCL kernels and make an executable"}, command_build},
    {{"cuda", Build, "PROGRAM.fut", 1, 1, "compile to C and CUDA kernels and make an executable"}, command_build},
    {{"llvm", Build, "PROGRAM.fut", 1, 1, "compile with LLVM, without a C compiler, and make an executable"}, command_build},
    {{"python", Python, "PROGRAM.fut", 1, 1, "compile and make a package that Python can import"}, command_python},
    {{"run", Run, "PROGRAM.fut", 1, 1, "interpret a program on values from standard input"}, command_run},
    {{"test", Test, "PROGRAM.fut|FOLDER...", 1, -1, "run the test blocks of programs"}, command_test},
    {{"bench", Bench, "PROGRAM.fut|FOLDER...", 1, -1, "measure how long the cases of test blocks take"}, command_bench},
    {{"benchcmp", Benchcmp, "BEFORE.json AFTER.json", 2, 2, "compare the results of two runs of bench"}, command_benchcmp},
    {{"autotune", Autotune, "PROGRAM.fut", 1, 1, "find the tuning parameters with which a program runs fastest"}, command_autotune},
    {{"profile", Profile, "RESULTS.json...", 1, -1, "show what bench --profile has collected, by events and by lines"}, command_profile},
    {{"script", Script, "PROGRAM.fut [EXPRESSION]", 1, 2, "evaluate expressions over the entry points of a program"}, command_script},
    {{"literate", Literate, "PROGRAM.fut", 1, 1, "make Markdown of a program and of what its directives compute"}, command_literate},
    {{"doc", Doc, "FOLDER", 1, 1, "make HTML pages of the programs below a folder"}, command_doc},
    {{"pkg", Pkg, "VERB [PATH [VERSION]]", 1, 3, "manage packages: init, add, remove, sync, upgrade, check, fmt, versions"}, command_pkg},
    {{"dataset", Dataset, "", 0, 0, "make data by chance, or convert data from standard input"}, command_dataset},
    {{"datacmp", Datacmp, "GOT EXPECTED", 2, 2, "compare two data files"}, command_datacmp},
    {{"dataget", Dataget, "PROGRAM.fut NAME", 2, 2, "print the input of the case of a test block whose title contains NAME"}, command_dataget},
    {{"gradbench", Gradbench, "[FOLDER]", 0, 1, "answer GradBench's messages from standard input with the benchmarks of a folder"}, command_gradbench},
    {{"dev", Dev, "[PROGRAM.fut|PROGRAM.ir]", 0, 1, "run single passes or pipelines and show the program"}, command_dev},
};

// `prog` stands for `prog.fut`, if there is such a file: also beside the executable `prog` that was made of it. A name that begins
// with a dash gets `./` before it, so that other commands do not take it for an option.
void complete_name(std::string& word) {
  std::error_code none;
  if (!word.ends_with(".fut") && !word.empty() && !std::filesystem::is_directory(word, none) && std::filesystem::is_regular_file(word + ".fut", none))
    word += ".fut";
  if (word.size() > 1 && word[0] == '-') word.insert(0, "./");
}
void complete_names(const CommandInfo& command, Options& options) {
  complete_name(options.file);
  if (command.kind & (Eval | Pkg | Dataset | Datacmp | Gradbench | Benchcmp | Profile)) return;          // their words are no programs
  std::error_code none;
  if (command.kind == Script && !options.words.empty() && std::filesystem::is_regular_file(options.words[0], none)) return;    // a server
  if (command.max_words < 0) for (std::string& word : options.words) complete_name(word);
  else if (!options.words.empty()) complete_name(options.words[0]);
}

// The program a command is about can be read, or is not there (which has a message of its own). Else the reason is printed.
bool readable(const CommandInfo& command, const Options& options) {
  if (command.kind & (Fmt | Test | Pkg | Doc | Dataset | Datacmp | Gradbench | Bench | Benchcmp | Profile)) return true;       // they read several files, each with its message
  const std::string path = command.kind & Eval ? options.file : options.words.empty() ? "" : options.words[0];
  std::string wrong = why_unreadable(path);
  if (!wrong.empty()) fmt::print(stderr, "{}: {}\n", path, wrong);
  return wrong.empty();
}

std::string top_level_usage(const std::string& program) {
  std::string text = fmt::format("Usage: {} COMMAND [options] ...\n\n", program);
  for (const Command& c : commands) text += fmt::format("  {:<14}{}\n", c.info.name, c.info.summary);
  return text + fmt::format("\n{0} help COMMAND lists the options of a command. {0} --version prints the version,\n"
                            "{0} --explain CODE what a message means, --list-errors all messages,\n"
                            "{0} --completion bash|zsh|fish what lets that shell complete options, --manual [COMMAND] a manual page.\n", program);
}

const Command* find_command(const std::string& word) {
  for (const Command& c : commands) if (c.info.name == word) return &c;
  return nullptr;
}

std::vector<CommandInfo> command_infos() {
  std::vector<CommandInfo> infos;
  for (const Command& c : commands) infos.push_back(c.info);
  return infos;
}

int unknown_command(const std::string& program, const std::string& word) {
  Similar similar(word);
  for (const Command& c : commands) similar.offer(c.info.name);
  std::error_code none;
  bool is_program = word.ends_with(".fut") && std::filesystem::exists(word, none);
  std::string help = is_program ? fmt::format("to run it: `{} run {}`", program, word) : similar.help(program + " ");
  fmt::print(stderr, "{}: unknown subcommand \"{}\".\n{}{}", program, word, help, help.empty() ? "" : "\n");
  return 2;
}

int run_command(const std::string& program, const Command& command, int argc, char** argv) {
  auto parsed = parse_options(program, command.info, argc, argv, pass_names());
  if (int* code = std::get_if<int>(&parsed)) return *code;
  Options& options = std::get<Options>(parsed);
  complete_names(command.info, options);
  if (!readable(command.info, options)) return 2;
  return on_deep_stack([&] { return command.function(options); });
}

int run_words(const std::string& path, int argc, char** argv) {
  std::string program = path.substr(path.find_last_of('/') + 1), word = argc > 1 ? argv[1] : "", next = argc > 2 ? argv[2] : "";
  if (word == "--version" || word == "-V") return write_output(version_text(path)), 0;
  if (word == "help" && !next.empty()) {
    const Command* c = find_command(next);
    return c ? write_output(usage_text(program, c->info)), 0 : unknown_command(program, next);
  }
  if (word.empty() || word == "help" || word == "--help" || word == "-h") return write_output(top_level_usage(program)), word.empty() ? 1 : 0;
  if (word == "--completion" || word.starts_with("--completion=")) return print_completion(word.size() > 12 ? word.substr(13) : next, command_infos());
  if (word == "--manual") return print_manual(next, command_infos());
  if (word == "--install-texts") return install_texts(next, command_infos());
  if (word == "--list-errors") return list_errors(), 0;
  if (word == "--explain" || word.starts_with("--explain=")) return explain(word.size() > 9 ? word.substr(10) : next) ? 0 : 2;
  if (word[0] == '-') {
    fmt::print(stderr, "Unrecognised argument: {}\n{}", word, top_level_usage(program));
    return 1;
  }
  const Command* command = find_command(word);
  return command ? run_command(path, *command, argc - 1, argv + 1) : unknown_command(program, word);
}

}  // namespace

int main(int argc, char** argv) { return finish_output(run_words(argv[0], argc, argv)); }
