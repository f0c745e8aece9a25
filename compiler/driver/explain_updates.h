// explain_updates.h - how updates of adjoints are kept apart, and why they did not become sums.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/target.h"
#include "passes/reports.h"

namespace raido::explain_ad {

// One accumulator with a note, as it is in a program of some level. why: what its indices say; empty if there are no updates. by_data: they
// are elements of arrays.
struct UpdatesOf {
  ir::NoteId note;
  ir::Conflict conflict;
  bool parallel;                     // several threads update it
  bool by_data;
  std::string why;

  bool meets() const { return parallel && (conflict == ir::Conflict::Private || conflict == ir::Conflict::Atomic); }
};
std::vector<UpdatesOf> updates_of(const ir::Program& p, ir::Target target, const std::set<size_t>& functions, const std::vector<Note>& notes);

// How all versions of one accumulator are updated.
std::string text_of_updates(const std::vector<UpdatesOf>& versions);

}  // namespace raido::explain_ad
