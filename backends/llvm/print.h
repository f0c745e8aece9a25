// print.h - the kernel program of a processor as a module in LLVM's language, the second printer of kernel.h.
#pragma once
#include <string>

#include "backends/kernel/kernel.h"
#include "backends/llvm/code.h"

namespace raido::llvm {

// The functions of the program, its data, and the type `%constants`. A function is `i32 @f.NAME(ptr w, parameters.., ptr results..)`: nonzero
// after a failure, whose text is in the worker.
std::string print(const kir::Module& m, Surroundings& around);

std::string function_name(const kir::HostFunction& f);
std::string passed_type(const kir::Module& m, kir::Name n);     // of a parameter, result or constant
std::string quoted(std::string_view bytes);                     // c"..", as it stands

}  // namespace raido::llvm
