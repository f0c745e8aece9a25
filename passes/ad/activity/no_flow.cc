// no_flow.cc - zeros that say that nothing flows: adjoints of what was not used, tangents of what does not vary.
//
//   let y = sqrt x in if x > 1 then y else 0        at x = 0: y_adj = if x > 1 then r_adj else 0 ; x_adj = inf * y_adj
//
// The branch that was not taken does not use y: its zero says that nothing flows, and must not meet an infinite partial
// derivative. The same holds of an element that nobody read: its place in the adjoint array keeps the zero it began with.
//
//   sqrt (max x 0)                                 at x = -1: the tangent of max is that of the constant, 0 ; y_tan = inf * 0
//
// Forward mode meets the mirror image. Where a choice, a branch or an element is a constant, its tangent is a zero that comes from no
// derivative. So both modes give the same numbers.
//
// The rules mark each product of an adjoint, or a tangent, and a partial derivative (VarInfo::contribution). Two questions about every
// value are answered together, by running through the code until nothing changes. May it be such a zero (`nothing`)? Literal zeros are,
// what is moved or multiplied stays so, and a sum is only if both sides are. May it be something that is not finite though what the
// program was given is (`poles`)? Results of operations that are marked POLE in scalar_ops.def are, unless a bound in their formula keeps
// them away from it. So is what is computed from them. Where both may meet the product becomes
//
//   let x_adj = select (adjoint == 0) 0 (partial * adjoint)
//
// or, where it is differentiated again,
//
//   let x_adj = select (adjoint == 0) (select (isnan (partial * adjoint)) 0 (partial * adjoint)) (partial * adjoint)
//
// whose derivative is that of the product where it is a number. C compilers make vectors of two selects more often than of one with `&&`.
// All other products, most, stay as they are (decision 013).
//
// Rules: scalar.unused scalar.constant.
#include "passes/ad/activity/no_flow.h"

#include <cmath>
#include <set>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/analysis/flow.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/ad/activity/common.h"

namespace raido::ad {

using namespace ir;

namespace {

class NoFlow {
 public:
  NoFlow(Program& p, const std::vector<Var>& nothing, bool enclosed) : p_(p), enclosed_(enclosed) { for (Var v : nothing) nothing_.insert(v); }

  void run(Body& code) {
    made_.add_all(code);
    do {
      changed_ = false;
      body(code);
    } while (changed_);
    guard(code);
  }

 private:
  Program& p_;
  bool enclosed_;
  VarSet nothing_, poles_;
  Definitions made_;
  bool changed_ = false;

  bool nothing(const Atom& a) const {
    if (auto v = var_of(a)) return nothing_.contains(*v);
    const Const& c = *const_of(a);
    return is_float(c.type) && is_zero(c);
  }
  bool pole(const Atom& a) const { auto v = var_of(a); return v && poles_.contains(*v); }

  bool is_pole(const Apply& op) const {
    Scalar type = elem_of(p_, op.args[0]);
    if (!is_float(type) || !has_pole(op.op, type)) return false;
    switch (op.op) {
      case ScalarOp::div: return at_least(op.args[1]) < far;
      case ScalarOp::sqrt: case ScalarOp::rsqrt: case ScalarOp::cbrt:
      case ScalarOp::log: case ScalarOp::log2: case ScalarOp::log10: return at_least(op.args[0]) < far;
      case ScalarOp::log1p: return at_least(op.args[0]) < 0;
      default: return true;
    }
  }
  // A bound that is seen in the formula: 1e-3 + x * x. What is at least `far` is far from the poles at zero.
  static constexpr double far = 1e-30;
  double at_least(const Atom& a, int depth = costs::ad::bound_depth) const {
    constexpr double any = -INFINITY;
    if (auto c = const_of(a)) return is_float(c->type) ? c->as_f64() : any;
    auto made = made_.get<Apply>(a);
    if (!made || depth == 0) return any;
    const Apply& op = *made;
    auto of = [&](size_t i) { return at_least(op.args[i], depth - 1); };
    switch (op.op) {
      case ScalarOp::add: return of(0) + of(1);
      case ScalarOp::mul: return op.args[0] == op.args[1] ? 0 : of(0) >= 0 && of(1) >= 0 ? of(0) * of(1) : any;
      case ScalarOp::sqrt: return of(0) >= 0 ? std::sqrt(of(0)) : any;
      case ScalarOp::max: return std::max(of(0), of(1));
      case ScalarOp::abs: case ScalarOp::exp: case ScalarOp::exp2: return 0;
      default: return any;
    }
  }

  void put(VarSet& set, Var v, bool is) {
    if (!is || set.contains(v)) return;
    set.insert(v);
    changed_ = true;
  }
  void mark_nothing(Var v, bool is) { put(nothing_, v, is); }
  void mark_pole(Var v, bool is) { put(poles_, v, is); }
  void flow(const Atom& from, Var to) {
    mark_nothing(to, nothing(from));
    mark_pole(to, pole(from));
  }
  template <class From> void flow(const std::vector<From>& from, size_t first, const std::vector<Bind>& to, size_t at, size_t n) {
    for (size_t i = 0; i < n; i++) flow(from.at(first + i), to.at(at + i).var);
  }

  void body(const Body& b) {
    for (const Stm& s : b.stms) match(s.exp, [&](const auto& op) { statement(s, op); });
  }

  void statement(const Stm& s, const Apply& op) {
    Var y = s.pattern[0].var;
    bool meets_pole = is_pole(op);
    for (const Atom& x : op.args) meets_pole = meets_pole || pole(x);
    mark_pole(y, meets_pole && is_float_type(p_.type(y)));
    auto at = [&](size_t i) { return nothing(op.args[i]); };
    switch (op.op) {
      case ScalarOp::add: case ScalarOp::sub: return mark_nothing(y, at(0) && at(1));
      case ScalarOp::mul: return mark_nothing(y, p_.vars[y.index].contribution ? at(1) : at(0) || at(1));
      case ScalarOp::neg: case ScalarOp::div: return mark_nothing(y, at(0));
      case ScalarOp::select: return mark_nothing(y, at(1) || at(2));
      default: return;
    }
  }
  void statement(const Stm& s, const Hist& op) {
    flow(op.inputs, 0, op.pre.params, 0, op.inputs.size());
    body(op.pre.body);
    size_t at = 0, out = 0;
    for (const Dest& d : op.dests) at += size_t(d.rank);
    for (const Dest& d : op.dests)
      for (size_t i = 0; i < d.arrays.size(); i++) {
        Var y = s.pattern[out++].var;
        flow(d.arrays[i], y);
        mark_pole(y, pole(op.pre.body.result[at]));
        if (!d.combine) mark_nothing(y, nothing(op.pre.body.result[at]));
        at++;
      }
    for (const Dest& d : op.dests) if (d.combine) operator_of(d);
  }
  // What meets in a place is not followed: both sides of an operator may be anything.
  void operator_of(const Dest& d) {
    for (Bind x : d.combine->op.params) {
      mark_nothing(x.var, is_float_type(p_.type(x.var)));
      mark_pole(x.var, true);
    }
    body(d.combine->op.body);
  }
  // What is added to a place leaves the others as they were; what is written over it may be a zero itself. The token of the
  // accumulator stands for all that comes in.
  void statement(const Stm& s, const WithAcc& op) {
    body(op.scope.body);
    size_t out = 0, accs = op.dests.size();
    for (size_t i = 0; i < accs; i++) {
      const Dest& d = op.dests[i];
      Var token = op.scope.params[i].var;
      for (Var xs : d.arrays) {
        Var y = s.pattern[out++].var;
        flow(xs, y);
        mark_pole(y, pole(token));
        if (!d.combine) mark_nothing(y, nothing(token));
      }
      if (d.combine) operator_of(d);
    }
    flow(op.scope.body.result, accs, s.pattern, out, op.scope.body.result.size() - accs);
  }
  void statement(const Stm&, const AccUpdate& op) {
    Var token = std::get<AccType>(p_.type(op.acc)).token;
    for (const Atom& x : op.values) flow(x, token);
  }
  // A derived function may return zeros of its own.
  void statement(const Stm& s, const Call& op) {
    std::set<uint32_t> seen;
    bool meets_pole = has_pole_inside(op.callee, seen);
    for (const Atom& x : op.args) meets_pole = meets_pole || pole(x);
    for (Bind y : s.pattern) {
      mark_nothing(y.var, is_float_type(p_.type(y.var)));
      mark_pole(y.var, meets_pole);
    }
  }
  bool has_pole_inside(FunId f, std::set<uint32_t>& seen) const {
    bool found = false;
    if (!seen.insert(f.index).second) return found;
    each_stm(p_.functions[f.index].lambda.body, [&](const Stm& s) {
      if (auto call = std::get_if<Call>(&s.exp)) found = found || has_pole_inside(call->callee, seen);
      if (auto op = std::get_if<Apply>(&s.exp)) found = found || is_pole(*op);
    });
    return found;
  }
  void statement(const Stm&, const Iota&) {}
  template <class Op> void statement(const Stm& s, const Op&) {
    each_flow(p_, s, [&](const Atom& from, Var to, Flow how) { if (how != Flow::Steers) flow(from, to); }, [&](const Body& b) { body(b); });
  }

  void guard(Body& code) {
    rewrite(p_, code, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { guard(inner); });
      if (s.pattern.size() != 1 || !std::exchange(p_.vars[s.pattern[0].var.index].contribution, false)) return false;
      Apply product = std::get<Apply>(s.exp);
      if (product.op != ScalarOp::mul) return false;                   // by -1: neg
      const Atom &partial = product.args[0], &by = product.args[1];
      if (!pole(partial) || !nothing(by)) return false;
      Var y = s.pattern[0].var;
      b.checks = s.checks;
      b.emit(std::move(s));
      Term both = b.term(y), zero = b.number(both.scalar(), 0);
      Term none = eq(b.term(by), zero), instead = enclosed_ ? select({apply(ScalarOp::isnan, {both}), zero, both}) : zero;
      Term guarded = select({none, instead, both});
      if (auto v = var_of(guarded.atom)) flow(y, *v);                  // 0, where `by` is
      results.emplace(y, guarded.atom);
      return true;
    });
  }
};

}  // namespace

void guard_no_flow(Program& p, Body& code, const std::vector<Var>& nothing, bool enclosed) { NoFlow(p, nothing, enclosed).run(code); }

}  // namespace raido::ad
