// llvm.h - backend "llvm": one thread, code made by LLVM in this process, no C compiler.
#pragma once
#include "backends/backend.h"

namespace raido {

struct LlvmBackend final : Backend {
  LlvmBackend() : Backend("llvm", "sequential code made by LLVM, without a C compiler", ir::Target::Sequential) {}
  Output generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const override;
};

// The bytes of an executable or server from the text that the backend has generated; empty after a failure, which `error` names.
std::string llvm_executable(const std::string& source, const OutputOptions& options, std::string& error);

}  // namespace raido
