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

// The program before the pass of this number: a copy for each pass would take longer than the passes.
ir::Program before_pass(size_t number, const PassContext& context) {
  PassOptions quiet = context.options;
  quiet.verify = quiet.keep_before = false;
  quiet.observe = nullptr;
  Stats stats;
  PassContext again{quiet, context.target, stats, {}, 0, {}};
  again.stop_before = number;
  ir::Program program = *context.start;
  run(context.pipeline, program, again);
  return std::move(*again.stopped);
}
// A pass that broke a rule: says which, and leaves the program before it in a file that reproduces the failure.
void verify_or_stop(const ir::Program& program, const Pass& pass, size_t number, const PassContext& context) {
  ir::Violation v = ir::verify(program);
  if (v.rule.empty()) return;
  std::string file = fmt::format("raido-{}.ir", pass.name);
  std::string failed = write_file(file, ir::print(before_pass(number, context)));
  PANIC("after pass `{}` the program breaks rule {}: {}\n  to reproduce: {}", pass.name, v.rule, v.message,
        failed.empty() ? fmt::format("raido dev --pass {} {}", pass.name, file) : context.options.reproduce);
}

void run_pass(const Pass& pass, ir::Program& program, PassContext& context) {
  const PassOptions& options = context.options;
  if (options.disabled.contains(pass.name)) return;
  if (!(program.level & pass.from)) {
    context.misplaced = &pass;
    return;
  }
  size_t number = context.passes++;
  if (number == context.stop_before) {
    context.stopped = program;
    return;
  }
  PanicContext running(fmt::format("pass {}", pass.name), options.reproduce);
  const ir::Program before = options.keep_before ? program : ir::Program{};
  size_t size = statements(program);
  if (Stats::Row& row = context.stats.row(pass.name); row.runs++ == 0) row.before = size;
  auto start = std::chrono::steady_clock::now();
  pass.run(program, context);
  Stats::Row& row = context.stats.row(pass.name);          // not the one from before: the pass may have run others
  row.milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  row.after = statements(program);
  if (context.done()) return;
  if (pass.to != pass::Same) program.level = ir::Level(pass.to);
  if (options.verify) verify_or_stop(program, pass, number, context);
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

void PassContext::note(ir::Program& p, ir::Var v, Note n) {
  if (options.explain_ad) p.vars[v.index].note = {uint32_t(notes.size())};
  note(std::move(n));
}
void PassContext::note(Note n) {
  if (options.explain_ad) notes.push_back(std::move(n));
}

Pipeline operator+(Pipeline a, const Pipeline& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Pipeline when(Predicate condition, Pipeline group) { return {Step(condition, std::move(group))}; }
Pipeline then(const Pass& pass, Pipeline group) { return {Step(pass, std::move(group))}; }

void run(const Pipeline& pipeline, ir::Program& program, PassContext& context) {
  if (context.options.verify && !context.start) {
    context.start = program;
    context.pipeline = pipeline;
  }
  for (const Step& step : pipeline) {
    if (context.done()) return;
    int64_t events = context.stats.events();
    if (step.pass) run_pass(*step.pass, program, context);
    if (step.pass ? context.stats.events() > events : step.condition(program)) run(step.group, program, context);
  }
}

}  // namespace raido
