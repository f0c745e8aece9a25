// c.h - backend "c".
#pragma once
#include "backends/backend.h"

namespace raido {

struct CBackend final : Backend {
  CBackend() : Backend("c", "sequential C", ir::Target::Sequential) {}
  Output generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const override;
};

}  // namespace raido
