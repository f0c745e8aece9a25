// library.cc - the interface of LLVM for C, as far as it is needed here. It has been the same for years, so neither its headers nor a
// library to link with are needed: other commands than this backend's do not pay for LLVM, and the compiler builds without it.
#include "backends/llvm/library.h"

#include <dlfcn.h>

#include <cstring>

namespace raido::llvm {
namespace {

using Ref = struct Opaque*;
enum { Optimise = 2, PositionIndependent = 2, DefaultModel = 0, Object = 1 };       // CodeGenOptLevel, RelocMode, CodeModel, CodeGenFileType

#if defined(__x86_64__)
#define RAIDO_TARGET(what) "LLVMInitializeX86" what
#elif defined(__aarch64__)
#define RAIDO_TARGET(what) "LLVMInitializeAArch64" what
#else
#define RAIDO_TARGET(what) "LLVMInitialize" what
#endif

// FUNCTION(name, result, parameters): LLVM's function LLVM<name>
#define FUNCTIONS(FUNCTION)                                                                                              \
  FUNCTION(ContextCreate, Ref, ())                                                                                       \
  FUNCTION(ContextSetDiagnosticHandler, void, (Ref, void (*)(Ref, void*), void*))                                        \
  FUNCTION(GetDiagInfoSeverity, int, (Ref))                                                                              \
  FUNCTION(GetDiagInfoDescription, char*, (Ref))                                                                         \
  FUNCTION(CreateMemoryBufferWithMemoryRangeCopy, Ref, (const char*, size_t, const char*))                               \
  FUNCTION(ParseIRInContext, int, (Ref, Ref, Ref*, char**))                                                              \
  FUNCTION(GetDefaultTargetTriple, char*, ())                                                                            \
  FUNCTION(GetTargetFromTriple, int, (const char*, Ref*, char**))                                                        \
  FUNCTION(GetHostCPUName, char*, ())                                                                                    \
  FUNCTION(GetHostCPUFeatures, char*, ())                                                                                \
  FUNCTION(CreateTargetMachine, Ref, (Ref, const char*, const char*, const char*, int, int, int))                        \
  FUNCTION(CreateTargetDataLayout, Ref, (Ref))                                                                           \
  FUNCTION(SetModuleDataLayout, void, (Ref, Ref))                                                                        \
  FUNCTION(SetTarget, void, (Ref, const char*))                                                                          \
  FUNCTION(CreatePassBuilderOptions, Ref, ())                                                                            \
  FUNCTION(PassBuilderOptionsSetSLPVectorization, void, (Ref, int))                                                      \
  FUNCTION(RunPasses, Ref, (Ref, const char*, Ref, Ref))                                                                 \
  FUNCTION(GetErrorMessage, char*, (Ref))                                                                                \
  FUNCTION(TargetMachineEmitToMemoryBuffer, int, (Ref, Ref, int, char**, Ref*))                                          \
  FUNCTION(GetBufferStart, const char*, (Ref))                                                                           \
  FUNCTION(GetBufferSize, size_t, (Ref))

struct Library {
#define FUNCTION(name, result, parameters) result (*name) parameters = nullptr;
  FUNCTIONS(FUNCTION)
#undef FUNCTION
};

// The versions that were tried come first.
constexpr const char* names[] = {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so", "libLLVM.so.20.1", "libLLVM.so.18.1", "libLLVM-18.so.1"};

bool open_library(Library& l, std::string& error) {
#ifdef RAIDO_LLVM
  void* opened = nullptr;
  for (const char* name : names)
    if (!opened) opened = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!opened) return error = fmt::format("the backend `llvm` needs the library {}, which is not here: install LLVM 19 (Debian: libllvm19)", names[0]), false;
#define FUNCTION(name, result, parameters)                             \
  if (void* f = dlsym(opened, "LLVM" #name)) std::memcpy(&l.name, &f, sizeof f); \
  else return error = "this LLVM has no function LLVM" #name, false;
  FUNCTIONS(FUNCTION)
#undef FUNCTION
  for (const char* name : {RAIDO_TARGET("TargetInfo"), RAIDO_TARGET("Target"), RAIDO_TARGET("TargetMC"), RAIDO_TARGET("AsmPrinter")}) {
    void (*start)() = nullptr;
    void* f = dlsym(opened, name);
    if (!f) return error = "this LLVM knows nothing of this processor", false;
    std::memcpy(&start, &f, sizeof f);
    start();
  }
  return true;
#else
  (void)l, (void)names;
  return error = "this raido was built without the backend `llvm` (RAIDO_LLVM=OFF)", false;
#endif
}

}  // namespace

bool in_vector_library(const std::string& name) {
#ifdef RAIDO_LLVM
  static void* const library = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
  return library && dlsym(library, name.c_str());
#else
  return name.empty();
#endif
}

namespace {

// What LLVM says of loops that it leaves as they are is for nobody; an error is kept.
struct Said {
  const Library& library;
  std::string error;
};
void say(Ref diagnosis, void* to) {
  auto said = static_cast<Said*>(to);
  if (said->library.GetDiagInfoSeverity(diagnosis) == 0) said->error = said->library.GetDiagInfoDescription(diagnosis);
}

}  // namespace

// What LLVM allocates is left to the end of the process, which is near.
std::string object_of(const std::string& module, const Machine& machine, std::string& error) {
  Library l;
  if (!open_library(l, error)) return "";
  char* said = nullptr;
  auto wrong = [&](std::string_view what) { return error = fmt::format("LLVM: {}{}", what, said ? said : ""), std::string(); };
  Ref context = l.ContextCreate(), program = nullptr, target = nullptr, object = nullptr;
  Said errors{l, ""};
  l.ContextSetDiagnosticHandler(context, say, &errors);
  if (l.ParseIRInContext(context, l.CreateMemoryBufferWithMemoryRangeCopy(module.data(), module.size(), "program"), &program, &said) != 0) return wrong("");
  char* triple = l.GetDefaultTargetTriple();
  if (l.GetTargetFromTriple(triple, &target, &said) != 0) return wrong("");
  const char *cpu = machine.native ? l.GetHostCPUName() : "", *features = machine.native ? l.GetHostCPUFeatures() : "";
  Ref with = l.CreateTargetMachine(target, triple, cpu, features, Optimise, PositionIndependent, DefaultModel);
  l.SetTarget(program, triple);
  l.SetModuleDataLayout(program, l.CreateTargetDataLayout(with));
  Ref how = l.CreatePassBuilderOptions();
  l.PassBuilderOptionsSetSLPVectorization(how, 1);
  if (Ref failure = l.RunPasses(program, "default<O2>", with, how)) return said = l.GetErrorMessage(failure), wrong("");
  if (l.TargetMachineEmitToMemoryBuffer(with, program, Object, &said, &object) != 0) return wrong("");
  if (!errors.error.empty()) return error = "LLVM: " + errors.error, "";
  return std::string(l.GetBufferStart(object), l.GetBufferSize(object));
}

}  // namespace raido::llvm
