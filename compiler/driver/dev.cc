// dev.cc - `raido dev`: the compiler taken apart. Runs single passes or pipelines on a program and shows it, interprets
// it at any level, compares before and after each pass.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data.h"
#include "compiler/driver/explain_ad.h"
#include "compiler/driver/explain_loops.h"
#include "compiler/driver/output.h"
#include "compiler/driver/run.h"
#include "compiler/ir/interpret.h"
#include "compiler/ir/text.h"

namespace raido {
namespace {

void list_passes() {
  for (const Pass* p : all_passes())
    print("{:<20}{:<12}{:<12}{}\n", p->name, level_names(p->from), p->to == pass::Same ? "" : "-> " + level_names(p->to), p->summary);
}

// How often each operation occurs: the words after the `=` of statements.
void print_metrics(const std::string& text) {
  std::map<std::string, int64_t> counts;
  for (const std::string& line : split(text, '\n')) {
    size_t from = line.find_first_not_of(' ');
    if (from == std::string::npos || line.compare(from, 4, "let ") != 0) continue;
    size_t at = line.find(" = ", from);
    if (at == std::string::npos) continue;
    counts[line.substr(at + 3, line.find(' ', at + 3) - at - 3)]++;
  }
  for (auto& [name, count] : counts) print("{} {}\n", name, count);
}

// The arguments for an entry point from standard input; none and a message if they do not fit.
std::optional<std::vector<ir::Value>> read_arguments(const ir::Program& program, const std::string& entry, std::string_view input) {
  DataReader reader(input);
  std::vector<ir::Value> args;
  size_t n = 0;
  for (auto& [elem, rank] : input_types(program, entry)) {
    auto v = reader.read_as(elem, int(rank));
    if (!v) {
      fmt::print(stderr, "Cannot read input #{} of type {}: {}\n", n, type_text(elem, rank), reader.error());
      return {};
    }
    n++;
    args.push_back(std::move(*v));
  }
  if (!reader.at_end()) {
    fmt::print(stderr, "Expected EOF on stdin after reading input for \"{}\".\n", entry);
    return {};
  }
  return args;
}

// Equal shapes and types; floats up to rounding, since passes may reassociate.
std::string difference(const ir::Outcome& a, const ir::Outcome& b) {
  if (a.failure || b.failure) {
    if (a.failure.has_value() != b.failure.has_value())
      return fmt::format("one run failed: {}", a.failure ? a.failure->message : b.failure->message);
    return a.failure->message == b.failure->message ? "" : fmt::format("different failures: `{}` and `{}`", a.failure->message, b.failure->message);
  }
  if (a.results.size() != b.results.size()) return "different numbers of results";
  for (size_t r = 0; r < a.results.size(); r++) {
    const ir::Value &x = a.results[r], &y = b.results[r];
    if (x.elem != y.elem || x.shape != y.shape) return fmt::format("result {} has different types", r);
    for (int64_t i = 0; i < x.count(); i++) {
      double p = number_at(x, i), q = number_at(y, i);
      bool close = is_float(x.elem) ? (std::isnan(p) && std::isnan(q)) || p == q || std::fabs(p - q) <= 1e-6 * std::max(1.0, std::fabs(p))
                                    : p == q;
      if (!close) return fmt::format("result {}, element {}: {} and {}", r, i, scalar_text(x, i, true), scalar_text(y, i, true));
    }
  }
  return "";
}

int interpret_entry(const ir::Program& program, const std::string& entry, const Options& options, std::string_view input) {
  auto args = read_arguments(program, entry, input);
  if (!args) return 1;
  ir::Outcome outcome = ir::interpret(program, entry, *args, interpret_options(options));
  if (outcome.failure) {
    fmt::print(stderr, "{}\n", show(*outcome.failure));
    return 1;
  }
  if (options.counters.empty())
    for (const ir::Value& v : outcome.results) print("{}\n", to_text(v, TextStyle::Tool));
  const ir::Counters& c = outcome.counters;
  if (!options.counters.empty())
    print("work     {}\nkernels  {}\ncopies   {}\nbytes    {}\nupdates  {}\nmade     {}\npeak     {}\n", c.work, c.kernels, c.copies,
               c.bytes, c.updates, c.made, c.peak);
  return 0;
}

// The pipeline that the options ask for; none and a message if they make no sense.
std::optional<Pipeline> pipeline_of(const Options& options, ir::Target& target) {
  std::optional<Pipeline> found = find_pipeline(options.pipeline, target);
  if (!found) return {};
  Pipeline pipeline = std::move(*found);
  if (options.target == "multicore") target = ir::Target::Multicore;
  else if (options.target == "gpu") target = ir::Target::Gpu;
  else if (!options.target.empty() && options.target != "sequential") {
    fmt::print(stderr, "there is no target `{}`: sequential, multicore, gpu\n", options.target);
    return {};
  }
  if (!options.pass.empty())
    for (const std::string& name : split(options.pass, ',')) {
      const Pass* p = find_pass(name);
      if (!p) {
        fmt::print(stderr, "there is no pass `{}`; see --list-passes\n", name);
        return {};
      }
      pipeline.push_back(Step(*p));
    }
  return pipeline;
}

}  // namespace

int command_dev(const Options& options) {
  if (options.list_passes) return list_passes(), 0;
  if (options.list_errors) return list_errors(), 0;
  if (!options.roofline.empty()) return command_roofline(options);
  if (!options.explain.empty()) return explain(options.explain) ? 0 : 2;
  if (options.words.empty()) {
    fmt::print(stderr, "dev: a program is needed; see --help\n");
    return 1;
  }
  ir::Target target = ir::Target::Sequential;
  auto pipeline = pipeline_of(options, target);
  if (!pipeline) return 1;
  if (!options.explain_ad.empty() && pipeline->empty()) pipeline = find_pipeline("common", target);
  if (options.lanes && pipeline->empty()) pipeline = find_pipeline("cpu", target);
  auto compiled = front_end(options.words[0], options);
  if (!compiled) return 2;
  ir::Program& program = compiled->program;
  ir::PrintOptions how{options.dump_sources};
  if (!options.explain_ad.empty() && std::ranges::find(program.entries, options.explain_ad, &ir::EntryPoint::name) == program.entries.end()) {
    fmt::print(stderr, "Invalid entry point: {}\n", options.explain_ad);
    return 1;
  }
  bool needs_input = !options.run_entry.empty() || !options.counters.empty() || !options.check_passes.empty();
  std::string input = needs_input ? read_standard_input() : "";

  if (!options.dump_all.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.dump_all, error);
    if (error) {
      fmt::print(stderr, "{}: {}\n", options.dump_all, error.message());
      return 1;
    }
    if (!write_or_say(options.dump_all + "/00-lower.ir", ir::print(program, how))) return 2;
  }
  PassOptions passes = pass_options(options);
  passes.explain_ad = !options.explain_ad.empty();
  passes.keep_before = !options.check_passes.empty() || passes.explain_ad;
  int number = 0;
  bool wrong = false, lost = false;                // lost: a file could not be written
  explain_ad::Report explanation(options.explain_ad, target);
  passes.observe = [&](const Pass& pass, const ir::Program& before, const ir::Program& after) {
    number++;
    if (passes.explain_ad) explanation.observe(pass, before, after);
    if (!options.dump_all.empty())
      lost |= !write_or_say(fmt::format("{}/{:02}-{}.ir", options.dump_all, number, pass.name), ir::print(after, how));
    for (const std::string& name : options.dump_after)
      if (name == pass.name) print("-- after {}\n{}", pass.name, ir::print(after, how));
    if (options.check_passes.empty() || wrong) return;
    auto args = read_arguments(before, options.check_passes, input);
    if (!args) { wrong = true; return; }
    std::string d = difference(ir::interpret(before, options.check_passes, *args, interpret_options(options)),
                               ir::interpret(after, options.check_passes, *args, interpret_options(options)));
    if (d.empty()) return;
    wrong = true;
    fmt::print(stderr, "pass number {}, {}, changes what `{}` computes: {}\n", number, pass.name, options.check_passes, d);
  };
  Stats stats;
  PassNotes said;
  if (!run_passes(*pipeline, *compiled, target, passes, stats, options, &said)) return 2;
  print_tables(stats, options);
  if (passes.explain_ad) return print("{}", explanation.show(program, said.notes, said.exceeded, options.table)), 0;
  if (lost) return 2;
  if (wrong) return 1;
  if (!options.run_entry.empty()) return interpret_entry(program, options.run_entry, options, input);
  if (!options.counters.empty()) return interpret_entry(program, options.counters, options, input);
  if (options.lanes) return print("{}", explain_loops(program)), 0;
  if (options.metrics) return print_metrics(ir::print(program)), 0;
  bool shown = options.quiet || !options.check_passes.empty() || !options.dump_after.empty() || !options.dump_all.empty() ||
               options.time_passes || options.stats;
  if (!shown) print("{}", ir::print(program, how));
  return 0;
}

}  // namespace raido
