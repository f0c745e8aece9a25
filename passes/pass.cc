// pass.cc - the runner: time, verification after each pass, observation, levels.
#include "passes/pass.h"

#include <fmt/format.h>

#include "compiler/base/files.h"
#include "compiler/ir/text.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/verify.h"

namespace raido {
namespace {

size_t statements(const ir::Program& p) {
  size_t n = 0;
  p.each_body([&](const ir::Body& b) { n += ir::count_statements(b); });
  return n;
}

// A pass that broke a rule: says which, and leaves the program before it in a file that reproduces the failure.
void verify_or_stop(const ir::Program& program, const Pass& pass, const ir::Program& before, const PassContext& context) {
  ir::Violation v = ir::verify(program);
  if (v.rule.empty()) return;
  std::string file = fmt::format("raido-{}.ir", pass.name);
  std::string failed = write_file(file, ir::print(before));
  PANIC("after pass `{}` the program breaks rule {}: {}\n  to reproduce: {}", pass.name, v.rule, v.message,
        failed.empty() ? fmt::format("raido dev --pass {} {}", pass.name, file) : context.options.reproduce);
}

void run_pass(const Pass& pass, ir::Program& program, PassContext& context) {
  const PassOptions& options = context.options;
  if (options.disabled.contains(pass.name)) return;
  CHECK(program.level & pass.from, "pass `{}` cannot run at this level", pass.name);
  Activity activity(fmt::format("pass {}", pass.name), options.reproduce);
  const ir::Program before = options.keep_before || options.verify ? program : ir::Program{};
  size_t size = statements(program);
  if (Stats::Row& row = context.stats.row(pass.name); row.runs++ == 0) row.before = size;
  auto start = std::chrono::steady_clock::now();
  pass.run(program, context);
  Stats::Row& row = context.stats.row(pass.name);          // not the one from before: the pass may have run others
  row.milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  row.after = statements(program);
  if (!context.refused.empty()) return;
  if (pass.to != pass::Same) program.level = ir::Level(pass.to);
  if (options.verify) verify_or_stop(program, pass, before, context);
  if (options.observe) options.observe(pass, before, program);
}

}  // namespace

Stats::Row& Stats::row(std::string_view pass) {
  for (auto& [name, row] : rows_)
    if (name == pass) return row;
  rows_.emplace_back(std::string(pass), Row{});
  return rows_.back().second;
}

const std::vector<const Pass*>& all_passes() {
  static const std::vector<const Pass*> passes = {
#define PASS(name, from, to, summary) &pass::name,
#include "passes/passes.def"
#undef PASS
  };
  return passes;
}
const Pass* find_pass(std::string_view name) {
  for (const Pass* p : all_passes())
    if (p->name == name) return p;
  return nullptr;
}

Pipeline operator+(Pipeline a, const Pipeline& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Pipeline when(Predicate condition, Pipeline group) { return {Step(condition, std::move(group))}; }

void run(const Pipeline& pipeline, ir::Program& program, PassContext& context) {
  for (const Step& step : pipeline) {
    if (!context.refused.empty()) return;
    if (step.pass) run_pass(*step.pass, program, context);
    else if (step.condition(program)) run(step.group, program, context);
  }
}

}  // namespace raido
