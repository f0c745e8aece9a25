// needed.h - what the return sweep of a body reads of the primal (docs/ad.md 7.2).
#pragma once
#include "passes/ad/activity/activity.h"

namespace raido::ad {

// What partial derivatives, indices, conditions and sizes of varied statements mention, and what that is computed from.
class Needed {
 public:
  Needed(ir::Program& p, const Activity& act, const ir::Body& body);
  bool operator()(ir::Var v) const { return needed_.contains(v); }

 private:
  ir::Program& p_;
  const Activity& act_;
  ir::VarSet needed_;
  bool more_ = false;

  void need(ir::Var v);
  void need(const ir::Atom& a);
  template <class X> void need_all(const X& x);
  bool goes_back(const ir::Stm& s) const;
  bool adds(const ir::Combine& c) const;
  void start(const ir::Stm& s);
  void follow(const ir::Stm& s);
};

}  // namespace raido::ad
