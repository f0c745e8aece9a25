// program.h - the C file of a program: runtime, scalar operations, functions, entry points.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"
#include "backends/kernel/kernel.h"

namespace raido {

struct ProgramParts {
  std::string defines;                           // before the runtime
  std::vector<std::string_view> runtime;         // files of backends/runtime beside the common ones
  std::string start, stop;                       // statements of raido_program_start and _stop, `c` is the context
  bool device = false;                           // arrays live in device memory
};
std::string print_program(const ir::Program& program, const kir::Module& module, const ProgramParts& parts);

std::vector<std::string> compile_flags(const OutputOptions& options);

}  // namespace raido
