// llvm.cc - backend "llvm": the kernel program as text in LLVM's language, what LLVM makes of it, and the executable.
#include "backends/llvm/llvm.h"

#include "backends/kernel/from_core.h"
#include "backends/kernel/optimise.h"
#include "backends/llvm/entry.h"
#include "backends/llvm/library.h"
#include "backends/llvm/link.h"
#include "backends/llvm/loaders.h"
#include "backends/llvm/print.h"

namespace raido {

namespace {

// The widest vectors of this processor, as versions.h of the runtime finds them.
int vector_bytes() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

llvm::Machine machine_for(const OutputOptions& options) {
  llvm::Machine m;
  m.native = options.native || options.versions;      // one version is enough: the program runs where it was made
  if (m.native) m.vector_bytes = vector_bytes();
  m.strict_fp = options.strict_fp;
  m.vector_math = !options.strict_math;
  return m;
}

}  // namespace

Output LlvmBackend::generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const {
  kir::Module module = kir::from_core(program, target, options.profile);
  kir::optimise(module, false);
  Output output;
  output.problem = llvm::too_large(module, interface);
  if (!output.problem.empty()) return output;
  llvm::Machine machine = machine_for(options);
  llvm::Surroundings around(machine);
  std::string functions = llvm::print(module, around) + llvm::print_interface(program, module, interface, options.flush_subnormals, options.profile, around);
  output.source = functions + "\n" + around.globals();
  // #0: functions of the program; #1: pure functions; #2: others of the runtime; #3: those that report failures
  output.source += fmt::format("attributes #0 = {{ nounwind \"no-trapping-math\"=\"true\"{} }}\n",
                               machine.vector_bytes == 64 ? " \"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\"" : "");
  output.source += "attributes #1 = { nounwind willreturn memory(none) }\nattributes #2 = { nounwind }\nattributes #3 = { nounwind cold }\n";
  return output;
}

std::string llvm_executable(const std::string& source, const OutputOptions& options, std::string& error) {
  std::string object = llvm::object_of(source, machine_for(options), error);
  if (object.empty()) return "";
#ifdef RAIDO_LLVM
  bool server = options.form == OutputOptions::Form::Server;
  return llvm::linked(*find_loader(server ? "raido_loader_server" : "raido_loader"), object, error);
#else
  return "";
#endif
}

}  // namespace raido
