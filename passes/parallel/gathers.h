// gathers.h - updates of places near to their points, as sums for each place.
#pragma once
#include "passes/pass.h"

namespace raido {

// Devices, before updates are reduced.
void gather_updates(ir::Program& program, PassContext& context);

}  // namespace raido
