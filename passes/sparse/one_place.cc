// one_place.cc - see one_place.h.
#include "passes/sparse/one_place.h"

#include "compiler/ir/types.h"

namespace raido {

using namespace ir;

Places either(Places a, const Places& b) {
  a.nowhere = a.nowhere || b.nowhere;
  for (const Atom& e : b.at) if (std::ranges::find(a.at, e) == a.at.end()) a.at.push_back(e);
  return a;
}
Places common(const Places& a, const Places& b) {
  if (a.nowhere || b.nowhere) return a.nowhere ? b : a;
  Places both;
  for (const Atom& e : a.at) if (b.has(e)) both.at.push_back(e);
  return both;
}

void OnePlace::enter(const Stm& s) {
  auto begins = [&](Bind x, const Atom& with) { if (auto v = var_of(with)) element_of_.insert_or_assign(x.var, *v); };
  if (auto x = std::get_if<Screma>(&s.exp))
    for (size_t k = 0; k < x->inputs.size(); k++) begins(x->pre.params[k], x->inputs[k]);
  if (auto x = std::get_if<For>(&s.exp))
    for (size_t k = 0; k < x->state.size(); k++) if (is_acc(p_.type(x->state[k].var))) begins(x->state[k], x->init[k]);
  if (auto x = std::get_if<WithAcc>(&s.exp))
    for (size_t k = 0; k < x->dests.size(); k++) dests_.insert_or_assign(x->scope.params[k].var, &x->dests[k]);
}
void OnePlace::note(const Stm& s, const Body& around) {
  enter(s);
  made_.add(s);
  for (Bind x : s.pattern) body_of_[x.var] = &around;
  bool visited = std::ranges::any_of(s.pattern, [&](Bind x) { return visited_.contains(x.var); });
  if (!visited) walk_parts(s, [&](const Body& inner) { for (const Stm& each : inner.stms) note(each, inner); });
  auto like = [&](Var array) {
    if (auto found = point_.find(array); found != point_.end()) point_.insert_or_assign(s.pattern[0].var, Atom(found->second));
  };
  match(s.exp,
        [&](const Iota& x) { if (is_const(x.start, 0) && is_const(x.step, 1) && elem_of(p_, x.start) == Scalar::I64) counting_.insert(s.pattern[0].var); },
        [&](const Identity& x) { if (auto v = var_of(x.value)) like(*v); },
        [&](const Copy& x) { like(x.array); },
        [&](const Reshape& x) { if (x.shape[0] == shape_of(p_.type(x.array))[0]) like(x.array); },
        [&](const Permute& x) { if (x.dims[0] == 0) like(x.array); },
        [&](const Update& x) {
          auto e = std::get_if<Atom>(&x.at[0]);
          auto before = point_.find(x.array);
          if (e && (is_zero_outside(x.array) || (before != point_.end() && before->second == *e))) point_.insert_or_assign(s.pattern[0].var, *e);
        },
        [&](const Screma& x) {
          if (!is_plain(x)) return;
          Look look(x);
          for (size_t k = width_of(x.reduces); k < s.pattern.size(); k++) {
            Var y = s.pattern[k].var;
            if (!is_array(p_.type(y))) continue;
            Places places = where(look, x.pre.body.result[k]);
            if (places.at.empty()) continue;
            point_.insert_or_assign(y, places.at[0]);
            if (is_single(look, x.pre.body.result[k])) single_.insert(y);
          }
        },
        [](const auto&) {});
}
bool OnePlace::is_zero_outside(const Atom& a) const {
  if (auto c = const_of(a)) return is_zero(*c);
  auto r = made_.get<Replicate>(a);
  return r && is_zero_outside(r->value);
}

bool OnePlace::is_counter(const Look& look, const Atom& a) const {
  const Var* input = look.input(a);
  return input && counting_.contains(*input);
}
Places OnePlace::where(Look& look, const Atom& a) const {
  if (look.outside(a)) return {is_zero_outside(a)};
  Var v = *var_of(a);
  if (auto found = look.found.find(v); found != look.found.end()) return found->second;
  const Type& type = p_.type(v);
  Places places = is_scalar(type) && elem_of(type) == Scalar::Bool ? condition(look, v, true) : value(look, v);
  look.found.insert_or_assign(v, places);
  return places;
}
Places OnePlace::value(Look& look, Var v) const {
  if (auto input = look.input(v)) {
    auto point = point_.find(*input);
    return point == point_.end() || !look.outside(point->second) ? Places{} : Places{false, {point->second}};
  }
  const Stm* s = made_.of(v);
  if (!s) {
    auto of = element_of_.find(v);
    return of == element_of_.end() ? Places{} : where(look, of->second);
  }
  size_t number = number_of(*s, v);
  auto all = [&](const auto& xs) {
    Places sum{true};
    for (const auto& x : xs) sum = common(sum, where(look, x));
    return sum;
  };
  return match(s->exp,
      [&](const Identity& x) { return where(look, x.value); },
      [&](const Convert& x) { return where(look, x.value); },
      [&](const Apply& x) { return computed(look, x); },
      [&](const If& x) { return branches(look, x.cond, where(look, x.then_.result[number]), where(look, x.else_.result[number])); },
      [&](const For& x) { return states(look, *s, x)[number]; },
      [&](const Replicate& x) { return where(look, x.value); },
      [&](const Reshape& x) { return where(look, x.array); },
      [&](const Permute& x) { return where(look, x.array); },
      [&](const Copy& x) { return where(look, x.array); },
      [&](const Concat& x) { return all(x.arrays); },
      [&](const ArrayLit& x) { return all(x.elements); },
      [&](const Update& x) { return common(where(look, x.array), where(look, x.value)); },
      [&](const Index& x) {
        auto at = std::get_if<Atom>(&x.at[0]);
        auto point = point_.find(x.array);
        if (at && point != point_.end() && look.outside(point->second) && is_counter(look, *at)) return Places{false, {point->second}};
        return where(look, x.array);
      },
      [&](const Screma& x) {
        if (!is_plain(x)) return Places{};
        size_t at = 0;
        for (const Combine& c : x.reduces) {
          at += c.neutral.size();
          if (number < at) return c.neutral.size() == 1 && is_zero_outside(c.neutral[0]) ? where(look, x.pre.body.result[number]) : Places{};
        }
        return where(look, x.pre.body.result[number]);
      },
      [&](const WithAcc& x) {
        size_t of = 0, first = 0;
        while (of < x.dests.size() && first + x.dests[of].arrays.size() <= number) first += x.dests[of++].arrays.size();
        if (of == x.dests.size()) return where(look, x.scope.body.result[number - first + of]);
        return common(where(look, x.dests[of].arrays[number - first]), updates(look, x.scope.body.result[of]));
      },
      [](const auto&) { return Places{}; });
}
Places OnePlace::computed(Look& look, const Apply& x) const {
  bool exact = !is_float(elem_of(p_, x.args[0])) || !strict_;
  auto arg = [&](size_t k) { return where(look, x.args[k]); };
  switch (x.op) {
    case ScalarOp::select: return branches(look, x.args[0], arg(1), arg(2));
    case ScalarOp::neg: case ScalarOp::abs: return arg(0);
    case ScalarOp::mul: return exact ? either(arg(0), arg(1)) : Places{};
    case ScalarOp::div: return exact && is_float(elem_of(p_, x.args[0])) ? arg(0) : Places{};
    case ScalarOp::add: case ScalarOp::sub: case ScalarOp::min: case ScalarOp::max: return common(arg(0), arg(1));
    default: return {};
  }
}
Places OnePlace::branches(Look& look, const Atom& c, const Places& yes, const Places& no) const {
  return common(either(condition(look, c, true), yes), either(condition(look, c, false), no));
}
// Where the condition may be `value`.
Places OnePlace::condition(const Look& look, const Atom& c, bool value) const {
  if (auto k = const_of(c)) return {is_zero(*k) == value};
  auto x = made_.get<Apply>(c);
  if (!x) return {};
  auto part = [&](size_t k, bool as) { return condition(look, x->args[k], as); };
  switch (x->op) {
    case ScalarOp::not_: return part(0, !value);
    case ScalarOp::and_: case ScalarOp::or_:
      return value == (x->op == ScalarOp::and_) ? either(part(0, value), part(1, value)) : common(part(0, value), part(1, value));
    case ScalarOp::eq: case ScalarOp::ne:
      if (value == (x->op == ScalarOp::eq))
        for (size_t k : {0, 1}) if (is_counter(look, x->args[k]) && look.outside(x->args[1 - k])) return {false, {x->args[1 - k]}};
      return {};
    default: return {};
  }
}
// Of the states of a loop: they are what they begin as until something else comes.
std::vector<Places> OnePlace::states(Look& look, const Stm& s, const For& x) const {
  std::vector<Places> now;
  for (const Atom& a : x.init) now.push_back(var_of(a) && is_acc(p_.type(a)) ? Places{} : where(look, a));
  const auto found = look.found;
  for (bool more = true; more;) {
    more = false;
    look.found = found;
    for (size_t k = 0; k < now.size(); k++) look.found.insert_or_assign(x.state[k].var, now[k]);
    for (size_t k = 0; k < now.size(); k++) {
      if (is_acc(p_.type(x.state[k].var))) continue;
      Places next = common(now[k], where(look, x.body.result[k]));
      more = more || next != now[k];
      now[k] = std::move(next);
    }
  }
  for (size_t k = 0; k < now.size(); k++) look.found.insert_or_assign(s.pattern[k].var, now[k]);
  return now;
}
Places OnePlace::updates(Look& look, const Atom& end) const {
  Places all{true};
  for (Var acc = *var_of(end); look.inside.contains(acc) && !look.input(acc);) {
    const Stm* s = made_.of(acc);
    if (!s) {
      auto of = element_of_.find(acc);
      if (of == element_of_.end()) return is_token_inside(look, acc) ? all : Places{};
      acc = of->second;
      continue;
    }
    size_t number = number_of(*s, acc);
    if (auto u = std::get_if<AccUpdate>(&s->exp)) {
      auto dest = dests_.find(std::get<AccType>(p_.type(acc)).token);
      if (dest == dests_.end() || !dest->second->combine) return {};
      for (const Atom& neutral : dest->second->combine->neutral) if (!is_zero_outside(neutral)) return {};
      for (const Atom& v : u->values) all = common(all, where(look, v));
      acc = u->acc;
    } else if (auto x = std::get_if<Screma>(&s->exp)) {
      if (!is_plain(*x)) return {};
      acc = *var_of(x->pre.body.result[number]);
    } else if (auto loop = std::get_if<For>(&s->exp)) {
      acc = *var_of(loop->body.result[number]);
    } else if (auto choice = std::get_if<If>(&s->exp)) {
      return common(all, branches(look, choice->cond, updates(look, choice->then_.result[number]), updates(look, choice->else_.result[number])));
    } else if (auto scope = std::get_if<WithAcc>(&s->exp)) {
      size_t arrays = 0;
      for (const Dest& d : scope->dests) arrays += d.arrays.size();
      acc = *var_of(scope->scope.body.result[number - arrays + scope->dests.size()]);
    } else {
      return {};
    }
  }
  return all;
}
// Whether it is the accumulator that a scope in the body opens.
bool OnePlace::is_token_inside(const Look& look, Var acc) const {
  auto type = std::get_if<AccType>(&p_.type(acc));
  return type && look.inside.contains(type->token);
}
bool OnePlace::is_single(const Look& look, const Atom& a) const {
  auto choice = made_.get<Apply>(a);
  if (choice && choice->op == ScalarOp::select && is_zero_outside(choice->args[2])) {
    Atom v = choice->args[1];
    while (var_of(v) && element_of_.contains(*var_of(v)) && !look.outside(v)) v = element_of_.at(*var_of(v));
    auto same = made_.get<Apply>(choice->args[0]);
    return look.outside(v) && same && same->op == ScalarOp::eq && !condition(look, choice->args[0], true).at.empty();
  }
  auto map = made_.get<Screma>(a);
  return map && is_map(*map) && map->pre.body.result.size() == 1 && is_single(look, map->pre.body.result[0]);
}

}  // namespace raido
