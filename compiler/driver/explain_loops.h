// explain_loops.h - `dev --lanes`: how a processor runs each loop of a compiled program, and where what it reads and writes lies.
#pragma once
#include <string>

#include "compiler/ir/ir.h"

namespace raido {

// One line for each loop of the program at level memory, indented as they are nested: the line of the source, the trips, the form. After a
// loop that runs as vectors come the accesses of its iterations, by how they move from one iteration to the next.
std::string explain_loops(const ir::Program& p);

}  // namespace raido
