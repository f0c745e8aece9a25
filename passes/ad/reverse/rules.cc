// rules.cc - which rule an operation has.
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {

void back(Scope& scope, const Stm& s, const Screma& op) {
  if (is_map(op)) return back_map(scope, s, op);
  CHECK(is_scan(op) && op.scans.size() == 1, "a screma that is not split is differentiated");
  back_scan(scope, s, op);
}
// Of a `while` loop only the number of iterations is used where it would matter (prepare.cc).
void back(Scope&, const Stm&, const While&) {}
// Never varied: proofs, unspecified and constant arrays.
void back(Scope&, const Stm&, const Assert&) {}
void back(Scope&, const Stm&, const Scratch&) {}
void back(Scope&, const Stm&, const Data&) {}
// Operations whose rule is a `forth`, operators of differentiation (expanded innermost first), and what belongs to later levels.
template <class Op> requires(std::is_same_v<Op, For> || std::is_same_v<Op, Hist> || std::is_same_v<Op, Call> || std::is_same_v<Op, Jvp> ||
                             std::is_same_v<Op, Vjp> || std::is_same_v<Op, Seg> || std::is_same_v<Op, Tunable> || std::is_same_v<Op, Alloc>)
void back(Scope&, const Stm&, const Op&) { PANIC("`{}` has no return sweep of its own", Op::name); }

}  // namespace

std::optional<Back> own_forward_sweep(Scope& scope, const Stm& s) {
  return match(s.exp, [&](const For& op) { return std::optional(forth(scope, s, op)); },
               [&](const Hist& op) { return std::optional(forth(scope, s, op)); },
               [&](const Call& op) { return std::optional(forth(scope, s, op)); },
               [&](const Screma& op) { return is_reduce(op) && op.reduces.size() == 1 ? std::optional(forth_reduce(scope, s, op)) : std::nullopt; },
               [](const auto&) { return std::optional<Back>{}; });   // `back` is exhaustive
}
void return_sweep(Scope& scope, const Stm& s) {
  match(s.exp, [&](const auto& op) { back(scope, s, op); });
}

}  // namespace raido::ad
