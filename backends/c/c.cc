// c.cc - backend "c": one thread.
#include "backends/c/c.h"

#include "backends/c/c_file.h"
#include "backends/kernel/from_core.h"
#include "backends/kernel/optimise.h"

namespace raido {

Output CBackend::generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const {
  kir::Module module = kir::from_core(program, target, options.profile);
  kir::optimise(module, !options.strict_fp);
  ProgramParts parts;
  parts.backend = name;
  return print_program(program, interface, module, parts, options);
}

}  // namespace raido
