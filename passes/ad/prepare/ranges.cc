// ranges.cc - see ranges.h.
//
//   counter i < n          0 .. most(n) - 1
//   x + y, x - y           the ends of both
//   x * y                  the ends of x times a constant; the upper ends of two numbers that are not negative
//   div x c                the ends of x, divided by the positive constant
//   min x y                at most either that is known; max x y, a choice, results of branches: at most both
#include "passes/ad/prepare/ranges.h"

#include <algorithm>

namespace raido::ad {

using namespace ir;

Ranges::Ranges(Builder& b, const Stm& s) : b_(b), p_(b.program) {
  for (Bind x : s.pattern) inside_.insert(x.var);
  each_bind(s.exp, [&](Var v) { inside_.insert(v); });
  look(s);
}

void Ranges::look(const Stm& s) {
  for (size_t k = 0; k < s.pattern.size(); k++) made_.insert_or_assign(s.pattern[k].var, Made{&s, k});
  if (auto loop = std::get_if<For>(&s.exp)) counters_.insert_or_assign(loop->i.var, loop->n);
  if (auto map = std::get_if<Screma>(&s.exp))
    for (size_t k = 0; k < map->inputs.size(); k++)
      if (auto found = made_.find(map->inputs[k]); found != made_.end())
        if (auto range = std::get_if<Iota>(&found->second.by->exp); range && range->start == i64_atom(0) && range->step == i64_atom(1))
          counters_.insert_or_assign(map->pre.params[k].var, map->width);
  walk_parts(s, [&](const Body& part) { for (const Stm& inner : part.stms) look(inner); });
}

bool Ranges::outside(const Atom& a) const { return !var_of(a) || !inside_.contains(*var_of(a)); }

const Apply* Ranges::apply_of(Var v) const {
  auto found = made_.find(v);
  return found == made_.end() ? nullptr : std::get_if<Apply>(&found->second.by->exp);
}
bool Ranges::computed(const Atom& a) const {
  if (outside(a) || counters_.contains(*var_of(a))) return true;
  auto op = apply_of(*var_of(a));
  return op && std::ranges::all_of(op->args, [&](const Atom& x) { return computed(x); });
}

std::optional<Term> Ranges::remember(Known& known, const Atom& a, std::optional<Term> (Ranges::*find)(Var)) {
  if (outside(a)) return b_.term(a);
  if (auto found = known.find(*var_of(a)); found != known.end()) return found->second;
  return known[*var_of(a)] = (this->*find)(*var_of(a));
}
std::optional<Term> Ranges::exactly(const Atom& a) { return remember(exact_, a, &Ranges::find_exactly); }
std::optional<Term> Ranges::most(const Atom& a) { return remember(most_, a, &Ranges::find_most); }
std::optional<Term> Ranges::least(const Atom& a) { return remember(least_, a, &Ranges::find_least); }

std::optional<Term> Ranges::find_exactly(Var v) {
  auto found = made_.find(v);
  if (found == made_.end() || !is_scalar(p_.type(v))) return {};
  return match(found->second.by->exp,
    [&](const Identity& x) { return exactly(x.value); },
    [&](const Convert& x) -> std::optional<Term> {
      auto value = exactly(x.value);
      return value ? std::optional(convert(x.to, *value)) : std::nullopt;
    },
    [&](const Apply& x) -> std::optional<Term> {
      std::vector<Term> args;
      for (const Atom& a : x.args) {
        auto value = exactly(a);
        if (!value) return {};
        args.push_back(*value);
      }
      return ir::apply(x.op, args);
    },
    [](const auto&) { return std::optional<Term>{}; });    // what else gives a number may differ from iteration to iteration
}
bool Ranges::not_negative(const Atom& a) {
  auto low = least(a);
  auto known = low ? const_of(low->atom) : nullptr;
  return known && known->as_i64() >= 0;
}
// One that is known, or both: the smaller one bounds what is at most either.
std::optional<Term> Ranges::either(const Atom& x, const Atom& y, bool upper) {
  auto a = at(x, upper), b = at(y, upper);
  if (a && b) return apply(upper ? ScalarOp::min : ScalarOp::max, {*a, *b});
  return a ? a : b;
}
std::optional<Term> Ranges::end(Var v, bool upper) {
  if (!is_scalar(p_.type(v)) || elem_of(p_.type(v)) != Scalar::I64) return {};
  if (auto size = counters_.find(v); size != counters_.end()) {
    if (!upper) return b_.term(i64_const(0));
    auto n = most(size->second);
    return n ? std::optional(*n - 1) : std::nullopt;
  }
  if (auto same = exactly(v)) return same;
  auto found = made_.find(v);
  if (found == made_.end()) return {};
  auto both = [&](const Atom& x, const Atom& y, ScalarOp further) -> std::optional<Term> {
    auto a = at(x, upper), b = at(y, upper);
    return a && b ? std::optional(apply(further, {*a, *b})) : std::nullopt;
  };
  const ScalarOp further = upper ? ScalarOp::max : ScalarOp::min;
  const Stm& s = *found->second.by;
  if (auto same = std::get_if<Identity>(&s.exp)) return at(same->value, upper);
  if (auto branch = std::get_if<If>(&s.exp)) return both(branch->then_.result[found->second.result], branch->else_.result[found->second.result], further);
  auto op = std::get_if<Apply>(&s.exp);
  if (!op) return {};
  const std::vector<Atom>& args = op->args;
  auto positive = [&](const Atom& a) {
    auto c = const_of(a);
    return c && c->as_i64() > 0 ? std::optional(c->as_i64()) : std::nullopt;
  };
  switch (op->op) {
    case ScalarOp::add: return both(args[0], args[1], ScalarOp::add);
    case ScalarOp::sub: {
      auto x = at(args[0], upper), y = at(args[1], !upper);
      return x && y ? std::optional(*x - *y) : std::nullopt;
    }
    case ScalarOp::mul: {
      for (size_t k : {size_t{0}, size_t{1}})
        if (positive(args[k])) {
          auto x = at(args[1 - k], upper);
          return x ? std::optional(*x * b_.term(args[k])) : std::nullopt;
        }
      if (!not_negative(args[0]) || !not_negative(args[1])) return {};
      return upper ? both(args[0], args[1], ScalarOp::mul) : std::optional(b_.term(i64_const(0)));
    }
    case ScalarOp::div: case ScalarOp::quot: {
      auto x = positive(args[1]) ? at(args[0], upper) : std::nullopt;
      return x ? std::optional(apply(op->op, {*x, b_.term(args[1])})) : std::nullopt;
    }
    case ScalarOp::mod: {
      auto y = positive(args[1]);
      return y ? std::optional(b_.term(i64_const(upper ? *y - 1 : 0))) : std::nullopt;
    }
    case ScalarOp::min: return upper ? either(args[0], args[1], true) : both(args[0], args[1], ScalarOp::min);
    case ScalarOp::max: return upper ? both(args[0], args[1], ScalarOp::max) : either(args[0], args[1], false);
    case ScalarOp::select: return both(args[1], args[2], further);
    default: return {};                                    // an operation without a rule: not known
  }
}

}  // namespace raido::ad
