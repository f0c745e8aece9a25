// rule_control.cc
//
// let ys = if c then A else B                                                       docs/ad.md 6.4
//
//   ws_adj = if c then (A again, its return sweep) else (B again, its return sweep)
//
// ws: the varied variables free in either branch. Arrays are threaded: their adjoints go in and come out, so that a read
// in one branch costs one element. Scalars contribute. Tests: tests/ad/control.fut.
//
// An adjoint that is an Entry or zero in both branches comes out as an Entry. A branch in which it is zero returns that there is no
// such element. Tests: tests/ad/elements.fut.
//
// Rules: if.plain if.swap sparse.pad.
#include <algorithm>
#include <iterator>

#include "passes/ad/activity/common.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {

class BranchReturn {
 public:
  BranchReturn(Scope& scope, const Stm& s, const If& op) : scope_(scope), p_(scope.p), b_(scope.b), seeds_(scope.adjoints.take_results(s)) {
    for (Var v : scope.free_in(op)) (is_array(p_.type(v)) ? arrays_ : scalars_).push_back(v);
    updated_ = free_vars(p_, op);
    std::erase_if(updated_, [&](Var v) { return !scope.versions.owns(v); });
  }
  void emit(const If& op) {
    If both;
    both.cond = op.cond;
    both.then_ = back_through(op.then_);
    both.else_ = back_through(op.else_);
    find_entries();
    owned_.assign(arrays_.size(), true);
    results(both.then_, *branches_[0]);
    results(both.else_, *branches_[1]);
    for (Var v : undone_) {
      both.then_.result.push_back(branches_[0]->versions.current(v));
      both.else_.result.push_back(branches_[1]->versions.current(v));
    }
    if (!both.then_.result.empty()) take_back(b_.bind("adj", std::move(both)));
  }

 private:
  Scope& scope_;
  Program& p_;
  Builder& b_;
  std::vector<Adjoint> seeds_;
  std::vector<Var> arrays_, entries_, scalars_;            // free: arrays whose adjoints are threaded, those with an Entry, scalars
  std::vector<bool> owned_;                                // of arrays_: whether the adjoint that comes out is owned
  std::vector<Var> updated_, undone_;                      // arrays whose updates a branch may undo, and those of which one does
  std::vector<std::unique_ptr<Scope>> branches_;

  Body back_through(const Body& primal) {
    return b_.body([&] {
      Scope& inner = *branches_.emplace_back(std::make_unique<Scope>(scope_, arrays_));
      for (Var v : arrays_) if (scope_.adjoints.may_be_entry(v)) inner.adjoints.allow_entry(v);
      for (Var v : updated_) inner.versions.own(v);
      // A seed that both branches see may be updated in place by neither: one of them returns it untouched.
      std::vector<Adjoint> shared = seeds_;
      for (Adjoint& a : shared) a.owned = false;
      inner.run(scope_.act.clone(primal), shared);
      return std::vector<Atom>{};
    });
  }
  void find_entries() {
    auto is_entry = [&](Var v) {
      size_t found = 0, none = 0;
      for (const auto& inner : branches_) inner->adjoints.entry(v) ? found++ : none += inner->adjoints.is_zero(v);
      return found > 0 && found + none == branches_.size() && scope_.adjoints.may_be_entry(v);
    };
    std::ranges::copy_if(arrays_, std::back_inserter(entries_), is_entry);
    std::erase_if(arrays_, is_entry);
  }
  // What a branch returns: adjoints of arrays, of scalars, entries.
  void results(Body& made, Scope& inner) {
    auto is_seed = [&](const Atom& value) {
      return std::ranges::any_of(seeds_, [&](const Adjoint& a) { return a.is_value() && a.owned && a.value == value; });
    };
    b_.into(made, [&](List<Stm>& stms) {
      b_.emit_all(std::move(stms));
      std::vector<Atom>& out = made.result;
      for (size_t i = 0; i < arrays_.size(); i++) {
        Var v = arrays_[i];
        if (!inner.adjoints.accumulates(v)) inner.adjoints.value(v);                       // both branches must return one
        out.push_back(inner.adjoints.state(v).value);
        owned_[i] = owned_[i] && (inner.adjoints.state(v).owned || is_seed(out.back()));   // here nobody else has the seed now
      }
      for (Var v : scalars_) out.push_back(inner.adjoints.is_zero(v) ? Atom(constant(elem_of(p_, v), 0)) : inner.adjoints.value(v));
      for (Var v : entries_) entry(inner.adjoints.entry(v), row_type(p_.type(v)), out);
      for (Var v : updated_)
        if (inner.versions.current(v) != v && std::ranges::find(undone_, v) == undone_.end()) undone_.push_back(v);
    });
  }
  // Its index, its value, and whether there is one.
  void entry(const Adjoint* e, const Type& row, std::vector<Atom>& out) {
    std::vector<Var> checks = std::exchange(b_.checks, e ? e->checks : std::vector<Var>{});
    Atom at = e ? e->prefix[0] : i64_const(0);
    out.push_back(e && !e->checks.empty() ? Atom(b_.bind1("at", Identity{at})) : at);
    b_.checks = checks;
    out.push_back(e ? as_type(b_, e->value, row) : b_.zero(row));
    out.push_back(!e ? Atom(bool_const(false)) : e->inside ? *e->inside : Atom(bool_const(true)));
  }
  void take_back(const std::vector<Var>& out) {
    auto next = out.begin();
    for (size_t i = 0; i < arrays_.size(); i++, next++) {
      Adjoint& a = scope_.adjoints.state(arrays_[i]);
      a = a.kind == Adjoint::Kind::Acc ? Adjoint::acc(*next) : Adjoint::of(*next, owned_[i]);
    }
    for (Var v : scalars_) scope_.adjoints.add(v, *next++, true);
    for (Var v : entries_) {
      scope_.adjoints.add_element(v, next[0], next[1], Atom(next[2]));
      next += 3;
    }
    for (Var v : undone_) scope_.versions.restore(v, *next++);
  }
};

}  // namespace

void back(Scope& scope, const Stm& s, const If& op) { BranchReturn(scope, s, op).emit(op); }

}  // namespace raido::ad
