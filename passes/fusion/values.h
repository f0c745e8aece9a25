// values.h - which values cost more to compute again than to keep, for `cse_maps`, `cse_branches` and `cse_loops`.
#pragma once
#include "compiler/ir/transform.h"

namespace raido {

// Several statements inside: a screma, a branch or a loop.
bool is_compound(const ir::Exp& e);
// Nothing but a value: it updates no accumulator and consumes at most what it was given as the first state of a loop.
bool is_value(const ir::Program& p, const ir::Stm& s);
// Whether it takes more to compute v, a result of s, than to keep it. This is so if s calls a mathematical function, or runs
// something several times for each element of v.
bool worth_keeping(const ir::Program& p, const ir::Stm& s, ir::Var v);
// The statement of `b` that computes the same value as s, if variables of s stand for those of b as `same` says.
const ir::Stm* twin_in(ir::Program& p, const ir::Body& b, const ir::Stm& s, const ir::Subst& same);

}  // namespace raido
