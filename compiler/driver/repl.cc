// repl.cc - `raido repl`: declarations and expressions as they are entered.
//
// What is entered is evaluated in a child process: Ctrl-C ends that alone, and so would a mistake of the interpreter. The
// parent keeps the texts of the declarations that were accepted. Where an evaluation stops, its process reads the commands;
// when it ends it sends back what they changed.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "compiler/base/child.h"
#include "compiler/base/files.h"
#include "compiler/base/panic.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/evaluate.h"
#include "compiler/driver/lines.h"
#include "compiler/driver/output.h"
#include "compiler/driver/show.h"
#include "compiler/syntax/parser.h"

namespace raido {
namespace {

std::string trimmed(std::string_view s) {
  size_t a = s.find_first_not_of(" \t\r\n"), b = s.find_last_not_of(" \t\r\n");
  return a == std::string_view::npos ? "" : std::string(s.substr(a, b - a + 1));
}

struct Input { bool declaration, incomplete; };

// What a text is. Wrong texts are what they begin as; a text that ends too early may go on.
Input classify(const std::string& text) {
  auto parse = [&](bool expression, bool& incomplete, bool& empty) {
    ast::Program program;
    Sources sources;
    Diagnostics diags;
    FileId file = sources.add("input", text);
    ast::File* f = expression ? ast::parse_expression(program, sources, file, diags, "it") : ast::parse(program, sources, file, diags);
    empty = f->decls.empty();
    for (const Report& r : diags.sorted()) incomplete |= r.code == err::unexpected_eof.code;
    return !diags.has_errors();
  };
  bool declaration_open = false, expression_open = false, empty = false, none = false;
  if (parse(false, declaration_open, empty) && !empty) return {true, false};
  if (parse(true, expression_open, none)) return {false, false};
  if (declaration_open || expression_open) return {!expression_open, true};
  std::string first = trimmed(text).substr(0, trimmed(text).find_first_of(" \t\n("));
  for (const char* word : {"def", "entry", "type", "module", "open", "import", "local"})
    if (first == word) return {true, false};
  return {false, false};
}

// `let (a, b) = e` as declarations: of the parts under a name that nobody writes, then of each. Empty: the text is no such thing.
std::string pattern_binding(const std::string& text, size_t number) {
  ast::Program program;
  Sources sources;
  Diagnostics diags;
  ast::File* f = ast::parse_expression(program, sources, sources.add("input", text + "\nin 0"), diags, "it");
  auto* def = f->decls.empty() ? nullptr : std::get_if<ast::Def*>(&f->decls[0].node);
  auto* let = def && !diags.has_errors() ? std::get_if<ast::Let>(&(*def)->body->node) : nullptr;
  if (!let || std::get_if<ast::PVar>(&let->pat->node) || !let->sizes.empty() || let->body->span.begin < text.size()) return "";
  std::vector<std::string> names;
  std::function<void(const ast::Pat*)> collect = [&](const ast::Pat* p) {
    match(p->node,
          [&](const ast::PVar& v) { names.emplace_back(program.names.text(v.var->name)); },
          [&](const ast::PTuple& t) { for (ast::Pat* q : t.parts) collect(q); },
          [&](const ast::PRecord& r) { for (const ast::PField& q : r.fields) collect(q.pat); },
          [&](const ast::PAscribe& a) { collect(a.pat); },
          [&](const ast::PAttr& a) { collect(a.pat); },
          [](const auto&) {});   // wildcards and literals; constructors may not fit and are refused
  };
  collect(let->pat);
  std::string parts = fmt::format("parts'{}", number), out = fmt::format("def {} =\n{}\nin ({})\n", parts, text, join(names, ", "));
  for (size_t i = 0; i < names.size(); i++) out += fmt::format("def {} = {}{}\n", names[i], parts, names.size() > 1 ? fmt::format(".{}", i) : "");
  return out;
}

// Values that are too long to read to their end.
std::string cut(std::string text) {
  constexpr size_t most = 3000;
  size_t all = text.size(), end = most;
  if (all <= most) return text;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) end--;
  text.resize(end);
  return text + fmt::format("...\n({} of {} characters; `:format {{EXPRESSION}}` shows all)", end, all);
}

class Interactive {
 public:
  explicit Interactive(const Options& options) : warnings_(!options.no_warnings), earlier_names_(options.abi == "0.25") {
    lines_.complete = [this](const std::string& start) { return completions(start); };
  }

  int run(const std::string& file) {
    if (lines_.terminal()) print("Raido {}; :help lists the commands.\n", "0.1.0");
    if (!file.empty()) load(file);
    for (;;) {
      std::optional<std::string> line = lines_.read(prompt());
      if (!line && lines_.terminal()) print("\n");
      if (!line) break;
      if (lines_.interrupted()) continue;
      std::string text = *line;
      if (trimmed(text).starts_with(":")) {
        lines_.remember(text);
        bool reset = false;
        if (!command(trimmed(text).substr(1), reset)) break;
        if (!reset) count_++;
        continue;
      }
      if (!trimmed(text).empty()) enter(text);
      count_++;
      if (leave_) break;
    }
    print("Leaving 'raido repl'.\n");
    return 0;
  }

 private:
  // The commands or names that begin so. What is entered may add names, so they are looked up each time.
  std::vector<std::string> completions(const std::string& start) {
    if (!start.starts_with(":")) return session_.names(start);
    std::vector<std::string> found;
    bool reset;
    for (const Command& c : commands(reset))
      if (c.name.starts_with(start.substr(1))) found.push_back(":" + std::string(c.name));
    return found;
  }

  std::string prompt() const { return fmt::format("[{}]> ", count_); }
  std::string name() const { return fmt::format("[{}]", count_); }

  // A declaration or an expression; lines are added until it is complete. An empty line ends it.
  void enter(std::string text) {
    if (std::string declarations = pattern_binding(text, count_); !declarations.empty()) {
      lines_.remember(text);
      if (in_child([&](std::string& messages) { return session_.declare(name(), declarations, warnings_, messages); })) accept(declarations);
      return;
    }
    Input what = classify(text);
    while (what.incomplete) {
      std::optional<std::string> more = lines_.read(std::string(prompt().size() - 2, '.') + "> ");
      if (lines_.interrupted()) return;
      if (!more || trimmed(*more).empty()) break;
      text += "\n" + *more;
      what = classify(text);
    }
    lines_.remember(text);
    if (what.declaration) {
      if (in_child([&](std::string& messages) { return session_.declare(name(), text, warnings_, messages); })) accept(text);
      return;
    }
    show(text, [](const Evaluated& v) { print("{}\n", cut(show_value(v.layout, v.leaves, false))); });
  }
  // Known to be right: the child checked it.
  void accept(const std::string& text) {
    std::string ignored;
    session_.declare(name(), text, false, ignored);
  }

  bool show(const std::string& expression, const std::function<void(const Evaluated&)>& how) {
    return in_child([&](std::string& messages) {
      auto value = session_.evaluate(name(), expression, warnings_, messages);
      if (!value) return false;
      fmt::print(stderr, "{}", messages);
      messages.clear();
      how(*value);
      return true;
    });
  }

  // Runs `work` in a process of its own; its messages are printed. True if it succeeded.
  bool in_child(const std::function<bool(std::string&)>& work) {
    flush_output();
    std::fflush(stderr);
    int back[2];
    CHECK(::pipe(back) == 0, "cannot make a pipe: {}", std::strerror(errno));
    pid_t child = ::fork();
    CHECK(child >= 0, "cannot start a process: {}", std::strerror(errno));
    if (child == 0) {
      end_with_parent();
      ::close(back[0]);
      to_parent_ = back[1];
      ::signal(SIGINT, SIG_DFL);
      session_.on_stop = [this](const Stopped& s) { stopped(s); };
      session_.stop_at_nan = stop_at_nan_;
      std::string messages;
      bool ok = work(messages);
      print("{}", messages);
      end_child(ok ? 0 : 3);
    }
    ::close(back[1]);
    std::string state;
    char part[4096];
    for (ssize_t n; (n = ::read(back[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
      if (n > 0) state.append(part, size_t(n));
    ::close(back[0]);
    restore(state);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (WIFSIGNALED(status)) print("{}\n", WTERMSIG(status) == SIGINT ? "Interrupted." : "The evaluation ended unexpectedly.");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  // What the commands at a breakpoint change: the number of inputs, whether NaNs stop, whether to leave, the places passed.
  [[noreturn]] void end_child(int code) {
    std::string state = fmt::format("{}\n{}\n{}\n", count_, stop_at_nan_, leave_);
    for (const std::string& place : passed_) state += place + "\n";
    for (size_t done = 0; done < state.size();) {
      ssize_t n = ::write(to_parent_, state.data() + done, state.size() - done);
      if (n < 0 && errno != EINTR) break;
      if (n > 0) done += size_t(n);
    }
    flush_output();
    std::fflush(stderr);
    ::_exit(code);
  }
  void restore(const std::string& state) {               // empty: the child was interrupted
    std::vector<std::string> lines;
    for (size_t at = 0, end; (end = state.find('\n', at)) != std::string::npos; at = end + 1) lines.push_back(state.substr(at, end - at));
    if (lines.size() < 3) return;
    count_ = std::stoul(lines[0]);
    stop_at_nan_ = lines[1] == "true";
    leave_ = lines[2] == "true";
    passed_ = std::set<std::string>(lines.begin() + 3, lines.end());
  }

  // In the child: reads inputs until an empty one. The names of the place are declared before what is entered.
  void stopped(const Stopped& stop) {
    std::string place = stop.backtrace.empty() ? "an unknown place" : stop.backtrace[0];
    if (passed_.contains(place)) return;
    Session outside = session_;
    const Stopped* outer = std::exchange(stop_, &stop);
    auto enter_frame = [&](size_t frame) {
      session_ = outside;
      std::string ignored;
      if (frame == 0)
        for (const Stopped::Local& l : stop.locals)
          session_.declare("break", fmt::format("def {} = {}", l.name, show_expression(l.value.layout, l.value.leaves, l.type)), false, ignored);
    };
    enter_frame_ = enter_frame;
    print("{} at {}\n", stop.nan ? "NaN produced" : "Breaking", place);
    print_frames(0);
    print("<Enter> to continue.\n");
    enter_frame(0);
    for (;;) {
      count_++;
      std::optional<std::string> line = lines_.read(prompt());
      if (!line || (trimmed(*line).empty() && !lines_.interrupted())) break;
      if (lines_.interrupted()) continue;
      bool reset = false;
      if (!trimmed(*line).starts_with(":")) {
        enter(*line);
      } else {
        lines_.remember(*line);
        if (!command(trimmed(*line).substr(1), reset)) leave_ = true;
      }
      if (leave_) end_child(0);
    }
    print("Continuing...\n");
    flush_output();
    session_ = outside;
    stop_ = outer;
  }
  void print_frames(size_t selected) const {
    for (size_t i = 0; i < stop_->backtrace.size(); i++) print("{} #{}  {}\n", i == selected ? "->" : "  ", i, stop_->backtrace[i]);
    print("\n");
  }

  void load(const std::string& file) {
    print("Loading {}\n", file);
    Session fresh(file, earlier_names_);
    if (!in_child([&](std::string& messages) { return fresh.check_file(warnings_, messages); })) return;
    session_ = Session(file, earlier_names_);
    std::string ignored;
    session_.check_file(false, ignored);
    count_ = 0;
  }

  static void show_text(const Evaluated& v) {
    bool bytes = v.layout.kind == lower::Layout::Kind::Array && v.leaves.size() == 1 && v.leaves[0].elem == Scalar::U8 &&
                 v.leaves[0].shape.size() == 1;
    if (bytes) print("{}\n", v.leaves[0].bytes);
    else print("This is not of type []u8.\n");
  }
  void go_to_frame(const std::string& n) {
    if (!stop_) return print("Not stopped at a breakpoint.\n");
    bool number = !n.empty() && n.size() < 9 && n.find_first_not_of("0123456789") == std::string::npos;
    if (!number || std::stoul(n) >= stop_->backtrace.size()) return print("Invalid stack index: {}\n", n);
    enter_frame_(std::stoul(n));
    print_frames(std::stoul(n));
  }
  void change_folder(const std::string& folder) {
    Session moved = session_;
    moved.moves_to(folder);
    if (::chdir(folder.c_str()) == 0) session_ = std::move(moved);
    else print("{}: {}\n", folder, std::strerror(errno));
  }

  struct Command {
    std::string_view name, help;
    std::function<bool(const std::string&)> run;     // false: leave
  };

  // `reset` is set where the inputs are counted anew.
  std::vector<Command> commands(bool& reset) {
    return {
        {"load", "FILE: declarations come from this program; what was entered is forgotten", [this, &reset](const std::string& file) {
           if (file.empty()) return print("Usage: :load FILE\n"), true;
           size_t before = count_;
           count_ = SIZE_MAX;
           load(file);
           reset = count_ == 0;
           if (!reset) count_ = before;
           return true;
         }},
        {"type", "EXPRESSION: its type", [this](const std::string& e) {
           if (e.empty()) return print("Usage: :type EXPRESSION\n"), true;
           in_child([&](std::string& messages) {
             auto type = session_.type_of(name(), e, messages);
             if (type) print("{}\n", *type);
             return type.has_value();
           });
           return true;
         }},
        {"mtype", "MODULE: what a module provides", [this](const std::string& e) {
           if (e.empty()) return print("Usage: :mtype MODULE\n"), true;
           in_child([&](std::string& messages) {
             auto type = session_.module_type(name(), e, messages);
             if (type) print("{}\n", *type);
             return type.has_value();
           });
           return true;
         }},
        {"format", "TEXT: the text with {EXPRESSION} replaced by values", [this](const std::string& text) {
           format(text);
           return true;
         }},
        {"string", "EXPRESSION: an array of u8 as text", [this](const std::string& e) {
           show(e, show_text);
           return true;
         }},
        {"unbreak", "skip this breakpoint from now on", [this](const std::string&) {
           if (!stop_ || stop_->backtrace.empty()) return print("Not currently stopped at a breakpoint.\n"), true;
           passed_.insert(stop_->backtrace[0]);
           print("{} is skipped from now on.\n", stop_->backtrace[0]);
           return true;
         }},
        {"nanbreak", "whether to stop where an operation makes a NaN of numbers", [this](const std::string&) {
           stop_at_nan_ = !stop_at_nan_;
           print("{} where a NaN is produced.\n", stop_at_nan_ ? "Now stopping" : "No longer stopping");
           return true;
         }},
        {"frame", "NUMBER: at a breakpoint, go to another frame; only the innermost has kept its names", [this](const std::string& n) {
           go_to_frame(n);
           return true;
         }},
        {"pwd", "the working directory", [](const std::string&) {
           char* path = ::getcwd(nullptr, 0);
           print("{}\n", path ? path : std::strerror(errno));
           std::free(path);
           return true;
         }},
        {"cd", "FOLDER: changes the working directory", [this](const std::string& folder) {
           if (folder.empty()) return print("Usage: :cd FOLDER\n"), true;
           change_folder(folder);
           return true;
         }},
        {"help", "this list", nullptr},
        {"quit", "leave", [](const std::string&) { return false; }},
    };
  }

  // False: leave.
  bool command(const std::string& line, bool& reset) {
    size_t end = line.find_first_of(" \t");
    std::string word = line.substr(0, end), argument = end == std::string::npos ? "" : trimmed(line.substr(end));
    std::vector<Command> all = commands(reset);
    std::vector<const Command*> fits;
    for (const Command& c : all) {
      if (c.name == word) fits = {&c};
      if (c.name == word) break;
      if (c.name.starts_with(word)) fits.push_back(&c);
    }
    if (fits.size() > 1) {
      print("Ambiguous command '{}': {}\n", word, join(fits, ", ", [](const Command* c) { return ":" + std::string(c->name); }));
    } else if (fits.empty()) {
      print("Unknown command '{}'\n", word);
    } else if (!fits[0]->run) {
      for (const Command& c : all) print(":{:<10}{}\n", c.name, c.help);
      print("A line that is no command is a declaration or an expression; it may go on over several lines.\n");
    } else {
      return fits[0]->run(argument);
    }
    return true;
  }

  void format(const std::string& text) {
    in_child([&](std::string& messages) {
      std::string out;
      for (size_t i = 0; i < text.size();) {
        if (text[i] != '{') {
          out += text[i++];
          continue;
        }
        size_t end = i + 1;
        for (int depth = 1; end < text.size() && depth > 0; end++) depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
        if (end == text.size() && text[end - 1] != '}') {
          messages += "A `{` is not closed.\n";
          return false;
        }
        auto value = session_.evaluate(name(), text.substr(i + 1, end - i - 2), warnings_, messages);
        if (!value) return false;
        out += show_value(value->layout, value->leaves, false);
        i = end;
      }
      print("{}\n", out);
      return true;
    });
  }

  LineReader lines_;
  bool warnings_, earlier_names_;
  Session session_{{}, earlier_names_};
  size_t count_ = 0;
  std::set<std::string> passed_;                          // breakpoints that are skipped
  bool stop_at_nan_ = false, leave_ = false;
  int to_parent_ = -1;                                    // in a child
  const Stopped* stop_ = nullptr;                         // in a child that stopped
  std::function<void(size_t)> enter_frame_;
};

}  // namespace

int command_repl(const Options& options) { return Interactive(options).run(options.words.empty() ? "" : options.words[0]); }

}  // namespace raido
