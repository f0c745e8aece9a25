// pipelines.h - what happens to a program, for each kind of target: the compiler on one page (pipelines.cc).
#pragma once
#include "passes/pass.h"

namespace raido {

const Pipeline& pipeline_for(ir::Target target);
// The part before memory and targets: what `dev --pipeline common` runs.
const Pipeline& common_pipeline();
// What `differentiate` runs after each of its rounds: the next round differentiates what the last one has left.
const Pipeline& between_rounds();

}  // namespace raido
