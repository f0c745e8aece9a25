// pipelines.cc - the lists. A step is a pass of passes.def or a group with a condition.
#include "passes/pipelines.h"

#include <algorithm>

#include "compiler/ir/transform.h"

namespace raido {
namespace {

bool uses_ad(const ir::Program& p) { return p.level == ir::Ad; }
bool has_directions(const ir::Program& p) {
  return std::ranges::any_of(p.vars, [](const ir::VarInfo& v) { return ir::has_attr(v.attrs, "directions"); });
}

const Pipeline& tidy() {
  static const Pipeline steps = {pass::simplify, pass::cse, pass::hoist, pass::dce};
  return steps;
}
const Pipeline& shape() {
  static const Pipeline steps = Pipeline{pass::early_accumulators, pass::products, pass::fuse, pass::patterns} + tidy();
  return steps;
}

}  // namespace

const Pipeline& common_pipeline() {
  static const Pipeline steps = Pipeline{pass::inline_small} + tidy() + Pipeline{pass::inline_parallel} + tidy() + shape() +
                                when(uses_ad, Pipeline{pass::split, pass::differentiate} + tidy() + Pipeline{pass::copies} + shape()) +
                                Pipeline{pass::copies} + tidy();
  return steps;
}
const Pipeline& between_rounds() {
  // Records of records do not appear in simplified code, and rules know a screma only as a pure map, reduction or scan.
  static const Pipeline steps = {pass::simplify, pass::cse, pass::dce, pass::split};
  return steps;
}
const Pipeline& pipeline_for(ir::Target target) {
  static const Pipeline memory = {pass::place, pass::double_buffer, pass::hoist_allocs};
  static const Pipeline cpu = common_pipeline() + Pipeline{pass::rows, pass::interchange, pass::early_accumulators, pass::share, pass::record, pass::tasks} + tidy() + Pipeline{pass::accumulators, pass::sequentialise} +
                              tidy() + when(has_directions, Pipeline{pass::directions} + tidy()) + Pipeline{pass::copies} + when(has_ends, Pipeline{pass::peel} + tidy()) + memory;
  static const Pipeline gpu = common_pipeline() + Pipeline{pass::flatten} + tidy() + Pipeline{pass::accumulators, pass::sequentialise} +
                              tidy() + memory + Pipeline{pass::expand};
  return target == ir::Target::Gpu ? gpu : cpu;
}

}  // namespace raido
