// integer_sets.h - exact answers about sets of integers, from the library ISL. Built without it (RAIDO_ISL), nobody answers.
//
// The only file that knows of ISL is integer_sets.cc. Nothing is proved here that needs more than `work` operations of the library.
#pragma once
#include <optional>

#include "compiler/ir/analysis/affine.h"

namespace raido::ir {

// Whether no integers satisfy the constraints; none: nobody knows.
std::optional<bool> exactly_empty(const Constraints& c, unsigned long work = 20000);

}  // namespace raido::ir
