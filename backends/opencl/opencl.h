// opencl.h - backend "opencl".
#pragma once
#include "backends/backend.h"

namespace raido {

struct OpenClBackend final : Backend {
  OpenClBackend() : Backend("opencl", "OpenCL through the installed library", ir::Target::Gpu) {}
  Output generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const override;
};

}  // namespace raido
