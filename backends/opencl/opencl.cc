// opencl.cc - backend "opencl": its words and its device, everything else is shared.
#include "backends/opencl/opencl.h"

#include "backends/c/c_file.h"

namespace raido {

Output OpenClBackend::generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const {
  return device_program(program, interface, "words_opencl.h", "device_opencl.h", options);
}

}  // namespace raido
