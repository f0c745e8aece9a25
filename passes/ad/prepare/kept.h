// kept.h - bytes that a loop keeps for the return sweep, as far as they are known before it (docs/ad.md 7.8).
#pragma once
#include "passes/ad/prepare/ranges.h"
#include "passes/ad/activity/activity.h"

namespace raido::ad {

// None: not known.
struct Kept {
  std::optional<ir::Term> state;          // of what is recorded as a whole in each iteration
  std::optional<ir::Term> whole;          // of arrays that are only updated in place
  bool fixed = true;                      // no state changes its shape
  std::optional<ir::Term> overwritten;    // of what an iteration overwrites of these; nothing of what is written once
  // Of each iteration, if all are recorded.
  std::optional<ir::Term> each() const;
};
// `carried`: arrays that a loop around updates in place, which therefore record what is overwritten in any case.
Kept kept_by(ir::Builder& b, const Activity& act, Ranges& ranges, const ir::For& loop, const ir::VarSet& carried);

// x * y for numbers of bytes, but no more than any memory has.
ir::Term times(const ir::Term& x, const ir::Term& y);
std::optional<i64> number(const ir::Term& x);

}  // namespace raido::ad
