// sizes_loop.cc - the sizes of what a loop carries: each is that of the start, or one that changes from iteration to iteration.
//
// The body is checked with the sizes of the state left open. What it returns says which of them change; if any do, it is checked again with
// these as parameters of the loop.
#include <algorithm>

#include "compiler/check/sizes.h"
#include "compiler/syntax/children.h"

namespace raido::check {

struct Sizes::LoopSizes {
  ast::Expr* e;
  ast::Loop& l;
  TypeRef state, bound_type = {};
  Pairs starts = {}, ends = {};                // each size of the state, beside the same size of the start, and of what the body returns
  std::vector<bool> open = {}, variant = {};   // of these: not said by the pattern; changed by the body
  size_t trail = 0, diags = 0, slots = 0, assumed = 0;   // from before the body
  Saved saved = {};
  TypeRef body = {};
  std::vector<Binding*> bound = {}, sizes = {};   // by the body; sizes that change
};

Sizes::Pairs Sizes::beside(TypeRef a, TypeRef b) {
  Pairs out;
  std::function<TypeRef(TypeRef, TypeRef)> go = [&](TypeRef x, TypeRef y) {
    return zip(types, x, y, go, [&](SizeRef s, SizeRef t) { out.emplace_back(s, t); return s; });
  };
  go(a, b);
  return out;
}

TypeRef Sizes::loop_body(LoopSizes& x) {
  x.bound.clear();
  bind_pattern(x.l.state, x.state, x.bound);
  switch (x.l.form) {
    case ast::Loop::Form::While: exp(x.l.bound); break;
    case ast::Loop::Form::For: bind_pattern(x.l.index, x.bound_type, x.bound); break;
    case ast::Loop::Form::ForIn: {
      auto* a = types.as<ArrayType>(x.bound_type);
      bind_pattern(x.l.index, a ? a->elem : types.error(), x.bound);
      break;
    }
  }
  return exp(x.l.body);
}

// Does the size come from outside of the loop, so that what begins it may have it?
bool Sizes::from_outside(SizeRef s, const LoopSizes& x) const {
  s = resolve(s);
  if (types.as<AnySize>(s)) return false;
  if (auto* v = types.as<VarSize>(s))
    return vars_[v->var].level <= x.saved.level && std::ranges::none_of(x.starts, [&](auto& p) { return resolve(p.first) == s; });
  bool outside = true;
  if (auto* e = types.as<ExpSize>(s))
    ast::each_expression(e->exp, [&](const ast::Expr* part) {
      if (auto* h = std::get_if<ast::SizeHole>(&part->node)) outside &= from_outside(h->size, x);
      return outside;
    });
  return outside;
}

// What the start leaves open is what the body makes, if that may be. Of a copied size it is what that starts with.
void Sizes::settle_starts(const LoopSizes& x) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < x.starts.size(); i++) {
      auto* start = types.as<VarSize>(resolve(x.starts[i].second));
      SizeRef end = resolve(x.ends[i].second);
      if (!start || !x.open[i] || vars_[start->var].in_pattern) continue;       // a parameter's size is its caller's
      for (auto& [own, first] : x.starts)
        if (resolve(own) == end) { end = resolve(first); break; }
      if (resolve(x.starts[i].second) == end || !from_outside(end, x) || !fits(end, start->var, vars_[start->var].level)) continue;
      changed |= link(start->var, end);
    }
  }
}

// Checks the body, and finds which sizes it changes.
void Sizes::try_body(LoopSizes& x) {
  size_t n = x.starts.size();
  x.body = loop_body(x);
  x.ends = beside(x.state, x.body);
  x.variant.assign(n, false);
  if (x.ends.size() != n) return;
  settle_starts(x);
  auto copies = [&](size_t i) -> size_t {       // the position whose current size position i gets, or n
    for (size_t j = 0; j < n; j++) if (x.open[j] && same(x.ends[i].second, x.starts[j].first)) return j;
    return n;
  };
  for (size_t i = 0; i < n; i++) {
    if (!x.open[i]) continue;
    bool own = same(x.ends[i].second, x.starts[i].first) || same(x.ends[i].second, x.starts[i].second);
    x.variant[i] = !own && copies(i) == n;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < n; i++) {
      size_t j = x.open[i] && !x.variant[i] ? copies(i) : n;
      if (j == n || j == i || same(x.ends[i].second, x.starts[i].first)) continue;
      if (x.variant[j] || !same(x.starts[i].second, x.starts[j].second)) x.variant[i] = changed = true;
    }
  }
}
bool Sizes::fits_start(const LoopSizes& x) {
  size_t before = mark();
  bool fits = true;
  for (size_t i = 0; i < x.starts.size(); i++) fits = fits && (!x.open[i] || x.variant[i] || unify_size(x.starts[i].first, x.starts[i].second));
  rollback(before);
  return fits;
}

void Sizes::with_fixed_sizes(LoopSizes& x) {
  for (auto [own, start] : x.starts) {
    left_ = {};
    if (unify_size(own, start)) continue;
    c.diags.report(x.l.init->span, err::loop_start, c.show(own), c.show(start));
    assumed_.emplace_back(own, start);
  }
  expect(ast::result_of(x.l.body)->span, x.state, x.body, "in the body of the loop", {}, Place::LoopBody);
}

// Again, with the sizes that vary as parameters of the loop; those that the body needs equal are one.
void Sizes::with_changing_sizes(LoopSizes& x) {
  size_t n = x.starts.size();
  const Pairs& starts = x.starts;
  std::vector<size_t> first(n);
  for (size_t i = 0; i < n; i++) {
    first[i] = i;
    SizeRef now = resolve(starts[i].first);
    for (size_t j = i; j-- > 0;)
      if (x.variant[i] && x.variant[j] && types.as<VarSize>(now) && now == resolve(starts[j].first)) first[i] = first[j];
  }
  std::vector<State> states(n);
  for (size_t i = 0; i < n; i++) {
    if (!x.variant[i]) continue;
    auto from = std::find_if(starts.begin(), starts.end(), [&](auto& s) { return same(x.ends[i].second, s.first); });
    SizeRef end = resolve(from == starts.end() ? x.ends[i].second : from->second);
    states[i] = {nullptr, starts[i].second, types.as<VarSize>(end) ? "" : c.show(end), updated_to(x.ends[i].second, starts[i].first), &x.l};
  }
  undo(x);
  for (size_t i = 0; i < n; i++)
    if (first[i] != i && !unify_size(starts[i].second, starts[first[i]].second)) first[i] = i;
  for (size_t i = 0; i < n; i++) {
    auto* v = types.as<VarSize>(resolve(starts[i].first));
    if (!v || !x.open[i]) continue;
    if (!x.variant[i]) { link(v->var, resolve(starts[i].second)); continue; }
    if (auto* start = types.as<VarSize>(resolve(starts[i].second))) vars_[start->var].changed_by_loop = true;
    vars_[v->var].level = level_;
    if (first[i] != i) {
      link(v->var, resolve(starts[first[i]].first));
      continue;
    }
    SizeRef size = unknown(x.l.state->span, {"a size that changes from iteration to iteration of the loop at {}", {}, x.e->span}, {}, Origin::Loop);
    x.sizes.push_back(types.as<NameSize>(size)->name);
    states[i].size = x.sizes.back();
    states_.push_back(states[i]);
    link(v->var, size);
  }
  x.body = loop_body(x);
  Context::Subst any;
  for (Binding* b : x.sizes) any.sizes[b] = fresh({}, Fresh::Absorbable);
  expect(ast::result_of(x.l.body)->span, c.substitute(x.state, any), x.body, "in the body of the loop", {}, Place::LoopBody);
}

// As if the body had not been checked.
void Sizes::undo(const LoopSizes& x) {
  rollback(x.trail);
  c.diags.rollback(x.diags);
  assumed_.resize(x.assumed);
  slots_.resize(x.slots);
  level_ = x.saved.level + 1;
}

TypeRef Sizes::loop(ast::Expr* e, ast::Loop& l) {
  TypeRef init = exp(l.init);
  TypeRef bound_type = l.form != ast::Loop::Form::While ? exp(l.bound) : TypeRef{};
  LoopSizes x{e, l, c.strip_unique(from_pattern(l.state)), bound_type};
  x.starts = beside(x.state, init);
  auto own = [&](size_t i) { return types.as<VarSize>(resolve(x.starts[i].first)); };
  x.open.resize(x.starts.size());
  std::unordered_set<uint32_t> unknown_type = sizes_of_open(l.init, init, init);
  for (size_t i = 0; i < x.open.size(); i++)
    if (auto* v = own(i)) {
      auto* start = types.as<VarSize>(resolve(x.starts[i].second));
      // Where the type of a parameter was not known yet it is that of the state that it starts, with the sizes.
      if (start && vars_[start->var].in_pattern && retry_.stay_open == StayOpen::Known && unknown_type.count(x.starts[i].second.index)) {
        retry_.met_open = true;
        link(v->var, x.starts[i].second);
        continue;
      }
      x.open[i] = vars_[v->var].loop_state = true;
      // What starts with an open size may not take one that a branch has.
      if (start && stays_open(vars_[start->var])) vars_[v->var].fixed_by_branch = false;
    }
  x.saved = enter_function();
  x.trail = mark(), x.diags = c.diags.mark(), x.slots = slots_.size(), x.assumed = assumed_.size();
  try_body(x);
  if (!fits_start(x)) {
    // A branch may have given a state the size of its other side, which the start has not. Then no branch does.
    undo(x);
    for (size_t i = 0; i < x.open.size(); i++)
      if (auto* v = own(i); v && x.open[i]) vars_[v->var].fixed_by_branch = false;
    try_body(x);
  }
  if (std::find(x.variant.begin(), x.variant.end(), true) != x.variant.end()) with_changing_sizes(x);
  else with_fixed_sizes(x);
  for (Binding* b : x.bound) levels_[b] = nowhere;
  leave_function(x.saved);
  Context::Subst after;
  for (Binding* b : x.sizes) {
    after.sizes[b] = unknown(e->span, {"the unknown size of the result of the loop at {}", {}, e->span});
    levels_[b] = nowhere;
  }
  return leave(c.substitute(x.state, after), x.bound, e->span);
}

}  // namespace raido::check
