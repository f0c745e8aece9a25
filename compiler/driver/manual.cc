// manual.cc - one text for each reader: man(1), bash, zsh, fish.
#include "compiler/driver/manual.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/output.h"

namespace raido {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) text.replace(at, what.size(), by);
  return text;
}

// --- man ---

// A text for troff, where a backslash, a dash and a dot at the beginning of a line mean something else.
std::string roff(std::string text) {
  text = replaced(replaced(std::move(text), "\\", "\\e"), "-", "\\-");
  return text.starts_with(".") || text.starts_with("'") ? "\\&" + text : text;
}

std::string page_head(std::string name, std::string_view summary) {
  std::string upper = name;
  for (char& c : upper) c = char(std::toupper(static_cast<unsigned char>(c)));
  std::string version = version_text("raido");
  return fmt::format(".TH {} 1 \"\" \"{}\" \"Raido\"\n.SH NAME\n{} \\- {}\n", roff(upper), roff(version.substr(0, version.find('\n'))), roff(name), roff(std::string(summary)));
}

std::string manual_of(const CommandInfo& command) {
  std::string text = page_head(fmt::format("raido-{}", command.name), command.summary);
  text += fmt::format(".SH SYNOPSIS\n.B raido {}\n.RI [ options ]\n{}\n.SH OPTIONS\n", roff(std::string(command.name)), roff(std::string(command.words)));
  for (const OptionInfo& o : options_of(command)) {
    text += ".TP\n";
    if (o.short_name) text += fmt::format("\\fB\\-{}\\fR, ", o.short_name);
    text += fmt::format("\\fB\\-\\-{}\\fR", roff(o.long_name));
    if (!o.argument.empty()) text += fmt::format("=\\fI{}\\fR", roff(o.argument));
    text += "\n" + roff(o.help) + "\n";
  }
  return text + ".SH SEE ALSO\n.BR raido (1)\n";
}

std::string manual(const Commands& commands) {
  std::string text = page_head("raido", "a compiler for the Futhark language");
  text += ".SH SYNOPSIS\n.B raido\n.I command\n.RI [ options ] ...\n.br\n.B raido help\n.I command\n.SH COMMANDS\n";
  for (const CommandInfo& c : commands) text += fmt::format(".TP\n.B {}\n{}\n", roff(std::string(c.name)), roff(std::string(c.summary)));
  text += ".SH EXIT STATUS\n.TP\n.B 0\nsuccess\n.TP\n.B 1\na wrong command line, a failure while something runs, tests or benchmarks that fail\n"
          ".TP\n.B 2\na mistake in the program, a file that cannot be read or written, a C compiler that fails\n.SH ENVIRONMENT\n"
          ".TP\n.B CC\nthe C compiler (cc)\n.TP\n.B CFLAGS\noptions for it, after ours\n.SH SEE ALSO\n";
  for (const CommandInfo& c : commands) text += fmt::format(".BR raido\\-{} (1){}\n", roff(std::string(c.name)), &c == &commands.back() ? "" : ",");
  return text;
}

// --- shells ---

std::string words_of(const Commands& commands) { return join(commands, " ", [](const CommandInfo& c) { return std::string(c.name); }) + " help"; }

// `no-PASS` stands for many names.
std::vector<OptionInfo> plain_options(const CommandInfo& command) {
  std::vector<OptionInfo> all = options_of(command);
  std::erase_if(all, [](const OptionInfo& o) { return o.long_name == "no-PASS"; });
  return all;
}
bool is_choice(const OptionInfo& o) { return o.argument.find('|') != o.argument.npos; }

std::string bash(const Commands& commands) {
  std::string text = "# Completion of raido for bash.\n_raido() {\n  local current=${COMP_WORDS[COMP_CWORD]} options=\n  COMPREPLY=()\n"
                     "  if [ \"$COMP_CWORD\" -eq 1 ] || { [ \"$COMP_CWORD\" -eq 2 ] && [ \"${COMP_WORDS[1]}\" = help ]; }; then\n"
                     "    COMPREPLY=($(compgen -W \"" + words_of(commands) + "\" -- \"$current\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandInfo& c : commands) {
    std::string options = join(plain_options(c), " ", [](const OptionInfo& o) {
      std::string all = (o.short_name ? fmt::format("-{} ", o.short_name) : "") + "--" + o.long_name;
      if (!is_choice(o)) return all + (o.argument.empty() ? "" : "=");
      return join(split(o.argument, '|'), " ", [&](const std::string& value) { return all + "=" + value; });
    });
    text += fmt::format("    {}) options=\"{}\" ;;\n", c.name, options);
  }
  return text + "  esac\n  if [[ $current == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
                "    if [[ ${COMPREPLY-} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n  fi\n}\ncomplete -o default -F _raido raido\n";
}

std::string zsh(const Commands& commands) {
  auto quoted = [](std::string text) {
    for (std::string_view special : {"\\", "[", "]", ":"}) text = replaced(text, special, "\\" + std::string(special));
    return replaced(text, "'", "'\\''");
  };
  std::string text = "#compdef raido\n# Completion of raido for zsh.\n_raido() {\n  local -a commands\n  if (( CURRENT == 2 )); then\n    commands=(\n";
  for (const CommandInfo& c : commands) text += fmt::format("      '{}:{}'\n", c.name, replaced(std::string(c.summary), "'", "'\\''"));
  text += "    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandInfo& c : commands) {
    text += fmt::format("    {})\n      _arguments -s", c.name);
    for (const OptionInfo& o : plain_options(c)) {
      std::string tail = "[" + quoted(o.help) + "]";
      if (is_choice(o)) tail += ":value:(" + replaced(o.argument, "|", " ") + ")";
      else if (!o.argument.empty()) tail += ":" + quoted(o.argument) + ":_files";
      std::string equals = o.argument.empty() ? "" : "=";
      if (o.short_name) text += fmt::format(" \\\n        '-{}{}{}'", o.short_name, o.argument.empty() ? "" : "+", tail);
      text += fmt::format(" \\\n        '--{}{}{}'", o.long_name, equals, tail);
    }
    text += " \\\n        '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_raido \"$@\"\n";
}

std::string fish(const Commands& commands) {
  auto quoted = [](std::string_view text) { return "'" + replaced(replaced(std::string(text), "\\", "\\\\"), "'", "\\'") + "'"; };
  std::string text = "# Completion of raido for fish.\n";
  for (const CommandInfo& c : commands) {
    text += fmt::format("complete -c raido -n __fish_use_subcommand -f -a {} -d {}\n", c.name, quoted(c.summary));
    for (const OptionInfo& o : plain_options(c)) {
      text += fmt::format("complete -c raido -n '__fish_seen_subcommand_from {}' -l {}", c.name, o.long_name);
      if (o.short_name) text += fmt::format(" -s {}", o.short_name);
      if (is_choice(o)) text += " -x -a " + quoted(replaced(o.argument, "|", " "));
      else if (!o.argument.empty()) text += " -r";
      text += " -d " + quoted(o.help) + "\n";
    }
  }
  return text;
}

}  // namespace

int print_completion(const std::string& shell, const Commands& commands) {
  std::string text = shell == "bash" ? bash(commands) : shell == "zsh" ? zsh(commands) : shell == "fish" ? fish(commands) : "";
  if (text.empty()) {
    fmt::print(stderr, "raido: '{}' is not one of bash, zsh, fish\n", shell);
    return 2;
  }
  write_output(text);
  return 0;
}

int print_manual(const std::string& command, const Commands& commands) {
  if (command.empty()) return write_output(manual(commands)), 0;
  for (const CommandInfo& c : commands)
    if (c.name == command) return write_output(manual_of(c)), 0;
  fmt::print(stderr, "raido: unknown subcommand \"{}\".\n", command);
  return 2;
}

int install_texts(const std::string& prefix, const Commands& commands) {
  std::vector<std::pair<std::string, std::string>> files = {{"man/man1/raido.1", manual(commands)},
                                                            {"bash-completion/completions/raido", bash(commands)},
                                                            {"zsh/site-functions/_raido", zsh(commands)},
                                                            {"fish/vendor_completions.d/raido.fish", fish(commands)}};
  for (const CommandInfo& c : commands) files.emplace_back(fmt::format("man/man1/raido-{}.1", c.name), manual_of(c));
  for (auto& [name, text] : files) {
    std::filesystem::path path = prefix + "/share/" + name;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (!write_or_say(path.string(), text)) return 2;
  }
  return 0;
}

}  // namespace raido
