// regions.cc - see regions.h.
#include "passes/products/regions.h"

#include <algorithm>

#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"

namespace raido {
using namespace ir;

Regions::Look& Regions::Look::of(const Atom& other) {
  if (nothing != other) found.clear();
  nothing = other;
  return *this;
}
bool Regions::Look::is_outside(const Affine& l) const { return !any_term(l, [&](Var v) { return inside.contains(v); }); }
Affine Regions::Look::counted(Affine l) const {
  for (size_t k = 1; k < counters.size(); k++) l = with(l, counters[k], Affine(counters[0]));
  return l;
}

Affine Regions::with(const Affine& l, Var v, const Affine& form) {
  Affine sum = l.without(v);
  sum.add(form, l.factor(v));
  return sum;
}
Regions::Region Regions::both(Region a, const Region& b) {
  a.nowhere = a.nowhere || b.nowhere;
  add_new(a.guards, b.guards);
  add_new(a.bounds, b.bounds);
  return a;
}
Regions::Region Regions::where(const Atom& a, Look& look) {
  auto c = const_of(a);
  if (a == look.nothing || (c && look.zero() && is_zero(*c))) return {true};
  auto v = var_of(a);
  if (!v) return {};
  if (auto found = look.found.find(*v); found != look.found.end()) return found->second;
  Region r = look_where(*v, look);
  look.found.insert_or_assign(*v, r);
  return r;
}
Regions::Region Regions::look_where(Var v, Look& look) {
  if (auto band = bands_.find(v); band != bands_.end() && look.zero() && band->second.index.empty()) return {false, {}, band->second.bounds};
  const Stm* s = look.made.of(v);
  if (!s) return {};
  size_t number = number_of(*s, v);
  return match(s->exp,
    [&](const If& x) {
      for (const Body* branch : {&x.then_, &x.else_}) look.made.add(*branch);
      return choice(x.cond, where(x.then_.result[number], look), where(x.else_.result[number], look), look);
    },
    [&](const Identity& x) { return where(x.value, look); },
    [&](const Index& x) { return look.zero() ? element(x, look) : Region{}; },
    [&](const Apply& x) { return computed(x, v, look); },
    [](const auto&) { return Region{}; });
}
Regions::Region Regions::computed(const Apply& x, Var v, Look& look) {
  bool exact = !is_float_type(p_.type(v)) || !context_.options.strict_fp, zero = look.zero();
  auto part = [&](size_t k) { return where(x.args[k], look); };
  if (x.op == ScalarOp::select) return choice(x.args[0], part(1), part(2), look);
  if (x.op == ScalarOp::mul && zero && exact) return both(part(0), part(1));
  if (x.op == ScalarOp::neg && zero) return part(0);
  if ((x.op == ScalarOp::add || x.op == ScalarOp::sub) && zero) return either(part(0), part(1));
  if (x.op == ScalarOp::add && var_of(look.nothing) && exact)       // a sum that is the state of a loop
    for (size_t k : {0, 1})
      if (x.args[k] == look.nothing) {
        Look summand = look;
        return where(x.args[1 - k], summand.of(constant(elem_of(p_.type(v)), 0)));
      }
  return {};
}
Regions::Region Regions::element(const Index& x, const Look& look) const {
  auto band = bands_.find(x.array);
  if (band == bands_.end() || band->second.index.size() > x.at.size()) return {};
  Region r{false, {}, band->second.bounds};
  for (size_t k = 0; k < band->second.index.size(); k++) {
    auto at = std::get_if<Atom>(&x.at[k]);
    auto l = at ? form(*at, look.inside) : std::nullopt;
    Var index = band->second.index[k];
    if (!l) std::erase_if(r.bounds, [&](const Affine& b) { return b.factor(index) != 0; });
    else for (Affine& b : r.bounds) b = with(b, index, *l);
  }
  std::erase_if(r.bounds, [](const Affine& l) { return !l.is_small(); });
  return r;
}
Regions::Region Regions::choice(const Atom& condition, const Region& yes, const Region& no, const Look& look) const {
  return either(both(holds(condition, true, look), yes), both(holds(condition, false, look), no));
}
Regions::Region Regions::either(const Region& a, const Region& b) const {
  if (a.nowhere || b.nowhere) return a.nowhere ? b : a;
  Region r;
  for (const Guard& g : a.guards) if (std::ranges::find(b.guards, g) != b.guards.end()) r.guards.push_back(g);
  for (const Affine& x : a.bounds)
    for (const Affine& y : b.bounds) {
      if (r.bounds.size() == costs::band_bounds) break;
      if (is_nonnegative(x - y)) add_new(r.bounds, {x});
      else if (is_nonnegative(y - x)) add_new(r.bounds, {y});
    }
  return r;
}
Regions::Region Regions::holds(const Atom& condition, bool value, const Look& look) const {
  Region r;
  if (auto c = var_of(condition)) r.guards.push_back({*c, value});
  learn(condition, value, look, r.bounds);
  return r;
}
Regions::Region Regions::updates(Var acc, const std::vector<Bind>& params, Look& look) {
  if (std::ranges::any_of(params, [&](Bind x) { return x.var == acc; })) return {true};
  if (auto found = look.updates.find(acc); found != look.updates.end()) return found->second;
  Region r = look_updates(acc, params, look);
  look.updates.insert_or_assign(acc, r);
  return r;
}
Regions::Region Regions::look_updates(Var acc, const std::vector<Bind>& params, Look& look) {
  const Stm* s = look.made.of(acc);
  if (!s) return {};
  if (auto u = std::get_if<AccUpdate>(&s->exp)) {
    auto dest = dests_.find(std::get<AccType>(p_.type(acc)).token);
    if (dest == dests_.end() || !dest->second->combine || !dest->second->combine->shape.empty()) return {};
    Region r = updates(u->acc, params, look);
    for (size_t k = 0; k < u->values.size(); k++) r = either(r, where(u->values[k], look.of(dest->second->combine->neutral.at(k))));
    return r;
  }
  if (auto x = std::get_if<If>(&s->exp)) {
    for (const Body* branch : {&x->then_, &x->else_}) look.made.add(*branch);
    size_t k = number_of(*s, acc);
    Region yes = updates(*var_of(x->then_.result[k]), params, look), no = updates(*var_of(x->else_.result[k]), params, look);
    return choice(x->cond, yes, no, look);
  }
  return {};
}
std::optional<Affine> Regions::form(const Atom& a, const VarSet& inside) const {
  if (auto l = facts_.form(a)) return l;
  auto v = var_of(a);
  return v && !inside.contains(*v) ? std::optional(Affine(*v)) : std::nullopt;
}
bool Regions::is_nonnegative(const Affine& l) const {
  return !any_term(l, [&](Var v) { return !facts_.form(v); }) && facts_.nonnegative(l);
}
bool Regions::learn(const Atom& condition, bool value, const Look& look, std::vector<Affine>& bounds) const {
  auto x = look.made.get<Apply>(condition);
  if (auto chain = look.made.get<If>(condition); chain && chain->then_.result.size() == 1) {       // a && b, a || b
    for (bool all : {false, true}) {
      auto c = const_of((all ? chain->else_ : chain->then_).result[0]);
      if (!c || bool(c->bits) == all || all != value) continue;
      bool first = learn(chain->cond, value, look, bounds);
      Look branch = look;
      branch.made.add(all ? chain->then_ : chain->else_);
      return learn((all ? chain->then_ : chain->else_).result[0], value, branch, bounds) && first;
    }
    return false;
  }
  if (!x) return false;
  auto fact = [&](const Affine& l) {                   // l >= 0
    if (!l.is_small()) return false;
    bounds.push_back(l);
    return true;
  };
  bool all = true;
  switch (x->op) {
    case ScalarOp::not_: return learn(x->args[0], !value, look, bounds);
    case ScalarOp::and_: case ScalarOp::or_:
      if (value != (x->op == ScalarOp::and_)) return false;
      for (const Atom& part : x->args) all = learn(part, value, look, bounds) && all;
      return all;
    case ScalarOp::lt: case ScalarOp::le: case ScalarOp::eq: case ScalarOp::ne: break;
    default: return false;
  }
  if (elem_of(p_, x->args[0]) != Scalar::I64) return false;
  auto b = form(x->args[1], look.inside);
  const Affine one = 1;
  if (auto abs = look.made.get<Apply>(x->args[0]); abs && value && b) {               // abs d <= b
    if (abs->op == ScalarOp::abs && (x->op == ScalarOp::lt || x->op == ScalarOp::le)) {
      auto inner = facts_.form(abs->args[0]);
      Affine most = x->op == ScalarOp::lt ? *b - one : *b;
      return inner && fact(most - *inner) && fact(most + *inner);
    }
  }
  auto a = form(x->args[0], look.inside);
  if (!a || !b) return false;
  bool equal = x->op == ScalarOp::eq || x->op == ScalarOp::ne;
  if (equal) return value == (x->op == ScalarOp::eq) && fact(*b - *a) && fact(*a - *b);
  Affine strict = x->op == ScalarOp::lt ? one : 0;
  return value ? fact(*b - *a - strict) : fact(*a - *b - (one - strict));
}
std::optional<Regions::Range> Regions::range(const Region& region, const Look& look, const Body& body, const Dim& n) const {
  Range r;
  Var j = look.counters[0];
  auto last = facts_.form(n);
  auto add = [&](const Affine& bound) {                // false: it does not hold in the range
    Affine l = look.counted(bound), rest = l.without(j);
    if (std::abs(l.factor(j)) != 1 || !look.is_outside(rest)) return false;
    if (is_nonnegative(l.factor(j) == 1 ? rest : last ? rest - (*last - 1) : Affine(-1))) return true;
    if (std::ranges::find(r.bounds, l) != r.bounds.end()) return true;
    if (may_fail(body, look, l)) return false;
    r.bounds.push_back(l);
    if (l.factor(j) == 1) r.at_least.push_back(-1 * rest);
    else r.at_most.push_back(rest);
    return true;
  };
  for (const Guard& g : region.guards) {
    std::vector<Affine> bounds;
    bool whole = learn(g.condition, g.value, look, bounds);
    for (const Affine& l : bounds) whole = add(l) && whole;
    if (whole) r.known.push_back(g);
  }
  for (const Affine& l : region.bounds) add(l);
  if (r.bounds.empty()) return {};
  return r;
}
bool Regions::may_fail(const Body& b, const Look& around, const Affine& bound) const {
  Look look = around;
  look.made.add(b);
  bool fails = false;
  for (const Stm& s : b.stms) {
    fails = fails || std::holds_alternative<Assert>(s.exp) || std::holds_alternative<Call>(s.exp);
    auto choice = std::get_if<If>(&s.exp);
    if (!choice) walk_parts(s, [&](const Body& inner) { fails = fails || may_fail(inner, look, bound); });
    for (bool value : {true, false}) {                 // a branch may run only where it is not
      if (fails || !choice) break;
      std::vector<Affine> said;
      learn(choice->cond, value, look, said);
      auto implied = [&](const Affine& x) { return is_nonnegative(bound - look.counted(x)); };
      fails = std::ranges::none_of(said, implied) && may_fail(value ? choice->then_ : choice->else_, look, bound);
    }
  }
  return fails;
}

}  // namespace raido
