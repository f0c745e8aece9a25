// backend.h - what a backend is: a name, the pipeline it wants, and a function from a Memory level program to text.
//
// A backend cannot change what the outside world sees: command line, data formats and the C interface are those of the
// runtime. c/c_file.cc prints it into every program; llvm/loader.c compiles it once for all.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/interface.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/target.h"

namespace raido {

struct OutputOptions {
  enum class Form { Executable, Server, Library, Python } form = Form::Executable;
  std::string package;                     // Python: its name
  bool spread_results = false;             // libraries: a tuple is several results, as before version 0.26
  bool strict_fp = false;   // --fp=strict: no fused multiply-adds
  bool flush_subnormals = false;
  bool strict_math = false;                // --math=strict: exp and its kind one number at a time
  bool versions = true;                    // --cpu=portable: several versions of the program (decision 033)
  bool native = false;                     // --cpu=native: one, for this machine
  bool profile = false;                    // where it runs is sampled, if the user asks the program for it (runtime/profile.h)
  bool emulate = false;     // GPU backends: run on the emulator, which prints its counts
};

struct Output {
  std::string source;                      // one C file; of backend llvm, one module
  std::string problem;                     // why there is no source
  std::string header, manifest;            // of libraries
  std::vector<std::string> compile_flags;  // for the C compiler, beside the user's CFLAGS
  std::vector<std::vector<std::string>> flags_if_known;   // groups of more, each for C compilers that know all of it
  std::vector<std::string> link_flags;     // after the source file
  int objects = 1;                         // that the source is worth, each with -DRAIDO_OBJECT=N (runtime/versions.h)
};

struct Backend {
  std::string_view name, summary;
  ir::Target target;                       // which pipeline makes the program ready
  Backend(std::string_view backend_name, std::string_view backend_summary, ir::Target backend_target)
      : name(backend_name), summary(backend_summary), target(backend_target) {}
  Backend(const Backend&) = delete;
  virtual ~Backend() = default;
  virtual Output generate(const ir::Program& program, const Interface& interface, const OutputOptions& options) const = 0;
};

std::span<const Backend* const> all_backends();
const Backend* find_backend(std::string_view name);   // null if there is none of that name

}  // namespace raido
