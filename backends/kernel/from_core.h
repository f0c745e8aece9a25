// from_core.h - Memory level core program to kernel program.
#pragma once
#include "backends/kernel/kernel.h"
#include "compiler/ir/target.h"

namespace raido::kir {

// places: the program says where in its source it is (Mark). Programs for devices always do.
Module from_core(const ir::Program& program, ir::Target target, bool places);

}  // namespace raido::kir
