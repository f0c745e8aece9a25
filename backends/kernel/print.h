// print.h - kernel program to text: the only emitter of code. One text serves C, CUDA and OpenCL; the words that differ
// are defined by the vocabularies in runtime/.
#pragma once
#include <string>

#include "backends/kernel/kernel.h"

namespace raido::kir {

struct Printed {
  std::string scalars;     // the scalar operations that are used, as functions
  std::string functions;   // host functions, the chunks of parallel loops, the constants
  std::string kernels;     // device code, its scalar operations included
};
Printed print(const Module& m);

std::string_view c_type(Scalar s);              // of a value in a register: f16 is f32
std::string_view storage_type(Scalar s);        // of an element in memory

}  // namespace raido::kir
