// pipelines.cc - the lists. A step is a pass of passes.def or a group with a condition.
#include "passes/pipelines.h"

namespace raido {
namespace {

bool uses_ad(const ir::Program& p) { return p.level == ir::Ad; }

const Pipeline& tidy() {
  static const Pipeline steps = {pass::simplify, pass::cse, pass::hoist, pass::dce};
  return steps;
}
const Pipeline& shape() {
  static const Pipeline steps = Pipeline{pass::fuse} + tidy();
  return steps;
}

}  // namespace

const Pipeline& common_pipeline() {
  static const Pipeline steps = Pipeline{pass::inline_small} + tidy() + Pipeline{pass::inline_parallel} + tidy() + shape() +
                                when(uses_ad, Pipeline{pass::split, pass::differentiate} + tidy() + shape());
  return steps;
}
const Pipeline& pipeline_for(ir::Target) { return common_pipeline(); }

}  // namespace raido
