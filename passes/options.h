// options.h - what the command line says to the passes.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "compiler/ir/ir.h"

namespace raido {

struct Pass;
struct PassOptions {
  bool verify = false;                       // run the verifier after each pass
  std::set<std::string, std::less<>> disabled;   // --no-PASS
  int64_t bisect_limit = -1;                 // stop optional rewrites after so many; -1: never
  bool strict_fp = false;                    // --fp=strict
  bool explain_ad = false;                   // --explain-ad: passes make notes (reports.h)
  bool ad_int_cast = false;                  // --ad-int-cast: the derivative of a conversion to an integer is a conversion
  bool ad_safe_mul = false;                  // --ad-safe-mul: a partial derivative or an adjoint of 0 makes 0 of their product
  bool ad_check = false;                     // --ad-check: what #[true_dep] and #[distinct] assert is verified at run time
  int64_t ad_memory = 0;                     // --ad-memory: bytes for the states of a loop that reverse mode keeps; 0: no limit
  // Called after each pass with the program before (empty unless keep_before) and after: dumps and comparisons.
  bool keep_before = false;
  std::function<void(const Pass&, const ir::Program& before, const ir::Program& after)> observe;
  std::string reproduce;                     // the command line, for internal errors
};

}  // namespace raido
