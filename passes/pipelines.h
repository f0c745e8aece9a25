// pipelines.h - what happens to a program, for each kind of target: the compiler on one page (pipelines.cc).
#pragma once
#include "passes/pass.h"

namespace raido {

const Pipeline& pipeline_for(ir::Target target);
// The part before memory and targets: what `dev --pipeline common` runs.
const Pipeline& common_pipeline();

}  // namespace raido
