// values_after.cc - see values_after.h.
#include "passes/fusion/values_after.h"

#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"

namespace raido {

using namespace ir;

std::vector<const Stm*> maps_of(const Around& around) {
  std::vector<const Stm*> maps;
  for (const Stm* s : around) if (std::holds_alternative<Screma>(s->exp)) maps.push_back(s);
  return maps;
}
std::vector<Dim> widths(const Around& around) {
  std::vector<Dim> out;
  for (const Stm* map : maps_of(around)) out.push_back(std::get<Screma>(map->exp).width);
  return out;
}
std::optional<size_t> result_of(const Body& b, const Atom& a) {
  auto found = std::ranges::find(b.result, a);
  return found == b.result.end() ? std::nullopt : std::optional(size_t(found - b.result.begin()));
}
bool single(const WithAcc& scope) {
  return std::ranges::all_of(scope.dests, [](const Dest& d) { return d.arrays.size() == 1; });
}

ValuesAfter::ValuesAfter(Program& p, const Aliases& aliases, const Forms& forms, Stm& s, For& x)
    : p_(p), aliases_(aliases), forms_(forms), x_(x), inside_(bound_in(s.exp)) {
  for (Var v : free_vars(p_, s.exp)) {
    std::vector<Dim> shape = shape_of(p_.type(v));
    if (!shape.empty() && shape[0] == x_.n) rows_.push_back({shape.begin() + 1, shape.end()});
  }
  if (rows_.empty()) return;
  each_stm(x_.body, [&](const Stm& inner) {
    if (auto read = std::get_if<Index>(&inner.exp); read && outside(read->array) && !read->at.empty())
      if (auto a = std::get_if<Atom>(&read->at[0])) back_ = back_ || forms_.of(*a) == from_last();
  });
  for (size_t k = 0; k < x_.state.size(); k++) places_[x_.state[k].var] = {{}, nullptr, k};
  find(x_.body, {});
}
void ValuesAfter::find(Body& b, const Around& around) {
  for (Stm& s : b.stms) {
    for (size_t k = 0; k < s.pattern.size(); k++) places_[s.pattern[k].var] = {around, &s, k};
    Lambda* f = nullptr;
    if (auto map = std::get_if<Screma>(&s.exp); map && is_map(*map)) f = &map->pre;
    if (auto scope = std::get_if<WithAcc>(&s.exp)) f = &scope->scope;
    if (!f) continue;
    Around inner = around;
    inner.push_back(&s);
    for (size_t k = 0; k < f->params.size(); k++) places_[f->params[k].var] = {inner, nullptr, k};
    find(f->body, inner);
  }
}

Atom ValuesAfter::fail(Point& at) { at.failed = true; return i64_const(0); }
Atom ValuesAfter::iteration(Point& at) {
  if (!back_) return at.row;
  return (at.b.term(x_.n) - 1 - at.b.term(at.row)).atom;
}
bool ValuesAfter::smaller(std::vector<Dim> dims, const Point& at) {
  std::erase_if(dims, [](const Dim& d) { return is_const(d, 1); });
  return dims.size() < at.dims.size() && has_dims(at.dims, dims);
}
std::optional<int64_t> ValuesAfter::like_rows(std::vector<Dim> dims) const {
  int64_t factor = 1;
  std::erase_if(dims, [&](const Dim& d) { auto c = const_of(d); if (c) factor *= c->as_i64(); return c != nullptr; });
  return std::ranges::any_of(rows_, [&](const auto& row) { return has_dims(row, dims); }) ? std::optional(factor) : std::nullopt;
}
bool ValuesAfter::fits(const std::vector<Dim>& dims) const {
  auto all = like_rows(dims);
  for (const Kept& kept : needed.kept) if (all) *all += *like_rows(row_of(kept));
  return all && *all <= costs::records_of_state && needed.kept.size() < costs::records_of_loop;
}
std::vector<Dim> ValuesAfter::row_of(const Kept& kept) const {
  std::vector<Dim> shape = shape_of(p_.type(kept.array));
  return {shape.begin() + 1, shape.end()};
}
bool ValuesAfter::available(const Atom& a) const {
  auto v = var_of(a);
  if (!v || outside(a) || *v == x_.i.var) return true;
  auto found = places_.find(*v);
  if (found == places_.end()) return false;
  const Place& place = found->second;
  if (!place.made) {
    if (place.around.empty()) return false;
    auto map = std::get_if<Screma>(&place.around.back()->exp);
    return map && available(map->inputs[place.number]);
  }
  if (!place.made->checks.empty()) return false;
  return match(place.made->exp, [&](const Identity& x) { return available(x.value); }, [&](const Convert& x) { return available(x.value); },
      [&](const Apply& x) { return !is_call(x.op) && std::ranges::all_of(x.args, [&](const Atom& y) { return available(y); }); },
      [&](const Index& x) {
        return available(x.array) && std::ranges::all_of(x.at, [&](const Selector& y) { auto i = std::get_if<Atom>(&y); return i && available(*i); });
      },
      [&](const Iota& x) { return available(x.start) && available(x.step); }, [&](const Replicate& x) { return available(x.value); },
      [&](const Permute& x) { return available(x.array); }, [&](const Copy& x) { return available(x.array); }, [](const auto&) { return false; });
}
Atom ValuesAfter::scalar(Point& at, const Atom& a) {
  auto v = var_of(a);
  if (!v || outside(a)) return a;
  if (auto found = at.known.find(*v); found != at.known.end()) return found->second;
  Atom made = made_scalar(at, *v);
  if (at.failed) made = constant(elem_of(p_.type(*v)), 0);     // what is still made of it has its type
  at.known.emplace(*v, made);
  return made;
}
Atom ValuesAfter::made_scalar(Point& at, Var v) {
  if (v == x_.i.var) return iteration(at);
  if (back_ && forms_.of(v) == from_last()) return at.row;
  auto found = places_.find(v);
  if (found == places_.end()) return fail(at);
  const Place& place = found->second;
  if (!place.made) {
    if (place.around.empty()) return keep(at, v, {});
    auto map = std::get_if<Screma>(&place.around.back()->exp);
    auto counter = at.counter.find(place.around.back());
    return map && counter != at.counter.end() ? element(at, map->inputs[place.number], {counter->second}) : fail(at);
  }
  const Stm& s = *place.made;
  if (auto kept = kept_result(at, v, place)) return *kept;
  const bool there = available(v), innermost = maps_of(place.around).size() >= at.dims.size();
  if (!there && !innermost && !of_one(s)) return keep(at, v, {});
  if (!s.checks.empty()) return fail(at);
  return match(s.exp, [&](const Identity& x) { return scalar(at, x.value); },
      [&](const Convert& x) {
        Atom from = scalar(at, x.value);
        return Atom(at.b.bind1(p_.hint(v), Convert{x.to, from}));
      },
      [&](const Apply& x) {
        if (is_call(x.op)) return fail(at);
        std::vector<Atom> args;
        for (const Atom& y : x.args) args.push_back(scalar(at, y));
        return Atom(at.b.bind1(p_.hint(v), Apply{x.op, args}));
      },
      [&](const Index& x) { return read_part(at, x, {}); }, [&](const auto&) { return fail(at); });
}
bool ValuesAfter::of_one(const Stm& s) const {
  auto x = std::get_if<Apply>(&s.exp);
  if (!x || is_call(x->op)) return false;
  std::vector<Var> needed;
  for (const Atom& a : x->args) if (!available(a) && std::ranges::find(needed, *var_of(a)) == needed.end()) needed.push_back(*var_of(a));
  auto place = needed.size() == 1 ? places_.find(needed[0]) : places_.end();
  return place != places_.end() && (!place->second.made || of_one(*place->second.made));
}
std::optional<Atom> ValuesAfter::kept_result(Point& at, Var v, const Place& place) {
  if (place.around.empty()) return {};
  auto all = result_around(v);
  auto counter = at.counter.find(place.around.back());
  return all && counter != at.counter.end() && is_kept(*all) ? std::optional(keep(at, *all, {counter->second})) : std::nullopt;
}
std::optional<Var> ValuesAfter::result_around(Var v) const {
  const Around& around = places_.at(v).around;
  if (around.empty()) return {};
  auto map = std::get_if<Screma>(&around.back()->exp);
  auto scope = std::get_if<WithAcc>(&around.back()->exp);
  auto r = map ? result_of(map->pre.body, v) : single(*scope) ? result_of(scope->scope.body, v) : std::nullopt;
  return r ? std::optional(around.back()->pattern[*r].var) : std::nullopt;
}
bool ValuesAfter::is_kept(Var v) const {
  for (auto all = result_around(v); all; all = result_around(v)) v = *all;
  return std::ranges::find(needed.kept, v, &Kept::value) != needed.kept.end();
}
Atom ValuesAfter::read_part(Point& at, const Index& x, const std::vector<Atom>& inner) {
  std::vector<Atom> all;
  for (const Selector& sel : x.at) {
    auto a = std::get_if<Atom>(&sel);
    if (!a) return fail(at);
    all.push_back(scalar(at, *a));
  }
  all.insert(all.end(), inner.begin(), inner.end());
  return element(at, x.array, all);
}
Atom ValuesAfter::element(Point& at, Var array, const std::vector<Atom>& index) {
  if (outside(array)) return forms_.counts(array) ? index[0] : read(at, array, index);
  auto found = places_.find(array);
  if (found == places_.end()) return fail(at);
  const Place& place = found->second;
  if (!place.made) {
    if (place.around.empty()) return keep(at, array, index);
    auto map = std::get_if<Screma>(&place.around.back()->exp);
    auto counter = at.counter.find(place.around.back());
    if (!map || counter == at.counter.end()) return fail(at);
    std::vector<Atom> all = {counter->second};
    all.insert(all.end(), index.begin(), index.end());
    return element(at, map->inputs[place.number], all);
  }
  const Stm& s = *place.made;
  if (available(array)) {
    if (auto x = std::get_if<Iota>(&s.exp)) {
      Atom step = scalar(at, x->step), start = scalar(at, x->start);
      return (at.b.term(start) + at.b.term(step) * ir::convert(elem_of(p_.type(array)), at.b.term(index[0]))).atom;
    }
    if (auto x = std::get_if<Permute>(&s.exp); x && index.size() == x->dims.size()) {
      std::vector<Atom> all(index.size());
      for (size_t d = 0; d < all.size(); d++) all[size_t(x->dims[d])] = index[d];
      return element(at, x->array, all);
    }
    if (auto x = std::get_if<Replicate>(&s.exp)) {
      const std::vector<Atom> inner(index.begin() + isize(x->shape), index.end());
      return inner.empty() ? scalar(at, x->value) : element(at, *var_of(x->value), inner);
    }
    if (auto x = std::get_if<Copy>(&s.exp)) return element(at, x->array, index);
    if (auto x = std::get_if<Index>(&s.exp)) return read_part(at, *x, index);
    return fail(at);
  }
  if (!s.checks.empty()) return fail(at);
  std::vector<Dim> dims = widths(place.around);
  for (const Dim& d : shape_of(p_.type(array))) dims.push_back(d);
  if (smaller(dims, at) || is_kept(array)) return keep(at, array, index);
  if (auto x = std::get_if<Index>(&s.exp)) return read_part(at, *x, index);
  if (auto scope = std::get_if<WithAcc>(&s.exp); scope && single(*scope) && place.number >= scope->dests.size()) {
    auto inner = var_of(scope->scope.body.result[place.number]);
    return inner ? element(at, *inner, index) : fail(at);
  }
  auto map = std::get_if<Screma>(&s.exp);
  if (!map || !is_map(*map) || index.size() != shape_of(p_.type(array)).size()) return fail(at);
  if (auto known = at.counter.find(&s); known != at.counter.end() && known->second != index[0]) return fail(at);
  at.counter[&s] = index[0];
  const Atom& result = map->pre.body.result[place.number];
  if (index.size() == 1) return scalar(at, result);
  return element(at, *var_of(result), {index.begin() + 1, index.end()});
}
Atom ValuesAfter::keep(Point& at, Var v, std::vector<Atom> index) {
  while (auto all = result_around(v)) {                  // all of these are there already
    if (std::holds_alternative<Screma>(places_.at(v).around.back()->exp)) {
      auto counter = at.counter.find(places_.at(v).around.back());
      if (counter == at.counter.end()) return fail(at);
      index.insert(index.begin(), counter->second);
    }
    v = *all;
  }
  const Place& place = places_.at(v);
  const Around& around = place.around;
  if (auto map = place.made ? std::get_if<Screma>(&place.made->exp) : nullptr; map && is_map(*map))
    v = place.made->pattern[*result_of(map->pre.body, map->pre.body.result[place.number])].var;   // of several results that are the same the first
  std::vector<Dim> dims = widths(around), own = shape_of(p_.type(v));
  dims.insert(dims.end(), own.begin(), own.end());
  if (!std::ranges::all_of(dims, [&](const Dim& d) { return outside(d); }) || !(is_array(p_.type(v)) || is_scalar(p_.type(v)))) return fail(at);
  auto found = std::ranges::find(needed.kept, v, &Kept::value);
  if (found == needed.kept.end()) {
    if (at.along || !smaller(dims, at) || !fits(dims)) return fail(at);
    if (is_array(p_.type(v)) && !around.empty() && may_be_consumed(v)) return fail(at);
    std::vector<Dim> shape = dims;
    shape.insert(shape.begin(), x_.n);
    Var array = p_.fresh(p_.hint(v) + "_rec", array_type(elem_of(p_.type(v)), shape));
    needed.kept.push_back({v, array, around});
    found = needed.kept.end() - 1;
  }
  std::vector<Atom> all = {at.row};
  for (const Stm* map : maps_of(around)) {
    auto counter = at.counter.find(map);
    if (counter == at.counter.end()) return fail(at);
    all.push_back(counter->second);
  }
  all.insert(all.end(), index.begin(), index.end());
  return read(at, found->array, all);
}
bool ValuesAfter::may_be_consumed(Var v) const {
  return std::ranges::any_of(aliases_.roots(v), [&](Var root) { return aliases_.consumes(root); });
}
Atom ValuesAfter::read(Point& at, Var array, std::vector<Atom> index) {
  const std::vector<Dim> shape = shape_of(p_.type(array));
  if (index.size() != shape.size()) return fail(at);
  const bool kept = std::ranges::find(needed.kept, array, &Kept::array) != needed.kept.end();
  auto varies = [&](Var counter) { return std::ranges::find(index, Atom(counter)) != index.end(); };
  if (!(kept && at.along) && std::ranges::all_of(at.counters, varies)) return fail(at);
  if (at.both && index[0] == at.row) {
    if (index.size() < 2 || index[1] != Atom(at.counters[1]) || shape[0] != x_.n || shape[1] != at.dims[0]) return fail(at);
    auto found = std::ranges::find(needed.views, array, &std::pair<Var, Var>::first);
    if (found == needed.views.end()) {
      needed.views.push_back({array, p_.fresh(p_.hint(array), p_.type(array))});   // its type waits for the product of the sizes
      found = needed.views.end() - 1;
    }
    array = found->second;
    index.erase(index.begin());
    index[0] = *at.both;
    std::vector<Dim> rest(shape.begin() + 1, shape.end());
    rest[0] = both();
    p_.vars[array.index].type = array_type(elem_of(p_.type(array)), rest);
  }
  std::vector<Selector> selectors(index.begin(), index.end());
  return at.b.bind1(p_.hint(array), Index{array, selectors});
}
Dim ValuesAfter::both() {
  if (!both_) both_ = p_.fresh("both", scalar_type(Scalar::I64));
  return *both_;
}

}  // namespace raido
