// options.cc - the command line, parsed by libc's getopt_long from the table of options.def.
#include "compiler/driver/options.h"

#include <getopt.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "compiler/base/similar.h"
#include "compiler/driver/output.h"

namespace raido {
namespace {

enum class Form { Flag, Text, Choice, Texts, Number, Integer, Real, Bytes };

struct Row {
  Form form;
  const char* long_name;
  char short_name;
  const char* argument;
  const char* fallback;
  int commands;
  const char* help;
  std::function<bool(Options&, const char*)> set;  // false: the value does not parse
};

bool set_number(int64_t& field, const char* text, int64_t least) {
  char* end;
  long long n = std::strtoll(text, &end, 10);
  if (*end || end == text || n < least) return false;
  field = n;
  return true;
}

bool set_real(double& field, const char* text) {
  char* end;
  field = std::strtod(text, &end);
  return !*end && end != text && field >= 0;
}

bool set_bytes(int64_t& field, const char* text) {
  char* end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  long long n = std::strtoll(text, &end, 10);
  int shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
  if (shift) end++;
  if (*end || errno || n < 1 || n > INT64_MAX >> shift) return false;
  field = n << shift;
  return true;
}

bool set_choice(std::string& field, const char* text, std::string_view choices) {
  field = text;
  return ("|" + std::string(choices) + "|").find("|" + field + "|") != std::string::npos;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
#define FLAG(field, long_name, short_name, commands, help) \
  {Form::Flag, long_name, short_name, nullptr, "", commands, help, [](Options& o, const char*) { o.field = true; return true; }},
#define TEXT(field, long_name, short_name, argument, fallback, commands, help) \
  {Form::Text, long_name, short_name, argument, fallback, commands, help, [](Options& o, const char* v) { o.field = v; return true; }},
#define CHOICE(field, long_name, short_name, argument, fallback, commands, help) \
  {Form::Choice, long_name, short_name, argument, fallback, commands, help, [](Options& o, const char* v) { return set_choice(o.field, v, argument); }},
#define TEXTS(field, long_name, short_name, argument, commands, help) \
  {Form::Texts, long_name, short_name, argument, "", commands, help, [](Options& o, const char* v) { o.field.push_back(v); return true; }},
#define NUMBER(field, long_name, short_name, argument, fallback, commands, help) \
  {Form::Number, long_name, short_name, argument, #fallback, commands, help, [](Options& o, const char* v) { return set_number(o.field, v, 1); }},
#define INTEGER(field, long_name, short_name, argument, fallback, commands, help) \
  {Form::Integer, long_name, short_name, argument, #fallback, commands, help, [](Options& o, const char* v) { return set_number(o.field, v, INT64_MIN); }},
#define REAL(field, long_name, short_name, argument, fallback, commands, help) \
  {Form::Real, long_name, short_name, argument, #fallback, commands, help, [](Options& o, const char* v) { return set_real(o.field, v); }},
#define BYTES(field, long_name, short_name, argument, commands, help) \
  {Form::Bytes, long_name, short_name, argument, "", commands, help, [](Options& o, const char* v) { return set_bytes(o.field, v); }},
#define STEP(long_name, short_name, argument, commands, help) \
  {Form::Text, long_name, short_name, argument, "", commands, help, \
   [](Options& o, const char* v) { o.sequence.emplace_back(long_name, v ? v : ""); return true; }},
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
  return table;
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

constexpr int no_pass_base = 2000;  // values of getopt_long: 1000 + row, 2000 + pass, 1, 2 for help and version

}  // namespace

std::string version_text(const std::string& program) {
  if (base_name(program) == "futhark")
    return "Futhark 0.28.0\nThis is Raido, a compiler for the Futhark language.\nCopyright (C) the Raido authors. ISC licence.\n";
  return "Raido 0.1.0 (Futhark 0.28)\n";
}

std::vector<OptionInfo> options_of(const CommandInfo& command) {
  std::vector<OptionInfo> out;
  for (const Row& row : rows()) {
    if (!(row.commands & command.kind)) continue;
    out.push_back({row.short_name, row.long_name, row.argument ? row.argument : "", row.help});
    bool has_default = row.form == Form::Number || row.form == Form::Integer || row.form == Form::Real || row.form == Form::Text || row.form == Form::Choice;
    if (has_default && *row.fallback) out.back().help += fmt::format(" (default: {})", row.fallback);
  }
  if (command.kind & (Dev | Build)) out.push_back({0, "no-PASS", "", "skip this pass"});
  out.push_back({'h', "help", "", "print this text"});
  out.push_back({'V', "version", "", "print the version"});
  return out;
}

std::string usage_text(const std::string& program, const CommandInfo& command) {
  std::string text = fmt::format("Usage: {} {} [options] {}\n{}\n\n", base_name(program), command.name, command.words,
                                 command.summary);
  for (const OptionInfo& o : options_of(command)) {
    std::string name = o.argument.empty() ? o.long_name : o.long_name + "=" + o.argument;
    std::string left = o.short_name ? fmt::format("  -{}, --{}", o.short_name, name) : "      --" + name;
    text += left.size() < 32 ? fmt::format("{:<32}{}\n", left, o.help) : fmt::format("{}\n{:32}{}\n", left, "", o.help);
  }
  return text;
}

std::variant<Options, int> parse_options(const std::string& program, const CommandInfo& command, int argc, char** argv,
                                         const std::vector<std::string>& pass_names) {
  Options options;
  options.program = program;
  options.command = command.name;
  std::string short_options = "hV";
  std::vector<option> longs = {{"help", no_argument, nullptr, 1}, {"version", no_argument, nullptr, 2}};
  for (size_t i = 0; i < rows().size(); i++) {
    const Row& row = rows()[i];
    if (!(row.commands & command.kind)) continue;
    longs.push_back({row.long_name, row.argument ? required_argument : no_argument, nullptr, 1000 + int(i)});
    if (row.short_name) short_options += std::string(1, row.short_name) + (row.argument ? ":" : "");
  }
  std::vector<std::string> no_names;
  if (command.kind & (Dev | Build))
    for (const std::string& pass : pass_names) no_names.push_back("no-" + pass);
  for (size_t i = 0; i < no_names.size(); i++)
    longs.push_back({no_names[i].c_str(), no_argument, nullptr, no_pass_base + int(i)});
  longs.push_back({nullptr, 0, nullptr, 0});

  auto apply = [&](const Row& row) -> std::optional<int> {
    if (row.set(options, optarg)) return {};
    fmt::print(stderr, "{}: '{}' is not {}.\n", base_name(program), optarg,
               row.form == Form::Choice  ? fmt::format("one of {}", row.argument)
               : row.form == Form::Bytes ? "a number of bytes, like 4096, 64k, 512m or 2g"
               : row.form == Form::Integer ? "an integer"
               : row.form == Form::Real ? "a number from 0 on"
                                           : "a positive integer");
    return 2;
  };
  std::vector<std::string> mistakes;
  opterr = 0;
  optind = 0;  // glibc: start afresh
  short_options = ":" + short_options;
  for (int c; (c = getopt_long(argc, argv, short_options.c_str(), longs.data(), nullptr)) != -1;) {
    std::optional<int> stop;
    if (c == 1 || c == 'h') {
      print("{}", usage_text(program, command));
      return 0;
    } else if (c == 2 || c == 'V') {
      print("{}", version_text(program));
      return 0;
    } else if (c == ':') {
      for (const Row& row : rows()) {
        bool this_one = optopt >= 1000 ? &row == &rows()[size_t(optopt) - 1000] : row.short_name == optopt && (row.commands & command.kind);
        if (this_one)
          mistakes.push_back(fmt::format("option `--{}' requires an argument {}", row.long_name, row.argument));
      }
    } else if (c == '?') {
      // A bundle of short options leaves optind at its word; a long one has been stepped over.
      mistakes.push_back(optopt && optopt < 256 ? fmt::format("Unrecognised argument: -{}", char(optopt))
                                                : fmt::format("Unrecognised argument: {}", argv[optind - 1]));
      std::string name = optopt && optopt < 256 ? "" : argv[optind - 1];
      Similar similar(name.substr(0, name.find('=')).erase(0, 2));
      for (const option& o : longs) if (o.name) similar.offer(o.name);
      if (!similar.best().empty()) mistakes.back() += "\n" + similar.help("--");
    } else if (c >= no_pass_base) {
      options.disabled_passes.push_back(pass_names[size_t(c - no_pass_base)]);
    } else if (c >= 1000) {
      stop = apply(rows()[size_t(c - 1000)]);
    } else {
      for (const Row& row : rows())
        if (row.short_name == c && (row.commands & command.kind)) stop = apply(row);
    }
    if (stop) return *stop;
  }
  for (int i = optind; i < argc; i++) options.words.push_back(argv[i]);

  std::vector<std::string> junk;
  for (size_t i = 0; command.max_words >= 0 && i < options.words.size(); i++)
    if (options.words.size() > size_t(command.max_words)) junk.push_back("Junk argument: " + options.words[i]);
  mistakes.insert(mistakes.begin(), junk.begin(), junk.end());
  if (mistakes.empty() && int(options.words.size()) >= command.min_words) return options;
  for (const std::string& mistake : mistakes) fmt::print(stderr, "{}\n", mistake);
  fmt::print(stderr, "{}", usage_text(program, command));
  return 1;
}

}  // namespace raido
