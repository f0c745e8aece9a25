// multicore.cc - backend "multicore": the chunks of parallel loops are shared by a pool of threads (runtime/tasks.h).
#include "backends/multicore/multicore.h"

#include "backends/c/c_file.h"
#include "backends/kernel/from_core.h"
#include "backends/kernel/optimise.h"

namespace raido {

Output MulticoreBackend::generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const {
  kir::Module module = kir::from_core(program, target, options.profile);
  kir::optimise(module, !options.strict_fp);
  ProgramParts parts;
  parts.backend = name;
  parts.defines = "#define RAIDO_THREADS 1\n";
  parts.runtime = {"tasks.h"};
  parts.start = "  if (raido_pool_start(c) != 0) return 1;\n";
  parts.stop = "  raido_pool_stop(c);\n";
  return print_program(program, interface, module, parts, options);
}

}  // namespace raido
