// vector_scans.h - scans by any operator that a processor makes in vectors.
#pragma once
#include <vector>

#include "passes/parallel/loops.h"

namespace raido {

// Whether the loop of a screma or of a seg scans scalars by an operator that has vectors, and gains by them: the next element would wait for
// the one before. `s` has its results.
bool gains_by_vectors(ir::Program& p, const ir::Stm& s, const LoopParts& x);

// The loop as strips of `costs::cpu::scan_strip` elements and the rest. The last statement binds the results of `s`.
std::vector<ir::Stm> in_vectors(ir::Program& p, const ir::Stm& s, LoopParts x);

}  // namespace raido
