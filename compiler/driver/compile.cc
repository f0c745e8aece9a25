// compile.cc - the steps of a compilation, as the commands share them.
#include "compiler/driver/compile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/base/text.h"
#include "compiler/driver/reports.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/lower/lower.h"
#include "passes/pipelines.h"

namespace raido {

check::Options check_options(const Options& options) {
  check::Options how;
  how.extra_entry_points = options.entry_points;
  how.warnings = !options.no_warnings;
  how.earlier_names = options.abi == "0.25";
  return how;
}

std::optional<Compiled> front_end(const std::string& path, const Options& options) {
  if (path.ends_with(".ir") || path == "-") {
    FileContents file = path == "-" ? FileContents{read_standard_input(), ""} : read_file(path);
    if (!file.text) {
      fmt::print(stderr, "{}: {}\n", path, file.error);
      return {};
    }
    ir::Parsed parsed = ir::parse(*file.text);
    if (!parsed.error.empty()) {
      fmt::print(stderr, "{}: {}\n", path, parsed.error);
      return {};
    }
    ir::Violation v = options.no_verify ? ir::Violation{} : ir::verify(parsed.program);
    if (!v.rule.empty()) {
      fmt::print(stderr, "{}: the program breaks rule {}: {}\n", path, v.rule, v.message);
      return {};
    }
    return Compiled{nullptr, std::move(parsed.program), {}, {}};
  }
  Compiled compiled;
  compiled.checked = check::check_file(path, check_options(options));
  if (!print_reports(*compiled.checked, options)) return {};
  PanicContext running("lower", fmt::format("raido dev --quiet {}", path));
  compiled.checked->diags = {};
  compiled.program = lower::lower(*compiled.checked, {options.safe, options.check_shapes}, &compiled.layouts, &compiled.calls);
  if (!print_reports(*compiled.checked, options)) return {};
  if (options.verify || options.command == "dev") {
    ir::Violation v = options.no_verify ? ir::Violation{} : ir::verify(compiled.program);
    CHECK(v.rule.empty(), "lowering made a program that breaks rule {}: {}", v.rule, v.message);
  }
  return compiled;
}

PassOptions pass_options(const Options& options) {
  PassOptions p;
  bool verifies = options.command == "dev" || (options.command == "run" && !options.pipeline.empty());
  p.verify = options.verify || (verifies && !options.no_verify);
  p.disabled.insert(options.disabled_passes.begin(), options.disabled_passes.end());
  if (!options.bisect_limit.empty()) p.bisect_limit = std::atoll(options.bisect_limit.c_str());
  p.strict_fp = options.fp_strict;
  p.ad_int_cast = options.ad_int_cast;
  p.ad_safe_mul = options.ad_safe_mul;
  p.ad_check = options.ad_check;
  p.ad_memory = options.ad_memory;
  p.reproduce = fmt::format("{} {}", options.program, options.command);
  for (const std::string& w : options.words) p.reproduce += " " + w;
  return p;
}

ir::InterpretOptions interpret_options(const Options& options) {
  ir::InterpretOptions how;
  how.ad_int_cast = options.ad_int_cast;
  how.ad_safe_mul = options.ad_safe_mul;
  return how;
}

std::string level_names(int levels) {
  if (levels == ir::Any) return "any";
  std::vector<std::string> names;
  if (levels & ir::Ad) names.push_back("ad");
  if (levels & ir::Core) names.push_back("core");
  if (levels & ir::Parallel) names.push_back("parallel");
  if (levels & ir::Memory) names.push_back("memory");
  return join(names, ", ");
}

namespace {
// What a device refuses becomes part of a loop of the CPU (passes/parallel/host_loops.cc): the passes run once more, and again if that did
// not help. `context` is that of the last run, `moved` all that was refused before.
void run_all(const Pipeline& pipeline, ir::Program& program, ir::Target target, const PassOptions& options, Stats& stats,
             std::optional<PassContext>& context, std::vector<Refused>& moved) {
  std::vector<ir::Source> on_host;
  std::optional<ir::Program> start;
  if (target == ir::Target::Gpu) start = program;
  auto by_device = [](const Refused& r) { return r.why == Refusal::DeviceCode; };
  for (;;) {
    context.emplace(PassContext{options, target, stats, {}, 0, {}});
    context->on_host = on_host;
    run(pipeline, program, *context);
    const std::vector<Refused>& refused = context->refused;
    if (!context->movable || refused.empty() || !std::ranges::all_of(refused, by_device)) return;
    std::vector<ir::Source> now;
    for (const Refused& r : refused) {
      if (std::ranges::find(now, r.at) != now.end()) continue;
      if (std::ranges::find(on_host, r.at) == on_host.end()) moved.push_back(r);
      now.push_back(r.at);
    }
    on_host.insert(on_host.end(), now.begin(), now.end());
    program = *start;
  }
}
}  // namespace

bool run_passes(const Pipeline& pipeline, Compiled& compiled, ir::Target target, const PassOptions& options, Stats& stats,
                const Options& driver, PassNotes* said) {
  for (auto [event, n] : {std::pair("lower.in_place", compiled.calls.in_place), {"lower.specialisations", compiled.calls.specialisations}, {"lower.shared", compiled.calls.shared}})
    if (n > 0) stats.count(event, i64(n));
  std::optional<PassContext> context;
  std::vector<Refused> moved;
  run_all(pipeline, compiled.program, target, options, stats, context, moved);
  if (said) *said = {std::move(context->notes), context->exceeded};
  if (!report_exceeded(context->exceeded, compiled.program, compiled.checked.get(), driver)) return false;
  const std::vector<Refused>& refused = context->stuck ? moved : context->refused;
  if (!refused.empty()) report_refused(refused, compiled.program, compiled.checked.get(), driver);
  else if (!report_on_host(moved, compiled.program, compiled.checked.get(), driver)) return false;
  if (const Pass* p = context->misplaced)
    fmt::print(stderr, "The pass `{}` runs at level {}, and the program is at level {} there; see `raido dev --list-passes`.\n", p->name,
               level_names(p->from), level_names(compiled.program.level));
  return !context->misplaced && refused.empty();
}

std::optional<Pipeline> find_pipeline(const std::string& name, ir::Target& target) {
  if (name.empty()) return Pipeline{};
  if (name == "common") return common_pipeline();
  if (name == "cpu" || name == "sequential") target = ir::Target::Sequential;
  else if (name == "multicore") target = ir::Target::Multicore;
  else if (name == "gpu") target = ir::Target::Gpu;
  else {
    fmt::print(stderr, "there is no pipeline `{}`: common, cpu, multicore, gpu\n", name);
    return {};
  }
  return pipeline_for(target);
}

void print_tables(const Stats& stats, const Options& options) {
  if (options.time_passes) {
    double total = 0;
    for (auto& [name, row] : stats.rows()) total += row.milliseconds;
    fmt::print(stderr, "  {:<20}{:>6}{:>10}{:>7}   {}\n", "pass", "runs", "ms", "%", "statements");
    for (auto& [name, row] : stats.rows())
      fmt::print(stderr, "  {:<20}{:>6}{:>10.2f}{:>7.1f}   {} -> {}\n", name, row.runs, row.milliseconds,
                 total > 0 ? 100 * row.milliseconds / total : 0, row.before, row.after);
    fmt::print(stderr, "  {:<26}{:>10.2f}\n", "total", total);
  }
  if (options.stats)
    for (auto& [event, n] : stats.counts()) fmt::print(stderr, "  {:<40}{:>8}\n", event, n);
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass* p : all_passes()) names.emplace_back(p->name);
  return names;
}

std::string why_unreadable(const std::string& path) {
  constexpr uintmax_t most = uintmax_t(1) << 30;
  namespace fs = std::filesystem;
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (path.empty() || path == "-" || !fs::exists(status)) return "";
  if (fs::is_directory(status)) return "is a directory.";
  if (fs::is_character_file(status) || fs::is_block_file(status)) return "is a device.";
  if (fs::is_fifo(status) || fs::is_socket(status)) return "is a pipe.";
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return fmt::format("cannot be read: {}.", std::strerror(errno));
  std::fclose(file);
  if (fs::file_size(path, error) > most && !error) return "is larger than 1 GiB.";
  return "";
}

std::string read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) text.append(buffer, n);
  return text;
}

}  // namespace raido
