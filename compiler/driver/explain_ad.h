// explain_ad.h - `dev --explain-ad`: what differentiation made of an entry point, by lines of its source.
//
// The report is of the program before and after `accumulators`, which decides how updates are kept apart: there all derivatives are made,
// and sizes are still those of the source. Without that pass it is of the program after all passes.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/driver/explain_updates.h"
#include "passes/pass.h"

namespace raido::explain_ad {

class Report {
 public:
  Report(std::string entry, ir::Target target) : entry_(std::move(entry)), target_(target) {}
  // After each pass of the pipeline; the program before it has to be kept.
  void observe(const Pass& pass, const ir::Program& before, const ir::Program& after);
  // What the passes said, after all of them. table: the records in columns, instead of the lines.
  std::string show(const ir::Program& last, const std::vector<Note>& notes, const std::vector<Exceeded>& exceeded, bool table) const;

 private:
  std::string entry_;
  ir::Target target_;
  std::optional<ir::Program> before_, decided_;
};

}  // namespace raido::explain_ad
