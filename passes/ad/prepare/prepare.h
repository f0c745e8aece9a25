// prepare.h - makes a lambda ready for differentiation (docs/ad.md 2.3).
#pragma once
#include "passes/ad/prepare/schedules.h"

namespace raido::ad {

// Takes the bodies of functions with rules of their own that have none for this mode in their place.
void drop_rules(ir::Program& p, ir::Body& body, const Mode& mode);
// Copies what is consumed inside f, so that its values survive. Gives operations the form that the rules expect. For reverse mode
// `varied` says which values vary: a `while` loop over such values becomes a `for` loop.
void prepare(ir::Program& p, ir::Lambda& f, Activity* varied, const Around& around = {});
// All that f needs before reverse mode. Returns what varies in f then. `around`: where f runs.
Activity prepare_reverse(Functions& functions, ir::Lambda& f, const std::vector<bool>& varied, const Mode& mode, const Around& around);
// Puts copies in the place of what s consumes itself.
void replace_consumed(const ir::Program& p, ir::Stm& s, const ir::Subst& copies);

}  // namespace raido::ad
