// c_file.h - the C file of a program: runtime, scalar operations, functions, entry points, and what makes it an executable, a server
// or a library.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"
#include "backends/kernel/kernel.h"

namespace raido {

struct ProgramParts {
  std::string defines;                           // before the runtime
  std::string tables;                            // after the scalar operations, before the backend's own runtime
  std::vector<std::string_view> runtime;         // files of backends/runtime beside the common ones
  std::string start, stop;                       // statements of raido_program_start and _stop, `c` is the context
  bool device = false;                           // arrays live in device memory
  std::string_view backend;                      // as headers call it
};
Output print_program(const ir::Program& program, const Interface& interface, const kir::Module& module, const ProgramParts& parts,
                     const OutputOptions& options);

// A program for a device: `words` is the vocabulary of its kernels, `device` the device's file.
Output device_program(const ir::Program& program, const Interface& interface, std::string_view words, std::string_view device,
                      const OutputOptions& options);

// The host program of a device only starts kernels: little optimisation is enough, and compiles in half the time.
std::vector<std::string> compile_flags(const OutputOptions& options, bool device = false);

}  // namespace raido
