// library.cc - the interface of LLVM for C, as far as it is needed here. It has been the same for years, so neither its headers nor a
// library to link with are needed: other commands than this backend's do not pay for LLVM, and the compiler builds without it.
#include "backends/llvm/library.h"

#include <dlfcn.h>

#include <cstring>

namespace raido::llvm {
namespace {

using Ref = struct Opaque*;
enum { Optimise = 2, PositionIndependent = 2, DefaultModel = 0, Object = 1 };       // CodeGenOptLevel, RelocMode, CodeModel, CodeGenFileType
enum { Unsigned = 34, Signed = 38, Less = 2, IntegerType = 8 };                     // IntPredicate: `>`, and what makes it `<`; TypeKind

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
  FUNCTION(GetFirstFunction, Ref, (Ref))                                                                                 \
  FUNCTION(GetNextFunction, Ref, (Ref))                                                                                  \
  FUNCTION(GetFirstBasicBlock, Ref, (Ref))                                                                               \
  FUNCTION(GetNextBasicBlock, Ref, (Ref))                                                                                \
  FUNCTION(GetFirstInstruction, Ref, (Ref))                                                                              \
  FUNCTION(GetNextInstruction, Ref, (Ref))                                                                               \
  FUNCTION(IsAIntrinsicInst, Ref, (Ref))                                                                                 \
  FUNCTION(GetCalledValue, Ref, (Ref))                                                                                   \
  FUNCTION(GetIntrinsicID, unsigned, (Ref))                                                                              \
  FUNCTION(LookupIntrinsicID, unsigned, (const char*, size_t))                                                           \
  FUNCTION(TypeOf, Ref, (Ref))                                                                                           \
  FUNCTION(GetTypeKind, int, (Ref))                                                                                      \
  FUNCTION(GetOperand, Ref, (Ref, unsigned))                                                                             \
  FUNCTION(CreateBuilderInContext, Ref, (Ref))                                                                           \
  FUNCTION(PositionBuilderBefore, void, (Ref, Ref))                                                                      \
  FUNCTION(BuildICmp, Ref, (Ref, int, Ref, Ref, const char*))                                                            \
  FUNCTION(BuildSelect, Ref, (Ref, Ref, Ref, Ref, const char*))                                                          \
  FUNCTION(GetMDKindIDInContext, unsigned, (Ref, const char*, unsigned))                                                 \
  FUNCTION(MDNodeInContext, Ref, (Ref, Ref*, unsigned))                                                                  \
  FUNCTION(SetMetadata, void, (Ref, unsigned, Ref))                                                                      \
  FUNCTION(ReplaceAllUsesWith, void, (Ref, Ref))                                                                         \
  FUNCTION(InstructionEraseFromParent, void, (Ref))                                                                      \
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

// The smaller and the greater of two integers stay selects. For x86-64 LLVM makes branches of selects in loops where it believes that this
// is faster. By then it has forgotten which of them nobody can guess. Where a dynamic program takes the best of its neighbours, such branches
// go wrong half of the time.
void keep_selects(const Library& l, Ref context, Ref program) {
  struct Choice { unsigned intrinsic; int predicate; };
  auto choice = [&](std::string_view name, int predicate) { return Choice{l.LookupIntrinsicID(name.data(), name.size()), predicate}; };
  const Choice choices[] = {choice("llvm.smax", Signed), choice("llvm.smin", Signed + Less), choice("llvm.umax", Unsigned), choice("llvm.umin", Unsigned + Less)};
  constexpr std::string_view mark = "unpredictable";
  unsigned unpredictable = l.GetMDKindIDInContext(context, mark.data(), mark.size());
  Ref builder = l.CreateBuilderInContext(context), nothing = l.MDNodeInContext(context, nullptr, 0);
  auto replace = [&](Ref call) {
    Ref x = l.GetOperand(call, 0), y = l.GetOperand(call, 1);
    for (const Choice& c : choices) {
      if (l.GetIntrinsicID(l.GetCalledValue(call)) != c.intrinsic || l.GetTypeKind(l.TypeOf(x)) != IntegerType) continue;
      l.PositionBuilderBefore(builder, call);
      Ref select = l.BuildSelect(builder, l.BuildICmp(builder, c.predicate, x, y, ""), x, y, "");
      l.SetMetadata(select, unpredictable, nothing);
      l.ReplaceAllUsesWith(call, select);
      return l.InstructionEraseFromParent(call);
    }
  };
  for (Ref f = l.GetFirstFunction(program); f; f = l.GetNextFunction(f))
    for (Ref b = l.GetFirstBasicBlock(f); b; b = l.GetNextBasicBlock(b))
      for (Ref i = l.GetFirstInstruction(b), next = nullptr; i; i = next) {
        next = l.GetNextInstruction(i);
        if (l.IsAIntrinsicInst(i)) replace(i);
      }
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
  keep_selects(l, context, program);
  if (l.TargetMachineEmitToMemoryBuffer(with, program, Object, &said, &object) != 0) return wrong("");
  if (!errors.error.empty()) return error = "LLVM: " + errors.error, "";
  return std::string(l.GetBufferStart(object), l.GetBufferSize(object));
}

}  // namespace raido::llvm
