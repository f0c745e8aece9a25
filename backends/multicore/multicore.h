// multicore.h - backend "multicore".
#pragma once
#include "backends/backend.h"

namespace raido {

struct MulticoreBackend final : Backend {
  MulticoreBackend() : Backend("multicore", "C with threads", ir::Target::Multicore) {}
  Output generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const override;
};

}  // namespace raido
