// cuda.h - backend "cuda".
#pragma once
#include "backends/backend.h"

namespace raido {

struct CudaBackend final : Backend {
  CudaBackend() : Backend("cuda", "CUDA through the driver and NVRTC", ir::Target::Gpu) {}
  Output generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const override;
};

}  // namespace raido
