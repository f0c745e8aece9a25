// merge.h - parts of functions that say the same are one.
#pragma once
#include "backends/kernel/kernel.h"

namespace raido::kir {

// From function number `first` on, all but the last are parts (divide.h). Calls of equal ones become calls of the first of these.
void merge_parts(Module& m, size_t first);

}  // namespace raido::kir
