// loop_shape.cc - see loop_shape.h.
#include "backends/kernel/loop_shape.h"

#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"

namespace raido::kir {
namespace {

using namespace raido::ir;

bool is_result_of(ScalarOp op, const Body& b, size_t k) {
  for (const ir::Stm& s : b.stms)
    if (auto apply = std::get_if<Apply>(&s.exp); apply && Atom(s.pattern[0].var) == b.result[k]) return apply->op == op;
  return false;
}

// How far what an element is read from lies from that of the iteration before, for all elements that the loop reads.
class Reads {
 public:
  Reads(const Program& p, const ir::For& x) : p_(p), counter_(x.i.var) {
    for (const ir::Stm& s : x.body.stms)
      if (s.pattern.size() == 1) statement(s);
  }
  // Far more elements do not lie beside those of the iteration before than ones that do: to bring them together in vectors costs more than
  // the vectors save.
  bool scattered() const { return far_ >= costs::cpu::far_reads && far_ > costs::cpu::far_reads_for_near * near_; }

 private:
  const Program& p_;
  Var counter_;
  Forms forms_;
  VarSet jumps_;                                              // what changes by no fixed number in each iteration
  int near_ = 0, far_ = 0;

  std::optional<i64> moves(const Atom& a) const {
    if (const_of(a)) return 0;
    return stride(forms_.of(a), counter_, [&](Var v) { return jumps_.contains(v); });
  }
  void statement(const ir::Stm& s) {
    Var v = s.pattern[0].var;
    forms_.define(p_, s);
    if (!is_scalar(p_.type(v))) return;
    if (auto op = std::get_if<Apply>(&s.exp); op && !is_float(elem_of(p_.type(v)))) {
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

LoopShape loop_shape(const Program& p, const ir::For& x) {
  if (!x.any_order) return {};
  LoopShape out{Reads(p, x).scattered(), {}};
  if (out.scattered) return out;
  size_t number = 0;
  for (size_t k = 0; k < x.state.size(); k++) {
    const Type& t = p.type(x.state[k].var);
    if (std::holds_alternative<BlockType>(t)) return {};
    if (!is_scalar(t)) continue;
    ScalarOp op = (*x.any_order)[number++];
    if (!is_float(elem_of(t)) || (op != ScalarOp::add && !is_result_of(op, x.body, k))) return {};
    out.reduced.push_back({k, op});
  }
  return out;
}

void find_chosen(const Program& p, const ir::For& x, VarSet& chosen) {
  for (size_t k = 0; k < x.state.size(); k++) {
    Var v = x.state[k].var;
    auto r = var_of(x.body.result[k]);
    if (!r || !is_scalar(p.type(v)) || elem_of(p.type(v)) != Scalar::I64 || std::ranges::count(x.body.result, Atom(v)) > 0) continue;
    bool selected = false, other = false;
    for (const ir::Stm& s : x.body.stms) {
      auto op = std::get_if<Apply>(&s.exp);
      bool here = s.pattern.size() == 1 && s.pattern[0].var == *r;
      if (here) selected = op && op->op == ScalarOp::select && (op->args[1] == Atom(v) || op->args[2] == Atom(v));
      if (here || (op && (op->op == ScalarOp::eq || op->op == ScalarOp::lt || op->op == ScalarOp::le))) continue;
      each_use(p, s, [&](Var u) { other = other || u == v || u == *r; });
    }
    if (selected && !other) chosen.insert(*r);
  }
}

}  // namespace raido::kir
