// lane_loops.cc - see lane_loops.h.
#include "passes/memory/lane_loops.h"

#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/calling.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/visit.h"

namespace raido {

using namespace ir;

// One loop that might be taken.
class LaneLoops::Candidate {
 public:
  Candidate(const Program& p, Var i, const Dim& n, const Body& body) : p_(p), i_(i), n_(n), body_(body) {}

  bool fits(const For& x) { return states(x) && fits(); }
  // What the iterations of a task make is stored by the task, after everything else.
  bool fits(const Stm& s, const Seg& x) {
    if (x.level != SegLevel::Task || !x.reduces.empty() || !x.scans.empty() || !x.post_reduces.empty() || !x.dests.empty()) return false;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      auto made = std::get_if<ArrayType>(&p_.type(s.pattern[k].var));
      if (!made || !is_scalar(p_.type(x.body.result[k]))) return false;
      stored_.push_back(made);
    }
    return fits();
  }
  const std::vector<const ArrayType*>& stored() const { return stored_; }
  struct Read { const ArrayType* array; bool own; };       // own: at the index of the iteration
  const std::vector<Read>& reads() const { return reads_; }

 private:
  const Program& p_;
  Var i_;
  const Dim& n_;
  const Body& body_;
  size_t last_part_ = 0, last_check_ = 0;      // statements with control structures, checks
  std::vector<const ArrayType*> stored_;
  std::vector<Read> reads_;
  VarSet updates_;                             // what the stores make
  Forms forms_;
  VarSet jumps_;                               // what does not move by a fixed number from lane to lane
  bool loops_ = false, inside_ = false, scalar_ = false;   // scalar_: a loop inside does what has no vectors
  size_t far_ = 0, operations_ = 0;            // in the loops inside

  bool fits() {
    if (auto n = const_of(n_); n && n->as_i64() < costs::cpu::lanes) return false;
    return body(body_, true) && loops_ && !scalar_ && far_ * costs::cpu::operations_for_gather <= operations_;
  }
  size_t place_of(Var v) const {
    size_t k = 0;
    while (k < body_.stms.size() && std::ranges::none_of(body_.stms[k].pattern, [&](Bind b) { return b.var == v; })) k++;
    return k;
  }
  // Each array of the state gets the iteration's own element, after all checks; each number is combined in any order, after all parts.
  bool states(const For& x) {
    for (size_t k = 0; k < body_.stms.size(); k++) {
      Kind kind = kind_of(body_.stms[k].exp);
      if (kind == Kind::Check || kind == Kind::Loop || kind == Kind::Branch) last_part_ = k;
      if (kind == Kind::Check) last_check_ = k;
    }
    size_t number = 0;
    for (size_t k = 0; k < x.state.size(); k++) {
      Var v = x.state[k].var;
      auto r = var_of(body_.result[k]);
      size_t at = r ? place_of(*r) : body_.stms.size();
      if (at == body_.stms.size() || count_uses(p_, body_, v) != 1 || count_uses(p_, body_, *r) != 1) return false;
      const Exp& e = body_.stms[at].exp;
      if (is_scalar(p_.type(v))) {
        if (!x.any_order) return false;
        auto op = std::get_if<Apply>(&e);
        if (!op || op->op != (*x.any_order)[number++] || std::ranges::find(op->args, Atom(v)) == op->args.end() || at <= last_part_) return false;
        continue;
      }
      auto update = std::get_if<Update>(&e);
      if (!update || update->array != v || update->at.size() != 1 || update->at[0] != Selector(Atom(i_)) || update->in_place) return false;
      if (at < last_check_ || !is_scalar(p_.type(update->value))) return false;
      updates_.insert(*r);
      stored_.push_back(&std::get<ArrayType>(p_.type(v)));
    }
    return true;
  }

  bool body(const Body& b, bool top) {
    for (const Stm& s : b.stms) if (!statement(s, top)) return false;
    return true;
  }
  bool statement(const Stm& s, bool top) {
    if (has_attr(s.attrs, "trace")) return false;
    switch (kind_of(s.exp)) {
      case Kind::Step: operation(s); return !std::holds_alternative<Tunable>(s.exp);
      case Kind::View: if (s.pattern.size() == 1 && is_scalar(p_.type(s.pattern[0].var))) operation(s); return true;
      case Kind::Check: return top;
      case Kind::Read: read(s); return true;
      case Kind::Write: return top && s.pattern.size() == 1 && updates_.contains(s.pattern[0].var);
      case Kind::Branch: {
        const If& x = std::get<If>(s.exp);
        for (Bind b : s.pattern) jumps_.insert(b.var);
        return numbers(s.pattern) && body(x.then_, false) && body(x.else_, false);
      }
      case Kind::Loop: return loop(s);
      case Kind::Make: case Kind::Constant: case Kind::Parallel: case Kind::Scope: case Kind::Operator: case Kind::Call: case Kind::Block: return false;
    }
    return false;
  }
  bool numbers(const std::vector<Bind>& bs) const { return std::ranges::all_of(bs, [&](Bind b) { return is_scalar(p_.type(b.var)); }); }
  bool loop(const Stm& s) {
    auto counted = std::get_if<For>(&s.exp);
    auto loop = std::get_if<While>(&s.exp);
    const std::vector<Bind>& state = counted ? counted->state : loop->state;
    if (!numbers(state) || (counted && counted->any_order)) return false;
    for (Bind b : state) jumps_.insert(b.var);
    if (counted && moves(counted->n) != 0) jumps_.insert(counted->i.var);
    if (loop) for (Bind b : loop->cond.params) jumps_.insert(b.var);
    auto n = counted ? const_of(counted->n) : nullptr;
    bool before = std::exchange(inside_, inside_ || !n || n->as_i64() > costs::cpu::unrolled);
    loops_ = loops_ || inside_;
    bool fits = (counted || body(loop->cond.body, false)) && body(counted ? counted->body : loop->body, false);
    inside_ = before;
    return fits;
  }

  std::optional<i64> moves(const Atom& a) const {
    if (const_of(a)) return 0;
    return stride(forms_.of(a), i_, [&](Var v) { return jumps_.contains(v); });
  }
  // Whether processors, or libm, have the operation for several numbers at once.
  bool has_vectors(const Apply& x) const {
    Scalar t = elem_of(p_, x.args[0]);
    switch (x.op) {
      case ScalarOp::div: case ScalarOp::mod: case ScalarOp::quot: case ScalarOp::rem: {
        auto by = is_float(t) ? nullptr : const_of(x.args[1]);
        bool shifts = by && by->as_i64() > 0 && (by->as_i64() & (by->as_i64() - 1)) == 0 && (x.op == ScalarOp::div || x.op == ScalarOp::mod);
        return shifts || (is_float(t) && x.op == ScalarOp::div);
      }
      case ScalarOp::pow: return is_float(t);
      case ScalarOp::lgamma: case ScalarOp::gamma: case ScalarOp::polygamma: case ScalarOp::cbrt: case ScalarOp::log10: case ScalarOp::exp10:
      case ScalarOp::hypot: case ScalarOp::nextafter: case ScalarOp::ldexp: return false;
      default: return true;
    }
  }
  void operation(const Stm& s) {
    operations_ += inside_;
    Var v = s.pattern[0].var;
    forms_.define(p_, s);
    auto op = std::get_if<Apply>(&s.exp);
    if (inside_ && op && !has_vectors(*op)) scalar_ = true;
    bool fixed = op ? std::ranges::all_of(op->args, [&](const Atom& a) { return moves(a) == 0; })
                    : std::holds_alternative<Convert>(s.exp) && moves(std::get<Convert>(s.exp).value) == 0;
    if (!fixed && forms_.of(v) == Affine(v)) jumps_.insert(v);
  }
  void read(const Stm& s) {
    const Index& x = std::get<Index>(s.exp);
    const ArrayType& a = std::get<ArrayType>(p_.type(x.array));
    Var v = s.pattern[0].var;
    reads_.push_back({&a, x.at.size() == 1 && x.at[0] == Selector(Atom(i_))});
    if (!is_scalar(p_.type(v))) return;                   // a view
    std::optional<i64> by = moves(a.place->layout.offset);
    for (size_t d = 0; d < x.at.size(); d++) {
      auto step = moves(std::get<Atom>(x.at[d]));
      auto apart = const_of(a.place->layout.strides[d]);
      if (step == 0) continue;
      by = by && step && apart ? std::optional(*by + *step * apart->as_i64()) : std::nullopt;
    }
    if (by != 0) jumps_.insert(v);
    far_ += inside_ && by != 0 && by != 1;
  }
};

void LaneLoops::find_aliased(const Body& b) {
  auto add = [&](const Atom& a) { if (auto v = var_of(a); v && is_block(p_.type(*v))) aliased_.insert(*v); };
  for (const Stm& s : b.stms) {
    if (!std::holds_alternative<Alloc>(s.exp)) for (Bind v : s.pattern) add(Atom(v.var));
    if (auto x = std::get_if<For>(&s.exp)) std::ranges::for_each(x->init, add);
    if (auto x = std::get_if<While>(&s.exp)) std::ranges::for_each(x->init, add);
    walk_parts(s, [&](const Body& inner) {
      find_aliased(inner);
      std::ranges::for_each(inner.result, add);
    });
    if (auto x = std::get_if<For>(&s.exp)) for (Bind v : x->state) add(Atom(v.var));
    if (auto x = std::get_if<While>(&s.exp)) for (Bind v : x->state) add(Atom(v.var));
  }
}

bool LaneLoops::take(const Stm& s) const {
  auto loop = std::get_if<For>(&s.exp);
  auto task = std::get_if<Seg>(&s.exp);
  if (!loop && (!task || task->index.size() != 1)) return false;
  Candidate c = loop ? Candidate(p_, loop->i.var, loop->n, loop->body) : Candidate(p_, task->index[0].var, task->extent[0], task->body);
  return (loop ? c.fits(*loop) : c.fits(s, *task)) && is_apart(c);
}
bool LaneLoops::is_apart(const Candidate& c) const {
  for (const ArrayType* s : c.stored())
    for (const Candidate::Read& r : c.reads()) {
      bool own = r.own && same_place(*r.array->place, *s->place);
      if (!own && may_be_one(r.array->place->block, s->place->block)) return false;
    }
  return true;
}

}  // namespace raido
