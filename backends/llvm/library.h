// library.h - LLVM itself: a shared library, looked for when it is first wanted.
#pragma once
#include <string>

#include "backends/llvm/code.h"

namespace raido::llvm {

// The object file of a module, which is given as text. Empty after a failure, which `error` names.
std::string object_of(const std::string& module, const Machine& machine, std::string& error);

// Whether the C library of this machine has this function for several numbers at once.
bool in_vector_library(const std::string& name);

}  // namespace raido::llvm
