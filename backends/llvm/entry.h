// entry.h - the interface of a program in LLVM's language: what c/entry.cc is in C.
#pragma once
#include <string>

#include "backends/interface.h"
#include "backends/kernel/kernel.h"
#include "backends/llvm/code.h"

namespace raido::llvm {

// The functions of the entry points, the tables that the runtime reads, and `@raido_program`, which leads to all of it (loader.c).
std::string print_interface(const ir::Program& p, const kir::Module& m, const Interface& interface, bool flush_subnormals, bool profile,
                            Surroundings& around);

// Why the runtime, which was compiled before, has no room for this program; empty if it has.
std::string too_large(const kir::Module& m, const Interface& interface);

}  // namespace raido::llvm
