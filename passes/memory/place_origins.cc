// place_origins.cc - see place_origins.h.
#include "passes/memory/place_origins.h"

namespace raido::placement {

Origins::Origins(const Program& p) : p_(p), defs_(p), depths_(p) {
  p.each_body([&](const Body& b) { mark_overwritten(b); });
}

Var Origins::of(const Atom& a, uint32_t depth) {
  Var v = *var_of(a);
  for (;;) {
    const Stm* s = defs_.of(v);
    if (depths_.of(v) < depth || !s) return v;
    auto before = match(s->exp,
      [&](const Update& x) { return std::optional<Atom>(x.array); },
      [&](const Identity& x) { return std::optional<Atom>(x.value); },
      [&](const For&) { return starts_as(*s, v); },
      [&](const While&) { return starts_as(*s, v); },
      [&](const WithAcc&) { return starts_as(*s, v); },
      [&](const Seg&) { return starts_as(*s, v); },
      [&](const If& x) {
        size_t k = number_of(*s, v);
        Var yes = of(x.then_.result[k], depths_.of(v) + 1), no = of(x.else_.result[k], depths_.of(v) + 1);
        return yes == no && depths_.of(yes) <= depths_.of(v) ? std::optional<Atom>(yes) : std::nullopt;
      },
      [&](const auto&) { return std::optional<Atom>(); });   // created here, or a view of something
    if (!before || !is_array(*before)) return v;
    v = *var_of(*before);
  }
}
std::optional<Atom> Origins::starts_as(const Stm& s, Var v) {
  size_t k = number_of(s, v);
  auto start = [&](const auto& x) { return works_in_place(x, k) ? std::optional<Atom>(x.init[k]) : std::nullopt; };
  return match(s.exp,
    [&](const For& x) { return start(x); },
    [&](const While& x) { return start(x); },
    [&](const WithAcc& x) {
      for (const Dest& d : x.dests) {
        if (k < d.arrays.size()) return std::optional<Atom>(d.arrays[k]);
        k -= d.arrays.size();
      }
      return std::optional<Atom>();
    },
    [&](const Seg& x) {
      auto rows = updated_rows(x, k, depths_.of(v));
      return rows ? std::optional<Atom>(*rows) : std::nullopt;
    },
    [&](const auto&) { return std::optional<Atom>(); });   // others have no state
}
std::optional<Var> Origins::updated_rows(const Seg& x, size_t k, uint32_t depth) {
  if (x.level != SegLevel::Grid || k >= x.body.result.size() || !is_array(x.body.result[k])) return {};
  Var row = of(x.body.result[k], depth + 1);
  if (!is_overwritten(row)) return {};
  for (const Stm& s : x.body.stms) {
    auto part = std::get_if<Index>(&s.exp);
    if (!part || s.pattern[0].var != row) continue;
    bool own = std::ranges::equal(part->at, x.index, [](const Selector& at, Bind i) { return at == Selector(Atom(i.var)); });
    return own && depths_.of(part->array) <= depth ? std::optional(part->array) : std::nullopt;
  }
  return {};
}
void Origins::each_origin(const Atom& a, uint32_t depth, const std::function<void(Var)>& f) const {
  VarSet seen;
  auto follow = [&](const Atom& from, auto& self) -> void {
    if (!is_array(from) || seen.contains(*var_of(from))) return;
    Var v = *var_of(from);
    seen.insert(v);
    auto state = defs_.state(v);
    if (depths_.of(v) <= depth || (state && depths_.of(v) == depth + 1)) return f(v);
    auto both = [&](const auto& x, size_t k) { self(x.init[k], self); self(x.body.result[k], self); };
    auto loop = [&](const Exp& e, size_t k) {
      if (auto x = std::get_if<For>(&e)) both(*x, k);
      if (auto x = std::get_if<While>(&e)) both(*x, k);
    };
    if (state) return loop(state->loop->exp, state->number);
    const Stm* s = defs_.of(v);
    if (!s) return;
    if (kind_of(s->exp) == Kind::Loop) return loop(s->exp, number_of(*s, v));
    match(s->exp,
      [&](const If& x) {
        size_t k = number_of(*s, v);
        self(x.then_.result[k], self);
        self(x.else_.result[k], self);
      },
      [&](const Seg& x) {
        size_t k = number_of(*s, v);
        if (k < x.body.result.size()) self(x.body.result[k], self);
      },
      [&](const auto& x) { if (may_alias(s->exp)) each_use(p_, x, [&](Var u) { self(u, self); }); });
  };
  follow(a, follow);
}
bool Origins::creates(Var v) const {
  const Stm* s = defs_.of(v);
  if (!s) return false;
  auto scope = std::get_if<WithAcc>(&s->exp);
  return scope ? number_of(*s, v) >= arrays_of(*scope) : !may_alias(s->exp) || std::holds_alternative<If>(s->exp);
}
std::optional<Atom> Origins::before_reshape(const Atom& a, uint32_t depth) const {
  auto v = var_of(a);
  if (!v || !defs_.of(*v) || depths_.of(*v) < depth) return {};
  auto shaped = defs_.get<Reshape>(*v);
  return shaped ? std::optional<Atom>(shaped->array) : std::nullopt;
}

void Origins::mark_overwritten(const Body& b) {
  each_stm(b, [&](const Stm& s) {
    if (auto x = std::get_if<Update>(&s.exp)) mark_overwritten(x->array);
    if (auto x = std::get_if<WithAcc>(&s.exp)) walk(x->dests, [&](const Dest& d) { for (Var v : d.arrays) mark_overwritten(v); });
    if (auto x = std::get_if<Call>(&s.exp))
      for (size_t k = 0; k < x->args.size(); k++)
        if (p_.functions[x->callee.index].consumes[k]) mark_overwritten(x->args[k]);
  });
}
void Origins::mark_overwritten(const Atom& a) {
  if (!is_array(a) || overwritten_.contains(*var_of(a))) return;
  Var v = *var_of(a);
  overwritten_.insert(v);
  auto loop = [&](const Exp& e, size_t k) {
    auto both = [&](const auto& x) { mark_overwritten(x.init[k]); mark_overwritten(x.body.result[k]); };
    if (auto x = std::get_if<For>(&e)) both(*x);
    if (auto x = std::get_if<While>(&e)) both(*x);
  };
  if (auto state = defs_.state(v)) loop(state->loop->exp, state->number);
  const Stm* s = defs_.of(v);
  if (!s) return;
  match(s->exp,
    [&](const If& x) {
      size_t k = number_of(*s, v);
      mark_overwritten(x.then_.result[k]);
      mark_overwritten(x.else_.result[k]);
    },
    [&](const For&) { loop(s->exp, number_of(*s, v)); },
    [&](const While&) { loop(s->exp, number_of(*s, v)); },
    [&](const Index& x) { mark_overwritten(x.array); },
    [&](const Reshape& x) { mark_overwritten(x.array); },
    [&](const Permute& x) { mark_overwritten(x.array); },
    [&](const Identity& x) { mark_overwritten(x.value); },
    [](const auto&) {});   // everything else makes a new array, or was marked where it updates
}

}  // namespace raido::placement
