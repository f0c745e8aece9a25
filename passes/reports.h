// reports.h - what passes tell the driver: refusals, and notes on what was done.
#pragma once
#include <string>

#include "compiler/ir/ir.h"

namespace raido {

// What a pass may refuse to do with a program that a user may write.
enum class Refusal : uint8_t {
  DifferentiateRecursion,   // a derivative of a function that takes this derivative itself
  ActiveInRule,             // what a function with a derivative rule uses beside its argument is differentiated; `detail` names it
  DeviceCode,               // what a device cannot run; `detail` says what
};
struct Refused {
  ir::Source at;
  Refusal why;
  std::string detail;
};

// A nest of loops that cannot do with --ad-memory: the least bytes for its states, and those that were given.
struct Exceeded {
  ir::Source at;
  int64_t least, memory;
};

// What differentiation did at a place, for `dev --explain-ad`. A variable carries the number of its note, so the finished program shows
// what became of it. Forward: computed by the forward sweep; Again: by the return sweep. Recorded: state; Result: what is costly and was
// computed by the forward sweep. Zero, Place, Band: seeds that are zero, zero but at one place, zero but in a band.
struct Note {
  enum class Kind : uint8_t { Forward, Again, Recorded, Result, Overwritten, Kept, Loop, Slots, Adjoint, Chunk, Zero, Place, Places, Band } kind;
  ir::Source at;
  std::string name;         // of what is recorded, or gets an adjoint; of a loop, what --ad-memory decided; of a chunk, its seeds
};

}  // namespace raido
