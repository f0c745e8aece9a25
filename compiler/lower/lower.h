// lower.h - the typed tree to the core program.
#pragma once
#include "compiler/check/load.h"
#include "compiler/ir/ir.h"

namespace raido::lower {

struct Options {
  bool safe = false;   // keep all checks, even under #[unsafe]
};

// The core program of a checked program. What the core cannot express is reported to the diagnostics of `checked`.
ir::Program lower(check::Checked& checked, const Options& options);

}  // namespace raido::lower
