// run.cc - `raido run`: the interpreter on values from standard input. Also the interpreter as a library for `test` and `dev`.
#include "compiler/driver/run.h"

#include <cstdio>

#include <fmt/format.h>

#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data.h"
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

int command_run(const Options& options) {
  auto compiled = front_end(options.words[0], options);
  if (!compiled) return 2;
  ir::Target target = ir::Target::Sequential;
  std::optional<Pipeline> pipeline = find_pipeline(options.pipeline, target);
  if (!pipeline) return 1;
  Stats stats;
  if (!run_passes(*pipeline, compiled->program, target, pass_options(options), stats)) return 2;
  const ir::Program& program = compiled->program;
  std::string name = options.entry.empty() ? "main" : options.entry;
  const ir::EntryPoint* entry = find_entry(program, name);
  if (!entry && !program.function(name)) {
    fmt::print(stderr, "Invalid entry point: {}\n", name);
    return 1;
  }
  auto types = input_types(program, name);
  std::string input = types.empty() ? "" : read_standard_input();
  DataReader reader(input);
  std::vector<Value> args;
  for (auto& [elem, rank] : types) {
    auto v = reader.at_end() ? std::nullopt : options.type_directed ? reader.read_as(elem, int(rank)) : reader.read();
    if (!v) {
      if (reader.error().empty()) fmt::print(stderr, "Entry point \"{}\" expects input of type(s)\n  {}\n", name, input_type_text(program, name));
      else fmt::print(stderr, "Incorrectly formatted input data.\n{}\n", reader.error());
      return 1;
    }
    if (v->elem != elem || v->shape.size() != rank) {
      fmt::print(stderr, "Invalid argument type.\nExpected: {}\nGot:      {}\n", type_text(elem, rank), type_text(v->elem, v->shape.size()));
      return 1;
    }
    args.push_back(std::move(*v));
  }
  if (!reader.at_end()) {
    fmt::print(stderr, "Entry point \"{}\" expects input of type(s)\n  {}\n", name, input_type_text(program, name));
    return 1;
  }
  ir::InterpretOptions how;
  how.trace = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  ir::Outcome outcome = ir::interpret(program, name, args, how);
  if (outcome.failure) {
    fmt::print(stderr, "{}: {}\n", options.program, show(*outcome.failure));
    return 1;
  }
  size_t next = 0;
  auto print_next = [&] { fmt::print("{}\n", to_text(outcome.results[next++], TextStyle::Tool)); };
  if (!entry) {
    while (next < outcome.results.size()) print_next();
    return 0;
  }
  for (const ir::ExternalType& r : entry->results) {
    if (!r.opaque && r.values == 1) {
      print_next();
      continue;
    }
    fmt::print(stderr, "Values of type \"{}\" have no external representation.\n", r.name);
    return 1;
  }
  if (entry->results.empty()) fmt::print("\n");
  return 0;
}

}  // namespace raido
