// backend.cc - the table of all backends.
#include "backends/backend.h"

#include "backends/c/c.h"
#include "backends/cuda/cuda.h"
#include "backends/llvm/llvm.h"
#include "backends/multicore/multicore.h"
#include "backends/opencl/opencl.h"

namespace raido {

std::span<const Backend* const> all_backends() {
  static const CBackend c;
  static const MulticoreBackend multicore;
  static const OpenClBackend opencl;
  static const CudaBackend cuda;
  static const LlvmBackend llvm;
  static const Backend* const all[] = {&c, &multicore, &opencl, &cuda, &llvm};
  return all;
}

const Backend* find_backend(std::string_view name) {
  for (const Backend* b : all_backends())
    if (b->name == name) return b;
  return nullptr;
}

}  // namespace raido
