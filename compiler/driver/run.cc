// run.cc - `raido run`: the interpreter on values from standard input, or a compiled program. Also the interpreter as a library for `test`
// and `dev`.
#include "compiler/driver/run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "compiler/base/child.h"
#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data.h"
#include "compiler/driver/output.h"
#include "compiler/driver/property.h"
#include "compiler/driver/show.h"
#include "compiler/ir/calling.h"
#include "compiler/ir/interpret.h"

namespace raido {

using ir::Value;

const ir::EntryPoint* find_entry(const ir::Program& program, std::string_view name) {
  for (const ir::EntryPoint& e : program.entries)
    if (e.name == name) return &e;
  return nullptr;
}

// The element type and rank of each core parameter that the outside gives.
std::vector<std::pair<Scalar, size_t>> input_types(const ir::Program& program, std::string_view name) {
  const ir::EntryPoint* e = find_entry(program, name);
  const ir::Function* f = e ? &program.functions[e->function.index] : program.function(name);
  std::vector<std::pair<Scalar, size_t>> types;
  if (!f) return types;
  size_t sizes = e ? e->sizes : 0;
  for (ir::Var v : ir::outside_params(program, *f)) {
    const ir::Type& t = program.type(v);
    if (auto s = std::get_if<ir::ScalarType>(&t)) {
      if (sizes > 0) sizes--;
      else types.emplace_back(s->elem, 0);
    } else if (auto a = std::get_if<ir::ArrayType>(&t)) {
      types.emplace_back(a->elem, a->shape.size());
    }
  }
  return types;
}

std::string input_type_text(const ir::Program& program, std::string_view name) {
  std::string text;
  for (auto& [elem, rank] : input_types(program, name)) text += (text.empty() ? "" : " ") + type_text(elem, rank);
  return text;
}

namespace {

using Type = std::pair<Scalar, size_t>;

std::string type_lines(const std::vector<Type>& types) {
  std::string text;
  for (auto& [elem, rank] : types) text += "  " + type_text(elem, rank) + "\n";
  return text;
}

// The arguments from standard input; none and a message if they do not fit.
std::optional<std::vector<Value>> read_arguments(const std::string& entry, const std::vector<Type>& types, std::string_view input,
                                                 bool type_directed) {
  DataReader reader(input);
  std::vector<Value> args;
  std::vector<Type> got;
  for (size_t i = 0; !reader.at_end(); i++) {
    auto v = type_directed && i < types.size() ? reader.read_as(types[i].first, int(types[i].second)) : reader.read();
    if (!v) {
      fmt::print(stderr, "Incorrectly formatted input data.\n{}\n", reader.error());
      return {};
    }
    got.emplace_back(v->elem, v->shape.size());
    args.push_back(std::move(*v));
  }
  if (args.size() != types.size()) {
    fmt::print(stderr, "Entry point \"{}\" expects input of type(s)\n{}Got input of types\n{}", entry, type_lines(types), type_lines(got));
    return {};
  }
  for (size_t i = 0; i < types.size(); i++)
    if (got[i] != types[i]) {
      fmt::print(stderr, "Invalid argument type.\nExpected: {}\nGot:      {}\n", type_text(types[i].first, types[i].second),
                 type_text(got[i].first, got[i].second));
      return {};
    }
  return args;
}

// The program as an executable, which disappears with its run; it reads and prints what this process would.
int run_compiled(const Options& options) {
  if (!options.property.empty() || !options.pipeline.empty() || options.check_shapes) {
    fmt::print(stderr, "{}: --property, --pipeline and --check-shapes are for the interpreter\n", options.program);
    return 1;
  }
  TemporaryFolder folder;
  Options build = options;
  build.command = options.run_backend;
  build.output = folder.path() + "/program";
  build.cpu = "native";
  if (int code = command_build(build); code != 0) return code;
  std::vector<std::string> args = {options.program, "-e", options.entry.empty() ? "main" : options.entry};
  if (options.binary) args.push_back("-b");
  std::vector<char*> argv;
  for (std::string& a : args) argv.push_back(a.data());
  argv.push_back(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    end_with_parent();
    ::execv(build.output.c_str(), argv.data());
  }
  if (child <= 0) {
    fmt::print(stderr, "{}: the program cannot be started: {}\n", options.program, std::strerror(errno));
    if (child < 0) return 1;
    ::_exit(1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fmt::print(stderr, "{}: the program was ended by signal {} ({})\n", options.program, WTERMSIG(status), strsignal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

}  // namespace

int command_run(const Options& options) {
  if (options.run_backend != "interpreter") return run_compiled(options);
  if (!options.property.empty()) return test_property(options);
  auto compiled = front_end(options.words[0], options);
  if (!compiled) return 2;
  ir::Target target = ir::Target::Sequential;
  std::optional<Pipeline> pipeline = find_pipeline(options.pipeline, target);
  if (!pipeline) return 1;
  Stats stats;
  if (!run_passes(*pipeline, *compiled, target, pass_options(options), stats, options)) return 2;
  const ir::Program& program = compiled->program;
  std::string name = options.entry.empty() ? "main" : options.entry;
  const ir::EntryPoint* entry = find_entry(program, name);
  if (!entry && !program.function(name)) {
    fmt::print(stderr, "Invalid entry point: {}\n{}\n", name,
               program.entries.empty() ? "The program has none: begin a definition with `entry` instead of `def`."
                                       : "Entry points are: " + join(program.entries, ", ", [](const ir::EntryPoint& e) { return e.name; }));
    return 1;
  }
  auto types = input_types(program, name);
  if (entry)
    for (size_t i = 0; i < entry->params.size(); i++)
      if (entry->params[i].opaque) {
        fmt::print(stderr, "Cannot read input #{} of type {}\n", i, entry->params[i].name);
        return 1;
      }
  std::string input = types.empty() && isatty(0) ? "" : read_standard_input();      // surplus input is an error, too
  auto args = read_arguments(name, types, input, options.type_directed);
  if (!args) return 1;
  ir::InterpretOptions how = interpret_options(options);
  how.trace = print_trace;
  ir::Outcome outcome = ir::interpret(program, name, *args, how);
  if (outcome.failure) {
    fmt::print(stderr, "{}: {}\n", options.program, show(*outcome.failure));
    return 1;
  }
  const lower::EntryLayout* layout = entry && !compiled->layouts.empty() ? &compiled->layouts[size_t(entry - program.entries.data())] : nullptr;
  if (layout && !options.binary) {
    for (const std::string& line : show_results(layout->result, outcome.results)) print("{}\n", line);
    return 0;
  }
  // As a compiled program: nested tuples are spread, what is neither a scalar nor an array of them cannot be printed.
  auto print_one = [&](const Value& v) { print("{}\n", options.binary ? to_binary(v) : to_text(v, TextStyle::Tool)); };
  if (!entry) {
    for (const Value& v : outcome.results) print_one(v);
    return 0;
  }
  size_t next = 0;
  for (const ir::ExternalType& r : entry->results) {
    if (r.opaque || r.values != 1) {
      fmt::print(stderr, "Values of type \"{}\" have no external representation.\n", r.name);
      return 1;
    }
    print_one(outcome.results[next++]);
  }
  if (entry->results.empty()) print("\n");
  return 0;
}

}  // namespace raido
