// place_bodies.cc - where the results of branches, segs, accumulator scopes and loops lie.
#include "passes/memory/placer.h"

#include <algorithm>
#include <utility>

namespace raido::placement {

// Rewrites results and pattern together: what a value at `k` needs besides itself goes before it.
struct Placer::LiveOuts {
  std::vector<std::vector<Atom>*> results;   // of each path
  std::vector<std::vector<Atom>> made;
  std::vector<Bind> pattern;
  explicit LiveOuts(std::vector<std::vector<Atom>*> paths) : results(std::move(paths)), made(results.size()) {}
  void extra(Var binder, const std::vector<Atom>& values) {
    pattern.push_back({binder});
    for (size_t i = 0; i < values.size(); i++) made[i].push_back(values[i]);
  }
  void value(Bind binder, size_t k) {
    pattern.push_back(binder);
    for (size_t i = 0; i < results.size(); i++) made[i].push_back((*results[i])[k]);
  }
  void finish(std::vector<Bind>& to) {
    for (size_t i = 0; i < results.size(); i++) *results[i] = std::move(made[i]);
    to = std::move(pattern);
  }
};

// The place of a live-out of several paths: what all agree on and is in scope outside stays.
void Placer::place_live_out(LiveOuts& live_outs, Var binder, const std::vector<Place>& paths) {
  auto common = [&](const std::vector<Atom>& atoms, const std::string& hint, const Type& t) -> Atom {
    bool same = !var_of(atoms[0]) || (sizes_.in_scope(atoms[0]) && !sizes_.deeper(atoms[0]));
    for (const Atom& a : atoms) same = same && a == atoms[0];
    if (same) return atoms[0];
    Var v = p_.fresh(hint, t);
    live_outs.extra(v, atoms);
    return v;
  };
  auto all = [&](auto part) {
    std::vector<Atom> atoms;
    for (const Place& q : paths) atoms.push_back(part(q));
    return atoms;
  };
  for (const Place& q : paths) conflicts_.may_have_other_name(q.block);
  Place where;
  where.block = *var_of(common(all([](const Place& q) { return Atom(q.block); }), p_.hint(binder) + "_mem", BlockType{space()}));
  conflicts_.may_have_other_name(where.block);
  where.layout.offset = common(all([](const Place& q) { return q.layout.offset; }), "offset", ScalarType{Scalar::I64});
  for (size_t d = 0; d < array(binder)->shape.size(); d++)
    where.layout.strides.push_back(common(all([d](const Place& q) { return q.layout.strides[d]; }), "stride", ScalarType{Scalar::I64}));
  put(binder, where);
}

void Placer::branch(List<Stm>& out, Candidates& around, size_t number, Stm& s, If& x, uint32_t depth) {
  size_t n = s.pattern.size();
  Places target(n), wanted(n);
  for (size_t k = 0; k < n; k++) {
    Var v = s.pattern[k].var;
    if (!array(v)) continue;
    target[k] = wanted[k] = elided(out, around, v, number);
    if (target[k]) continue;
    Var yes = origins_.of(x.then_.result[k], depth + 1), no = origins_.of(x.else_.result[k], depth + 1);
    auto fresh = [&](Var made) { return origins_.depth(made) > depth && origins_.creates(made); };
    if (yes == no && origins_.depth(yes) <= depth) target[k] = place(yes);
    else if (fresh(yes) && fresh(no) && in_scope(array(v)->shape)) target[k] = wanted[k] = alloc(out, *array(v), p_.hint(v), s.source);
    else if (in_kernel()) {
      if (!in_scope(array(v)->shape)) c_.refuse(s.source, Refusal::DeviceCode, "a branch whose array has a size known only inside");
      target[k] = wanted[k] = alloc(out, *array(v), p_.hint(v), s.source);
    }
  }
  for (Body* b : {&x.then_, &x.else_})
    body(*b, wanted, depth + 1, [](List<Stm>&) {}, [&](List<Stm>& inner) {
      for (size_t k = 0; k < n; k++)
        if (target[k]) b->result[k] = moved_to(inner, b->result[k], *target[k]);
    });
  LiveOuts live_outs({&x.then_.result, &x.else_.result});
  for (size_t k = 0; k < n; k++) {
    Bind b = s.pattern[k];
    if (array(b.var)) {
      if (target[k]) put(b.var, *target[k]);
      else place_live_out(live_outs, b.var, {place(x.then_.result[k]), place(x.else_.result[k])});
    }
    live_outs.value(b, k);
  }
  live_outs.finish(s.pattern);
}

void Placer::with_acc(List<Stm>& out, Candidates& around, size_t number, Stm& s, WithAcc& x, uint32_t depth) {
  size_t arrays = arrays_of(x), accs = x.dests.size(), next = 0;
  for (const Dest& d : x.dests)
    for (Var v : d.arrays) put(s.pattern[next++].var, place(v));
  std::vector<Atom>& results = x.scope.body.result;
  Places wanted(results.size());           // of the further ones
  for (size_t k = arrays; k < s.pattern.size(); k++)
    if (Var v = s.pattern[k].var; array(v)) wanted[k - arrays + accs] = elided(out, around, v, number);
  body(x.scope.body, wanted, depth + 1, [&](List<Stm>&) { bound(x.scope.params); }, [&](List<Stm>& inner) {
    for (size_t k = accs; k < results.size(); k++) if (wanted[k]) results[k] = moved_to(inner, results[k], *wanted[k]);
  });
  LiveOuts live_outs({&results});
  for (size_t k = 0; k < accs; k++) live_outs.made[0].push_back(results[k]);
  for (size_t k = 0; k < arrays; k++) live_outs.pattern.push_back(s.pattern[k]);
  for (size_t k = arrays; k < s.pattern.size(); k++) {
    Bind b = s.pattern[k];
    size_t result = k - arrays + accs;
    if (array(b.var)) place_live_out(live_outs, b.var, {place(results[result])});
    live_outs.value(b, result);
  }
  live_outs.finish(s.pattern);
}

void Placer::seg(List<Stm>& out, Candidates& around, size_t number, Stm& s, Seg& x, uint32_t depth) {
  bool reduces = x.collective || x.level == SegLevel::Tile;
  CHECK((x.reduces.empty() || reduces) && (x.scans.empty() || x.collective || x.level == SegLevel::Simd) && x.post_reduces.empty() && x.dests.empty(), "a seg that is no map reaches `place`");
  for (size_t k = 0; k < s.pattern.size(); k++) {
    Var v = s.pattern[k].var;
    if (!array(v)) continue;
    if (auto whole = origins_.updated_rows(x, k, depth); whole && array(*whole)->place) put(v, place(*whole));
    else created(out, around, number, s, v);
  }
  Places rows(s.pattern.size());
  std::vector<Selector> index;
  for (Bind b : x.index) index.push_back(Atom(b.var));
  seg_++;
  Candidates inner = find_candidates(p_, origins_, x.body, depth + 1);
  sizes_.open(x.body.stms);
  bound(x.index);
  for (size_t k = 0; k < s.pattern.size(); k++) {
    if (!x.scans.empty() || !array(s.pattern[k].var) || !array(x.body.result[k])) continue;   // what a collective scan makes are scalars
    Place whole = place(s.pattern[k].var);
    rows[k] = Place{whole.block, sliced(sizes_, whole.layout, index)};
    want_result(inner, origins_, x.body.result[k], *rows[k], depth + 1);
  }
  for (size_t k = 0; k < inner.stms.size(); k++) statement(x.body.stms, inner, k, depth + 1);
  for (size_t k = 0; k < s.pattern.size(); k++)
    if (rows[k]) x.body.result[k] = moved_to(x.body.stms, x.body.result[k], *rows[k]);
  sizes_.close();
  body(x.post.body, {}, depth + 1, [&](List<Stm>&) { bound(x.post.params); }, [](List<Stm>&) {});
  seg_--;
}

// ---- loops ----

void Placer::loop(List<Stm>& out, Stm& s, uint32_t depth) {
  auto either = [&](auto& x) { in_kernel() ? loop_in_kernel(out, s, x, depth) : loop_on_host(out, s, x, depth); };
  if (auto x = std::get_if<For>(&s.exp)) either(*x);
  else either(std::get<While>(s.exp));
}
template <class Loop, class End> void Placer::loop_bodies(Loop& x, uint32_t depth, End end) {
  if constexpr (std::is_same_v<Loop, While>)
    body(x.cond.body, {}, depth + 1, [&](List<Stm>&) { bound(x.cond.params); }, [](List<Stm>&) {});
  auto begin = [&](List<Stm>&) {
    if constexpr (std::is_same_v<Loop, For>) sizes_.bound(x.i.var);
    bound(x.state);
  };
  body(x.body, {}, depth + 1, begin, end);
}

// In device code a block cannot be carried. Such state has a place of its own, and every iteration's result is copied there. The copy
// goes by way of another block if the result lies in the place of some state.
template <class Loop> void Placer::loop_in_kernel(List<Stm>& out, Stm& s, Loop& x, uint32_t depth) {
  size_t n = x.state.size();
  std::vector<bool> copied(n);
  VarSet own;
  for (size_t k = 0; k < n; k++) {
    Var v = x.state[k].var;
    if (!array(v)) continue;
    copied[k] = !origins_.works_in_place(x, k);
    Place where = place(x.init[k]);
    if (copied[k]) {
      if (!in_scope(array(v)->shape)) c_.refuse(s.source, Refusal::DeviceCode, "a loop whose array changes its size");
      where = alloc(out, *array(x.init[k]), p_.hint(v), s.source);
      x.init[k] = copy_to(out, *var_of(x.init[k]), where);
      own.insert(where.block);
    }
    put_state(s, x, k, where);
  }
  loop_bodies(x, depth, [&](List<Stm>& inner) {
    for (size_t k = 0; k < n; k++) {
      Atom& a = x.body.result[k];
      if (copied[k] && own.contains(place(a).block) && a != Atom(x.state[k].var))
        a = copy_to(inner, *var_of(a), alloc(inner, *array(a), p_.hint(*var_of(a)), s.source));
    }
    for (size_t k = 0; k < n; k++)
      if (array(x.body.result[k])) x.body.result[k] = moved_to(inner, x.body.result[k], place(x.state[k].var));
  });
}
template <class Loop> void Placer::put_state(Stm& s, Loop& x, size_t k, const Place& where) {
  put(x.state[k].var, where);
  put(s.pattern[k].var, where);
  if constexpr (std::is_same_v<Loop, While>) put(x.cond.params[k].var, where);
}

// The strides of a carried array that is bound with this shape. The second result says which of them are passed: those of sizes that
// are not in scope here.
std::pair<std::vector<Atom>, Passed> Placer::carried_strides(std::vector<Dim> shape) {
  std::vector<Atom> strides = strides_not_passed(shape);
  Passed what{false, {}};
  bool known = sizes_.in_scope(shape.back());
  for (size_t d = shape.size(); d-- > 2;) {
    known = known && sizes_.in_scope(shape[d - 1]);
    if (known) strides[d - 2] = sizes_.mul(shape[d - 1], strides[d - 1]);
    else what.strides.insert(what.strides.begin(), d - 2);
  }
  return {std::move(strides), std::move(what)};
}

template <class Loop> void Placer::loop_on_host(List<Stm>& out, Stm& s, Loop& x, uint32_t depth) {
  size_t n = x.state.size();
  std::vector<bool> carried(n);
  for (size_t k = 0; k < n; k++) carried[k] = array(x.state[k].var) && !origins_.works_in_place(x, k);
  for (size_t k = 0; k < n; k++) {                         // a block may come round to the next iteration under another name
    if (!carried[k]) continue;
    origins_.each_origin(x.body.result[k], depth, [&](Var v) { if (array(v)->place) may_have_other_name(v); });
  }
  std::vector<Passed> what(n);
  std::vector<Bind> state, pattern, params;
  std::vector<Atom> init;
  for (size_t k = 0; k < n; k++) {
    Var v = x.state[k].var;
    Atom first = x.init[k];
    if (carried[k]) {
      first = canonical(out, first);
      may_have_other_name(first);
      std::vector<Atom> strides;
      std::tie(strides, what[k]) = carried_strides(array(v)->shape);
      each_passed(what[k], place(first), [&](const Atom& a) { init.push_back(a); });
      auto gets = [&](Var binder, std::vector<Bind>& to) {
        std::vector<Atom> own = strides;
        if (own.size() > 1) own[own.size() - 2] = array(binder)->shape.back();
        put(binder, place_of_passed(what[k], own, space(), [&](std::string hint, Type t) {
          to.push_back({p_.fresh(is_block(t) ? p_.hint(v) + "_mem" : hint, t)});
          return to.back().var;
        }));
        may_have_other_name(binder);
      };
      gets(v, state);
      gets(s.pattern[k].var, pattern);
      if constexpr (std::is_same_v<Loop, While>) gets(x.cond.params[k].var, params);
    } else if (array(v)) {
      put_state(s, x, k, place(first));
    }
    state.push_back(x.state[k]);
    pattern.push_back(s.pattern[k]);
    if constexpr (std::is_same_v<Loop, While>) params.push_back(x.cond.params[k]);
    init.push_back(first);
  }
  const std::vector<Bind> before = std::exchange(x.state, std::move(state));
  x.init = std::move(init);
  s.pattern = std::move(pattern);
  if constexpr (std::is_same_v<Loop, While>) x.cond.params = std::move(params);
  loop_bodies(x, depth, [&](List<Stm>& inner) {
    std::vector<Atom> results;
    for (size_t k = 0; k < n; k++) {
      Atom a = x.body.result[k];
      if (carried[k]) {
        a = canonical(inner, a);
        may_have_other_name(a);
        each_passed(what[k], place(a), [&](const Atom& part) { results.push_back(part); });
      } else if (array(a)) {
        a = moved_to(inner, a, place(before[k].var));
      }
      results.push_back(a);
    }
    x.body.result = std::move(results);
  });
}

}  // namespace raido::placement
