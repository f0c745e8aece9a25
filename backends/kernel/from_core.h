// from_core.h - Memory level core program to kernel program.
#pragma once
#include "backends/kernel/kernel.h"
#include "compiler/ir/target.h"

namespace raido::kir {

Module from_core(const ir::Program& program, ir::Target target);

}  // namespace raido::kir
