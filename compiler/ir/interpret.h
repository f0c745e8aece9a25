// interpret.h - runs a core program at any level: the oracle of the passes, of the gradient checks and of `raido run`.
//
// Values are flat typed buffers, variables are slots of a frame, and an update of an array nobody else holds works in
// place. At Memory level it really uses the blocks and index functions, and what was never written reads as poison.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/value.h"

namespace raido::ir {

// Where the interpreter stopped: at an assertion with the attribute `break`, or (stop_at_nan) where an operation made a NaN of numbers.
struct Stop {
  std::vector<std::string> backtrace;                       // as in Failure
  std::optional<int64_t> breakpoint;                        // the number of the attribute; none: a NaN
  std::vector<std::optional<Value>> values;                 // the arguments of the assertion; none: it was consumed
};

struct InterpretOptions {
  int64_t max_bytes = int64_t(8) << 30;                     // more than this in one array is "out of memory"
  std::function<void(const std::string& tag, const Value&)> trace;   // receives what passes #[trace], a tuple by its components
  std::function<void(const Stop&)> stop;                    // returns to go on; none: nothing stops
  bool stop_at_nan = false;
  bool ad_int_cast = false, ad_safe_mul = false;            // as in PassOptions
};

struct Failure {
  std::string message;                 // "Index [7] out of bounds for array of shape [4]."
  std::vector<std::string> backtrace;  // innermost first: "prog.fut:3:14-17"; empty: no backtrace is known
  bool bad_arguments = false;          // the arguments do not fit the entry point; nothing ran
};

struct Counters {
  int64_t work = 0;                    // scalar operations
  int64_t kernels = 0;                 // segs at grid or task level
  int64_t copies = 0, bytes = 0;       // statements that copied arrays, and how much they moved
  int64_t updates = 0;                 // of accumulators and histograms
  int64_t made = 0;                    // bytes of arrays
  int64_t live = 0, peak = 0;          // of them that are still needed, and at most
};

struct Outcome {
  std::vector<Value> results;          // core values in order, without the implicit sizes
  std::optional<Failure> failure;
  Counters counters;
};

// Runs the entry point, or else the function, of that name. The implicit sizes of an entry point and the blocks of a
// Memory level program are found from the arguments.
Outcome interpret(const Program& program, std::string_view name, const std::vector<Value>& args,
                  const InterpretOptions& options = {});

// "Error: MESSAGE" and the backtrace, as executables print it.
std::string show(const Failure& failure);

}  // namespace raido::ir
