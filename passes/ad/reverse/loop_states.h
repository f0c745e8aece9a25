// loop_states.h - how the return sweep of a loop has the state of an iteration (docs/ad.md 7.2 to 7.4).
//
// Every state variable that the body reads is recorded, but for two kinds of arrays. Of an array that the body only updates in place,
// the overwritten elements are recorded (undo.h); the return sweep carries the array as well and undoes one iteration after the other.
// A write-once array is read as it is in the end, or as it was before the loop (write_once.h); it is kept as a copy if somebody reads it
// as it was.
#pragma once
#include <map>

#include "passes/ad/reverse/scope.h"

namespace raido::ad {

// By position in the state.
struct States {
  std::vector<size_t> recorded;              // from a record
  std::vector<size_t> updated;               // by undoing the updates
  std::map<size_t, bool> written_once;       // as it is in the end; whether some reads are of what was there before the loop
  std::vector<size_t> finished;              // written once by a loop around
};
States states_of(Scope& scope, const ir::Stm& s, const ir::For& op);
// State variables that other state's types mention.
ir::VarSet sizes_of(const ir::Program& p, const ir::For& op);

}  // namespace raido::ad
