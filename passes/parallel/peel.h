// peel.h - see peel.cc.
#pragma once
#include "compiler/ir/ir.h"

namespace raido {

// Whether `peel` finds a loop.
bool has_ends(const ir::Program& p);

}  // namespace raido
