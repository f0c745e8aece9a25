// c.cc - backend "c": one thread.
#include "backends/c/c.h"

#include "backends/c/program.h"
#include "backends/kernel/from_core.h"
#include "backends/kernel/optimise.h"

namespace raido {

Output CBackend::generate(const ir::Program& program, const OutputOptions& options) const {
  kir::Module module = kir::from_core(program, target);
  kir::optimise(module);
  return {print_program(program, module, {}), compile_flags(options), {"-lm", "-lpthread"}};
}

}  // namespace raido
