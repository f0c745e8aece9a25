// far_reads.cc - see far_reads.h.
#include "passes/memory/far_reads.h"

#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"

namespace raido {

using namespace ir;

namespace {

// How far what an element is read from lies from that of the iteration before, for all elements that the loop reads.
class Reads {
 public:
  Reads(const Program& p, const For& x) : p_(p), counter_(x.i.var) {
    for (const Stm& s : x.body.stms)
      if (s.pattern.size() == 1) statement(s);
  }
  bool any_far() const { return far_ > 0; }
  bool scattered() const {
    bool gains = size_t(far_) * costs::cpu::operations_for_gather <= calls_ * costs::cpu::operations_of_call;
    return far_ >= costs::cpu::far_reads && far_ > costs::cpu::far_reads_for_near * near_ && !gains;
  }

 private:
  const Program& p_;
  Var counter_;
  Forms forms_;
  VarSet jumps_;                                              // what changes by no fixed number in each iteration
  int near_ = 0, far_ = 0;
  size_t calls_ = 0;                                          // of mathematical functions, which vectors make much faster

  std::optional<i64> moves(const Atom& a) const {
    if (const_of(a)) return 0;
    return stride(forms_.of(a), counter_, [&](Var v) { return jumps_.contains(v); });
  }
  void statement(const Stm& s) {
    Var v = s.pattern[0].var;
    forms_.define(p_, s);
    if (!is_scalar(p_.type(v))) return;
    auto op = std::get_if<Apply>(&s.exp);
    if (op && is_call(op->op) && is_float(elem_of(p_, op->args[0]))) calls_++;
    if (op && !is_float(elem_of(p_.type(v)))) {
      bool fixed = std::ranges::all_of(op->args, [&](const Atom& a) { return moves(a) == 0; });
      if (!fixed && forms_.of(v) == Affine(v)) jumps_.insert(v);
    } else if (auto load = std::get_if<Index>(&s.exp)) {
      auto by = moves(*load);
      if (by == 1) near_++;
      else if (by != 0) far_++;
      if (by != 0) jumps_.insert(v);
    }
  }
  std::optional<i64> moves(const Index& x) const {
    const Lmad& l = std::get<ArrayType>(p_.type(x.array)).place->layout;
    std::optional<i64> sum = moves(l.offset);
    for (size_t d = 0; d < x.at.size(); d++) {
      auto by = moves(std::get<Atom>(x.at[d]));
      auto apart = const_of(l.strides[d]);
      if (by == 0) continue;
      sum = sum && by && apart ? std::optional(*sum + *by * apart->as_i64()) : std::nullopt;
    }
    return sum;
  }
};

}  // namespace

bool reads_far_apart(const Program& p, const For& loop) { return Reads(p, loop).scattered(); }
bool reads_any_far(const Program& p, const For& loop) { return Reads(p, loop).any_far(); }

}  // namespace raido
