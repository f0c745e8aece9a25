// interface.h - what the outside sees of a compiled program (backends/interface.h), from its types as the source writes them.
#pragma once
#include "backends/interface.h"
#include "compiler/driver/compile.h"
#include "compiler/source/diagnostics.h"

namespace raido {

// Types that have the same name outside and are not the same are reported. `earlier_texts`: of records as version 0.25 wrote them.
Interface interface_of(const Compiled& compiled, bool earlier_texts, Diagnostics& diags);

}  // namespace raido
