// one_thread.h - the choice between a version of code for one thread and one for several, made when the program runs.
#pragma once
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"

namespace raido {

// How many threads the program runs on.
inline ir::Term threads(ir::Builder& b) {
  return b.term(b.bind1("threads", ir::Tunable{"threads", "threads", ir::i64_atom(costs::cpu::assumed_threads)}));
}
// The condition: there is one thread, or there are so few that one is faster.
inline ir::Atom one_thread(ir::Builder& b, int64_t few = 1) {
  return ir::le(threads(b), b.term(i64_const(few))).atom;
}

// Knows these conditions again, when it has seen the statements before.
class OneThread {
 public:
  void note(const ir::Stm& s) {
    if (auto x = std::get_if<ir::Tunable>(&s.exp); x && x->kind == "threads") threads_.insert(s.pattern[0].var);
    auto x = std::get_if<ir::Apply>(&s.exp);
    if (x && x->op == ScalarOp::le && ir::var_of(x->args[0]) && threads_.contains(*ir::var_of(x->args[0])) && ir::const_of(x->args[1]))
      alone_.insert(s.pattern[0].var);
  }
  bool chooses(const ir::If& x) const { return ir::var_of(x.cond) && alone_.contains(*ir::var_of(x.cond)); }

 private:
  ir::VarSet threads_, alone_;
};

}  // namespace raido
