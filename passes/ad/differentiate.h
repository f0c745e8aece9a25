// differentiate.h - the steps of differentiation, shared between its files.
#pragma once
#include "compiler/ir/build.h"
#include "compiler/ir/term.h"
#include "passes/ad/common.h"
#include "passes/pass.h"

namespace raido::ad {

class Activity;
class Functions;
struct Mode;

// Takes the bodies of functions with rules of their own that have none for this mode in their place.
void drop_rules(ir::Program& p, ir::Body& body, const Mode& mode);
// Scopes of accumulators with other operators than + become loops that update arrays; whether there were any (updates.cc).
bool updates_in_turn(ir::Program& p, ir::Body& body, const Activity& varied);
// All that f needs before reverse mode; what varies in it then. `parallel`: it runs inside a parallel operation.
Activity ready(Functions& functions, ir::Lambda& f, const std::vector<bool>& varied, const Mode& mode, bool parallel);
// Copies what is consumed inside f, so that its values survive; gives operations the form that the rules expect. For
// reverse mode `counted` says which values vary: a `while` loop over such becomes a `for` loop (prepare.cc).
void prepare(ir::Program& p, ir::Lambda& f, Activity* counted, bool parallel = false);
// Whether what decides when the loop ends is most of what it does: then it is better not to run that to count (grow.cc).
bool decides_much(const ir::Program& p, const ir::While& loop);
// Loops with the attribute `counted`, and those that count for them (`counts`), become one.
void join_counted(ir::Program& p);
// --ad-check: emits a run of the loop that finds out whether #[true_dep] holds for this state, before which the loop does not run;
// false if that cannot be found out. An assertion that no two of these indices that lie inside are the same (checks.cc).
bool check_once(ir::Builder& b, ir::Stm& loop, size_t state);
ir::Var check_distinct(ir::Builder& b, const std::vector<ir::Dim>& shape, const ir::Dim& width, const std::vector<ir::Var>& indices);
// A `for` loop with #[stripmine(k)] becomes k nested ones (stripmine.cc).
void stripmine(ir::Builder& b, ir::Stm& s);
// A loop of reverse mode whose states do not fit into --ad-memory becomes a nest, or several versions of which the number of
// iterations chooses one if that is not known. Emits each by `emit`; nothing and false if the loop stays as it is (budget.cc).
bool fit_memory(ir::Builder& b, ir::Stm& s, Activity& varied, bool parallel, const std::function<void(ir::Stm&)>& emit);
bool has_schedule(const ir::Stm& s);                                 // how many of its states are kept is decided
bool is_parallel(const ir::Exp& e);
bool chooses(ir::Builder& b, ir::Stm& s, Activity& varied);          // whether the loop will have several versions
// Emits f's results and the derivative; the values of the operator in order (vjp.cc, forward.cc).
std::vector<ir::Atom> expand_vjp(ir::Builder& b, Functions& functions, ir::Vjp op, bool enclosed, bool parallel);
std::vector<ir::Atom> expand_jvp(ir::Builder& b, Functions& functions, ir::Jvp op, bool enclosed);
// The body of f with parameters `tangents` of what varies, and the tangents of these results behind its own (forward.cc).
ir::Body forward_body(Functions& functions, const Mode& mode, ir::Lambda f, const std::vector<bool>& args,
                      const std::vector<ir::Var>& tangents, const std::vector<bool>& results);

// A map over the seeds of a batch, one for each value: derive(rows) emits what happens for one of each. `before`: statements
// that come before the map, there when derive has run. On a device it is a loop if no map could do it.
std::vector<ir::Var> each_seed(ir::Builder& b, PassContext& context, const std::vector<ir::Dim>& batch, const std::vector<ir::Atom>& seeds,
                               const std::function<std::vector<ir::Atom>(const std::vector<ir::Var>&)>& derive,
                               List<ir::Stm>* before = nullptr);
// f for each of k seeds, side by side; nothing if they are not few or f has no such form, and then it is as it was (lanes.cc).
std::optional<std::vector<ir::Var>> in_lanes(ir::Builder& b, const ir::Dim& k, ir::Lambda& f, const std::vector<ir::Var>& seeds);
bool has_lanes(ir::Program& p, const ir::Lambda& f);                // whether it has, and what has no such form in it is work on scalars
// f for each of n seeds, strip by strip; a map if it has no lanes. `point`: of what a tangent at least has the size (strips.cc).
std::vector<ir::Var> in_strips(ir::Builder& b, PassContext& context, const ir::Dim& n, ir::Lambda f,
                               const std::vector<ir::Var>& seeds, const std::vector<ir::Type>& point);
// Puts copies in the place of what s consumes itself.
void replace_consumed(ir::Stm& s, const ir::Subst& copies);

}  // namespace raido::ad
