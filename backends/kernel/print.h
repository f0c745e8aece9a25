// print.h - kernel program to text: the only emitter of code. One text serves C, CUDA and OpenCL; the words that differ
// are defined by the vocabularies in runtime/.
#pragma once
#include <string>
#include <vector>

#include "backends/kernel/kernel.h"

namespace raido::kir {

struct Printed {
  std::string scalars;     // the scalar operations that host code uses, as functions
  std::string all_scalars; // those of kernels too
  std::string data;        // what all versions of the host functions share: the struct of the constants, arrays that are known
  std::string functions;   // host functions, the chunks of parallel loops
  std::vector<std::string> names;   // what `functions` defines
  bool transposes = false; // host functions call those of copies.h
  bool tiles = false, vector_scans = false;      // host functions use what tiles.h, scans.h say
  std::string device_scalars, kernels;
  std::string counted_kernels;      // of the emulator: they say what they do, in the words of words_counts.h
  bool can_fail = false;   // some kernel has a check or a trace: then all take the failure word
  bool traces = false;
};
Printed print(const Module& m, bool emulated = false);

// For each kernel a C function that calls it with the arguments of a launch, and the table of these functions.
std::string print_kernel_calls(const Module& m, bool can_fail, std::string_view prefix = "");

// A table: what each kernel does with its parameters (uses_of_parameters).
std::string print_kernel_uses(const Module& m);

}  // namespace raido::kir
