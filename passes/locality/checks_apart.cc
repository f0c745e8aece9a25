// checks_apart.cc - rows at places that a program computes, as it looks words up in a table, are checked and copied before a nest uses them.
//
//   map n \i { map m \y { c = assert (i in range); x = index xs [i] checks [c]; .. } ys } is
//     ==>
//   rows = map n \i { c = assert (i in range); x = index xs [i] checks [c]; in x } is
//   map n \i x { map m \y { .. } ys } [is, rows]
//
// The second nest cannot fail, so it may become tiles (tiles.cc). A check that the inner maps do not change is one of their surroundings, where
// these maps run at all. The same holds for the checks of an inner map that do not depend on those around it. Only one map may have checks, so
// they keep their order.
#include "passes/locality/checks_apart.h"

#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/transform.h"

namespace raido {
using namespace ir;
namespace {

class CheckedRows {
 public:
  CheckedRows(Program& p, Body& whole) : p_(p), whole_(whole) {}

  std::optional<ChecksApart> run() {
    find(whole_.stms[0], {});
    if (nests_.size() != 1 || !enter(around_) || !divide(*nests_[0])) return {};
    return std::move(made_);
  }

 private:
  Program& p_;
  Body& whole_;
  ChecksApart made_;
  std::vector<Screma*> nests_;                           // the maps that have checks, when these are as far outside as can be
  std::vector<Dim> around_;                              // of the last one: what the maps around it run

  static bool is_check(const Stm& s) { return std::holds_alternative<Assert>(s.exp); }
  static bool has_check(const Stm& s) {
    bool found = is_check(s);
    walk_parts(s, [&](const Body& b) { each_stm(b, [&](const Stm& t) { found = found || is_check(t); }); });
    return found;
  }
  // What may stand in a map of its own: checks, arithmetic and views.
  static bool is_simple(const Stm& s) {
    const bool step = is_step(s.exp) && !std::holds_alternative<Tunable>(s.exp);
    return s.attrs.empty() && (is_check(s) || step || std::holds_alternative<Index>(s.exp) || std::holds_alternative<Permute>(s.exp));
  }
  // False if that is known only inside of the statement.
  bool enter(const std::vector<Dim>& widths) {
    const VarSet inside = bound_in(whole_);
    for (const Dim& n : widths) {
      if (auto v = var_of(n); v && inside.contains(*v)) return false;
      if (std::ranges::find(made_.entered, n) == made_.entered.end()) made_.entered.push_back(n);
    }
    return true;
  }
  // Maps that have checks, in scopes of accumulators or not.
  void find(Stm& s, std::vector<Dim> around) {
    auto map = std::get_if<Screma>(&s.exp);
    auto scope = std::get_if<WithAcc>(&s.exp);
    if (!map && !scope) return;
    Body& b = map ? map->pre.body : scope->scope.body;
    for (size_t k = 0; k < b.stms.size(); k++)
      if (auto inner = std::get_if<Screma>(&b.stms[k].exp); inner && has_check(b.stms[k])) k += lift(b, k, *inner);
    if (map && std::any_of(b.stms.begin(), b.stms.end(), is_check)) {
      nests_.push_back(map);
      around_ = around;
    }
    if (map) around.push_back(map->width);
    for (Stm& inner : b.stms) find(inner, around);
  }
  // What does not change in a map, statement number k of the body, stands before it, if checks are among it. Returns how many statements that are.
  size_t lift(Body& b, size_t k, Screma& map) {
    for (size_t inner = 0; inner < map.pre.body.stms.size(); inner++)
      if (auto x = std::get_if<Screma>(&map.pre.body.stms[inner].exp); x && has_check(map.pre.body.stms[inner])) inner += lift(map.pre.body, inner, *x);
    VarSet changes;
    for (Bind x : map.pre.params) changes.insert(x.var);
    std::vector<bool> stays;
    bool checks = false;
    for (const Stm& s : map.pre.body.stms) {
      stays.push_back(!is_simple(s) || mentions(p_, s, changes));
      if (stays.back()) for (Bind y : s.pattern) changes.insert(y.var);
      checks = checks || (!stays.back() && is_check(s));
    }
    if (!checks || !enter({map.width})) return 0;
    List<Stm> lifted;
    size_t number = 0;
    for (auto& s : map.pre.body.stms.take()) (stays[number++] ? map.pre.body.stms : lifted).push_back(std::move(s));
    const size_t count = lifted.size();
    b.stms.splice(k, std::move(lifted));
    return count;
  }

  bool divide(Screma& nest) {
    Body& b = nest.pre.body;
    VarSet needed;
    std::vector<Var> checks;
    std::vector<bool> before(b.stms.size());
    for (size_t k = b.stms.size(); k-- > 0;) {
      const Stm& s = b.stms[k];
      const bool makes = std::ranges::any_of(s.pattern, [&](Bind y) { return needed.contains(y.var); });
      if (!is_check(s) && !makes && (s.checks.empty() || !is_simple(s))) continue;
      if (!is_simple(s)) return false;
      before[k] = true;
      each_use(p_, s, [&](Var v) { needed.insert(v); });
      if (is_check(s)) checks.push_back(s.pattern[0].var);
    }
    Body first, rest;
    size_t number = 0;
    for (auto& s : b.stms.take()) (before[number++] ? first : rest).stms.push_back(std::move(s));
    each_stm(rest, [&](Stm& s) { std::erase_if(s.checks, [&](Var c) { return std::ranges::count(checks, c) > 0; }); });
    rest.result = b.result;
    VarSet used;
    each_use(p_, rest, [&](Var v) { used.insert(v); });
    std::vector<Bind> values;
    VarSet reached;                                      // what the values are made of: a check that is not there would be dropped
    for (const Stm& s : first.stms)
      for (Bind y : s.pattern) if (used.contains(y.var) && std::ranges::count(checks, y.var) == 0) { values.push_back(y); reached.insert(y.var); }
    for (size_t k = first.stms.size(); k-- > 0;)
      if (std::ranges::any_of(first.stms[k].pattern, [&](Bind y) { return reached.contains(y.var); })) each_use(p_, first.stms[k], [&](Var v) { reached.insert(v); });
    for (Var c : checks) if (!reached.contains(c)) return false;
    b = std::move(rest);
    return make(nest, std::move(first), values);
  }

  // The map before, and what the nest has of it.
  bool make(Screma& nest, Body first, const std::vector<Bind>& values) {
    for (Bind y : values) first.result.push_back(y.var);
    Lambda f;
    std::vector<Var> inputs;
    for (size_t k = 0; k < nest.inputs.size(); k++) {
      if (!mentions(p_, first, nest.pre.params[k].var)) continue;
      inputs.push_back(nest.inputs[k]);
      f.params.push_back(nest.pre.params[k]);
    }
    f.body = std::move(first);
    List<Stm> stms;
    Builder b(p_, stms);
    b.source = whole_.stms[0].source;
    b.checks = whole_.stms[0].checks;
    made_.made = b.map("rows", nest.width, clone(p_, f), inputs);
    const VarSet inside = bound_in(whole_);
    Body alone;
    alone.stms = std::move(stms);
    for (Var v : free_vars(p_, alone)) if (inside.contains(v)) return false;
    for (size_t k = 0; k < values.size(); k++) {
      nest.inputs.push_back(made_.made[k]);
      nest.pre.params.push_back(values[k]);
    }
    whole_.stms.splice(0, std::move(alone.stms));
    return true;
  }
};

}  // namespace

List<Stm> take_fixed_checks(const Program& p, Stm& nest, std::vector<Dim>& entered) {
  const VarSet bound = bound_in(nest.exp);
  auto inside = [&](const Dim& n) { auto v = var_of(n); return v && bound.contains(*v); };
  List<Stm> taken;
  VarSet before;                                         // what they make
  auto take = [&](auto& self, Exp& e, std::vector<Dim> around) -> void {
    auto map = std::get_if<Screma>(&e);
    auto scope = std::get_if<WithAcc>(&e);
    if (!map && !scope) return;
    if (map && inside(map->width)) return;
    if (map) around.push_back(map->width);
    Body& b = map ? map->pre.body : scope->scope.body;
    for (auto& s : b.stms.take()) {
      bool fixed = s->attrs.empty() && (std::holds_alternative<Assert>(s->exp) || (std::holds_alternative<Iota>(s->exp) && !s->checks.empty()));
      each_use(p, *s, [&](Var v) { fixed = fixed && (!bound.contains(v) || before.contains(v)); });
      if (!fixed) self(self, s->exp, around);
      for (const Dim& n : around) if (fixed && std::ranges::find(entered, n) == entered.end()) entered.push_back(n);
      if (fixed) for (Bind y : s->pattern) before.insert(y.var);
      (fixed ? taken : b.stms).push_back(std::move(s));
    }
  };
  take(take, nest.exp, {});
  return taken;
}

std::optional<ChecksApart> take_checks_apart(Program& p, Body& whole) { return CheckedRows(p, whole).run(); }

}  // namespace raido
