// rules.h - the rules of reverse mode, one for each operation. docs/ad.md 14 shows how one is written.
//
// Most operations are their own forward sweep, and have a rule `back` that emits the return sweep. Those that keep something for it
// emit their forward sweep themselves, in a rule `forth` that returns what it has kept and the return sweep. Only statements that
// have a varying result, or update an accumulator of the primal, have a rule called; and only if something reaches their results,
// the return sweep.
#pragma once
#include "passes/ad/reverse/scope.h"

namespace raido::ad {

// Emits the forward sweep of a statement whose rule is a `forth`; nothing for others.
std::optional<Back> own_forward_sweep(Scope& scope, const ir::Stm& s);
// Emits the return sweep of a statement whose rule is a `back`.
void return_sweep(Scope& scope, const ir::Stm& s);

// ---- operations without bodies: rule_scalar.cc, rule_array.cc ----
void back(Scope& scope, const ir::Stm& s, const ir::Apply& op);
void back(Scope& scope, const ir::Stm& s, const ir::Convert& op);
void back(Scope& scope, const ir::Stm& s, const ir::Identity& op);
void back(Scope& scope, const ir::Stm& s, const ir::Copy& op);
void back(Scope& scope, const ir::Stm& s, const ir::Index& op);
void back(Scope& scope, const ir::Stm& s, const ir::Update& op);
void back(Scope& scope, const ir::Stm& s, const ir::ArrayLit& op);
void back(Scope& scope, const ir::Stm& s, const ir::Replicate& op);
void back(Scope& scope, const ir::Stm& s, const ir::Iota& op);
void back(Scope& scope, const ir::Stm& s, const ir::Concat& op);
void back(Scope& scope, const ir::Stm& s, const ir::Reshape& op);
void back(Scope& scope, const ir::Stm& s, const ir::Permute& op);

// ---- operations with bodies; a file for each ----
void back(Scope& scope, const ir::Stm& s, const ir::If& op);
void back(Scope& scope, const ir::Stm& s, const ir::WithAcc& op);
void back(Scope& scope, const ir::Stm& s, const ir::AccUpdate& op);
void back(Scope& scope, const ir::Stm& s, const ir::Custom& op);
void back_map(Scope& scope, const ir::Stm& s, const ir::Screma& op);
void back_scan(Scope& scope, const ir::Stm& s, const ir::Screma& op);
Back forth_reduce(Scope& scope, const ir::Stm& s, const ir::Screma& op);
Back forth(Scope& scope, const ir::Stm& s, const ir::Hist& op);
Back forth(Scope& scope, const ir::Stm& s, const ir::For& op);
Back forth(Scope& scope, const ir::Stm& s, const ir::Call& op);

}  // namespace raido::ad
