// activity.h - which variables depend on what is differentiated (docs/ad.md 2.2). Whether they matter for the
// result needs no analysis: an adjoint that stays symbolically zero makes no code.
#pragma once
#include "passes/ad/activity/functions.h"

namespace raido::ad {

// Shared by all scopes of one differentiated lambda.
class Activity {
 public:
  Activity(Functions& f, Mode m) : functions(f), program(f.program), context(f.context), mode(m) {}
  Functions& functions;
  ir::Program& program;
  PassContext& context;
  const Mode mode;

  // Marks the parameters varied and everything that depends on them in differentiable positions.
  void analyse(const ir::Lambda& f, const std::vector<bool>& varied_params);
  bool varied(ir::Var v) const { return varied_.contains(v); }
  bool varied(const ir::Atom& a) const { auto v = ir::var_of(a); return v && varied(*v); }
  void mark(ir::Var v) { varied_.insert(v); }
  // Clones a piece of primal code and carries the marks over to the new names.
  template <class X> X clone(const X& x) {
    ir::Subst renamed;
    X copy = ir::clone(program, x, &renamed);
    for (auto& [from, to] : renamed)
      if (varied(from)) mark(*ir::var_of(to));
    return copy;
  }
  // Varied variables free in x, in order of first use.
  template <class X> std::vector<ir::Var> free_varied(const X& x) const {
    std::vector<ir::Var> free = ir::free_vars(program, x);
    std::erase_if(free, [&](ir::Var v) { return !varied(v); });
    return free;
  }
  // Whether the rule of x gives all derivatives that matter; else x is refused.
  bool rule_sees_all(const ir::Custom& x, ir::Source at);

 private:
  ir::VarSet varied_;
  bool changed_ = false;

  void set(ir::Var v, bool value);
  void body(const ir::Body& b);
  void statement(const ir::Stm& s);
};

}  // namespace raido::ad
