// masked_sums.cc - where a program wants only a triangle of a product of matrices, the whole product is made (Q6).
//
//   map n \i -> map n \j -> if j <= i { g (reduce (+) (map2 (*) (index q [i]) (index k [j]))) } else { x }
//   ==>
//   map n \i -> map n \j -> let s = reduce (+) (map2 (*) (index q [i]) (index k [j])) in if j <= i { g s } else { x }
//
// So are the weights of attention that looks back only. The sum is then a contraction, which tiles compute many times faster than they lose by the
// other half. The condition compares the counters of both maps, which have the same width: another one may hold for few points. Each operand
// of the sum has to be a row that one of the counters chooses, inside of its array whatever the condition says. This is done after differentiation,
// which would multiply zeros by elements of the other half, and these may be infinite.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/types.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class MaskedSums {
 public:
  MaskedSums(Program& p, PassContext& c) : p_(p), c_(c) {
    p.each_body([&](const Body& b) { definitions_.add_all(b); });
  }
  void body(Body& b) {
    List<Stm> out;
    for (auto& item : b.stms.take()) {
      Stm& s = *item;
      if (auto x = std::get_if<If>(&s.exp); x && is_triangle(*x))
        for (Body* branch : {&x->then_, &x->else_}) take_sums(*branch, out);
      varies_with(s);
      if (auto x = std::get_if<Screma>(&s.exp)) {
        nest_.push_back(level_of(*x));
        body(x->pre.body);
        nest_.pop_back();
      } else if (auto choice = std::get_if<If>(&s.exp)) {
        for (Body* branch : {&choice->then_, &choice->else_}) body(*branch);
      } else {
        nest_.push_back({});
        walk_parts(s, [&](Body& inner) { body(inner); });
        nest_.pop_back();
      }
      out.push_back(std::move(item));
    }
    b.stms = std::move(out);
  }

 private:
  struct Level { Dim width = i64_atom(0); VarSet counters = {}; };        // of a loop: without counters
  Program& p_;
  PassContext& c_;
  Definitions definitions_;
  std::vector<Level> nest_;
  VarMap<uint64_t> varies_;                                   // bit d: with the map at depth d

  uint64_t bit(size_t depth) const { return depth < 64 ? uint64_t(1) << depth : 0; }
  Level level_of(const Screma& x) {
    Level level{x.width, {}};
    for (size_t k = 0; k < x.inputs.size(); k++) {
      const Var element = x.pre.params[k].var;
      varies_[element] = bit(nest_.size()) | varies_[x.inputs[k]];
      auto iota = definitions_.get<Iota>(x.inputs[k]);
      if (iota && is_const(iota->start, 0) && is_const(iota->step, 1) && elem_of(p_.type(element)) == Scalar::I64) level.counters.insert(element);
    }
    return level;
  }
  uint64_t varies_with(const Stm& s) {
    uint64_t with = 0;
    each_use(p_, s, [&](Var v) { with |= varies_[v]; });
    for (Bind y : s.pattern) varies_[y.var] = with;
    return with;
  }
  bool is_triangle(const If& x) {
    if (nest_.size() < 2 || nest_.size() > 64) return false;
    const Level &rows = nest_[nest_.size() - 2], &columns = nest_.back();
    auto cond = var_of(x.cond);
    auto compared = cond ? definitions_.get<Apply>(*cond) : nullptr;
    if (!compared || (compared->op != ScalarOp::lt && compared->op != ScalarOp::le) || rows.width != columns.width) return false;
    auto a = var_of(compared->args[0]), b = var_of(compared->args[1]);
    return a && b && ((rows.counters.contains(*a) && columns.counters.contains(*b)) || (rows.counters.contains(*b) && columns.counters.contains(*a)));
  }

  // Sums of products and the like, which cannot fail.
  static bool is_sum(const Program& p, const Screma& x) {
    if (!identity_post(x) || x.reduces.empty() || !x.scans.empty() || !x.post_reduces.empty() || x.pre.body.result.size() != width_of(x.reduces)) return false;
    bool plain = true;
    for (const Combine& op : x.reduces) plain = plain && op.shape.empty();
    walk_parts(x, [&](const Body& b) {
      for (const Stm& s : b.stms) {
        auto op = std::get_if<Apply>(&s.exp);
        const bool divides = op && !is_float(elem_of(p.type(s.pattern[0].var))) && is_division(op->op);
        plain = plain && is_step(s.exp) && s.checks.empty() && !divides && !(op && is_call(op->op));
      }
    });
    return plain;
  }
  static bool is_division(ScalarOp op) { return op == ScalarOp::div || op == ScalarOp::mod || op == ScalarOp::quot || op == ScalarOp::rem; }
  // A row that a counter chooses, or the row of an array that is there for each of them.
  bool chooses(const Index& x) const {
    const std::vector<Dim> shape = shape_of(p_.type(x.array));
    for (size_t d = 0; d < x.at.size(); d++) {
      auto at = std::get_if<Atom>(&x.at[d]);
      auto v = at ? var_of(*at) : nullptr;
      if (!v || std::none_of(nest_.end() - 2, nest_.end(), [&](const Level& l) { return l.counters.contains(*v) && l.width == shape[d]; })) return false;
    }
    return true;
  }
  void take_sums(Body& branch, List<Stm>& out) {
    const uint64_t row = bit(nest_.size() - 2), column = bit(nest_.size() - 1);
    VarSet moved;
    for (const Stm& s : branch.stms) {
      const uint64_t with = varies_with(s);
      auto x = std::get_if<Screma>(&s.exp);
      if (!x || !is_sum(p_, *x) || (with & (row | column)) != (row | column)) continue;
      VarSet needed = {};
      bool fine = s.checks.empty() && !(var_of(x->width) && varies_[*var_of(x->width)] & (row | column));
      for (Var v : x->inputs) fine = fine && (varies_[v] & (row | column)) != (row | column);
      each_use(p_, s, [&](Var v) { needed.insert(v); });
      for (const Stm& before : reversed(branch.stms)) {
        if (std::ranges::none_of(before.pattern, [&](Bind y) { return needed.contains(y.var); }) || &before == &s) continue;
        auto read = std::get_if<Index>(&before.exp);
        fine = fine && before.checks.empty() && ((read && chooses(*read)) || std::holds_alternative<Permute>(before.exp));
        each_use(p_, before, [&](Var v) { needed.insert(v); });
      }
      if (!fine || !c_.allow()) continue;
      c_.stats.count("masked_sums");
      for (Bind y : s.pattern) moved.insert(y.var);
      for (const Stm& before : branch.stms)
        for (Bind y : before.pattern) if (needed.contains(y.var)) moved.insert(y.var);
    }
    List<Stm> rest;
    for (auto& item : branch.stms.take()) {
      const bool moves = std::ranges::any_of(item->pattern, [&](Bind y) { return moved.contains(y.var); });
      (moves ? out : rest).push_back(std::move(item));
    }
    branch.stms = std::move(rest);
  }
};

}  // namespace

void masked_sums(Program& program, PassContext& context) {
  MaskedSums pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
