// loop_back.h - the adjoints that go back through the iterations of a loop: those of its state, and of what is free in its body. Where
// the state itself comes from does not matter here.
#pragma once
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

class LoopBack {
 public:
  LoopBack(Scope& scope, const ir::Stm& s, const ir::For& op);
  const std::vector<size_t>& carried() const { return carried_; }            // state that has an adjoint
  // The adjoints after the loop, of the state and then of what is free: taken from the results.
  std::vector<ir::Atom> start();
  std::vector<std::string> hints() const;                                    // names for them
  // One iteration again, and back: `state` is the state before it, `adjoints` those after it. Returns those before it.
  std::vector<ir::Atom> iteration(Scope& inner, const ir::Atom& i, const std::vector<ir::Var>& state, const std::vector<ir::Var>& adjoints);
  // Gives names to state that nobody reads, since its adjoint needs one; marks what varies.
  void name(std::vector<ir::Var>& state, ir::Subst& values) const;
  // Adds the adjoints before the loop.
  void finish(const std::vector<ir::Var>& adjoints);

 private:
  Scope& scope_;
  const ir::Stm& s_;
  const ir::For& op_;
  std::vector<size_t> carried_;
  std::vector<ir::Var> free_;
};
// Puts other names for the sizes in a type.
void substitute_type(ir::Type& t, const ir::Subst& sizes);

// The rule of a loop with #[checkpoint(c)] (rule_checkpoint.cc); none if it cannot be done so.
std::optional<Back> forth_checkpointed(Scope& scope, const ir::Stm& s, const ir::For& op);

}  // namespace raido::ad
