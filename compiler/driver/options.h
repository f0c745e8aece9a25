// options.h - what the user typed, as a struct. The fields come from options.def; only options.cc parses.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace raido {

enum CommandKind : int {
  Build = 1, Check = 2, Run = 4, Test = 8, Dev = 16,
  Fmt = 32, Eval = 64, Repl = 128, Info = 256, Dataset = 512, Script = 1024, Datacmp = 2048, Gradbench = 4096, Bench = 8192, Benchcmp = 16384,
  Autotune = 32768, Profile = 65536, Lsp = 131072,
  Literate = 1 << 20, Doc = 1 << 21, Pkg = 1 << 22, Python = 1 << 23, Dataget = 1 << 24
};

struct Options {
  std::string program;             // how we were called, for messages
  std::string command;             // "multicore", "check", ..
  std::vector<std::string> words;  // what is not an option
  std::vector<std::string> disabled_passes;  // --no-PASS
  std::vector<std::pair<std::string, std::string>> sequence;  // the STEP options in their order, with their arguments
#define STEP(...)
#define FLAG(field, ...) bool field = false;
#define TEXT(field, long_name, short_name, argument, fallback, ...) std::string field = fallback;
#define CHOICE TEXT
#define TEXTS(field, ...) std::vector<std::string> field;
#define NUMBER(field, long_name, short_name, argument, fallback, ...) int64_t field = fallback;
#define BYTES(field, ...) int64_t field = 0;
#define INTEGER NUMBER
#define REAL(field, long_name, short_name, argument, fallback, ...) double field = fallback;
#include "compiler/driver/options.def"
#undef STEP
#undef FLAG
#undef CHOICE
#undef TEXT
#undef TEXTS
#undef NUMBER
#undef INTEGER
#undef REAL
#undef BYTES
};

struct CommandInfo {
  std::string_view name;
  CommandKind kind;
  std::string_view words;    // of the usage line: "PROGRAM.fut"
  int min_words, max_words;  // max_words -1: any number
  std::string_view summary;
};

// The options, or the exit code when the command line already said all (--help, or a mistake that was reported).
std::variant<Options, int> parse_options(const std::string& program, const CommandInfo& command, int argc, char** argv,
                                         const std::vector<std::string>& pass_names);
// An option of a command as help texts tell of it.
struct OptionInfo {
  char short_name = 0;           // 0: none
  std::string long_name, argument, help;     // argument: empty, a word that names it, or the allowed words with `|` between them
};
std::vector<OptionInfo> options_of(const CommandInfo& command);
std::string usage_text(const std::string& program, const CommandInfo& command);
std::string version_text(const std::string& program);

}  // namespace raido
