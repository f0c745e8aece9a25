// cuda.cc - backend "cuda": its words and its device, everything else is shared.
#include "backends/cuda/cuda.h"

#include "backends/c/c_file.h"

namespace raido {

Output CudaBackend::generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const {
  return device_program(program, interface, "words_cuda.h", "device_cuda.h", options);
}

}  // namespace raido
