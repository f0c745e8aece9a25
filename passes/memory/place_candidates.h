// place_candidates.h - the first step of `place`: which arrays could be built at once where a later statement will copy them.
//
// An update `ys with [i] = b` copies b into row i of ys. A concatenation and an array literal copy their parts. The results of a body may
// be wanted at a certain place. Each array that is created in the body and goes to one such statement is a candidate: its copy may be
// elided. Between its creation and the update it may get another shape.
#pragma once
#include <unordered_set>

#include "passes/memory/place_origins.h"

namespace raido::placement {

// The statements of one body, and where it is wanted what they create.
struct Candidates {
  struct Consumer {
    size_t stm, part;                // part: which one of a concatenation or literal
    bool several = false;            // others copy it, too
  };
  std::vector<std::unique_ptr<Stm>> stms;
  std::vector<std::vector<Var>> uses;            // free variables of each
  std::vector<Atom> result;
  std::unordered_set<Var> made;                  // by these statements
  std::unordered_map<Var, Consumer> consumer;    // created array -> the statement that copies it somewhere
  std::unordered_map<Var, Var> started_as;       // arrays that these statements make, and what they started as
  std::unordered_map<Var, Place> result_place;   // created array -> where the body's result is wanted
};

// Takes the statements of the body. What the checks of an update need goes before the creation of its value, where it can. The reason is
// that what is built in place is written before the update.
Candidates find_candidates(const Program& p, Origins& origins, Body& b, uint32_t depth);
// The result of the body shall lie there.
void want_result(Candidates& c, Origins& origins, const Atom& result, const Place& where, uint32_t depth);

}  // namespace raido::placement
