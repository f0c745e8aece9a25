// once.cc - the test behind once.h: a write and a read, or two writes, of the same place.
//
// An index is known in a dimension if it is a sum of multiples of loop indices, constants and what no iteration changes. Where a
// write at iteration J and an access at iteration I have the same place, such a dimension says how far apart J and I are in one
// loop, or how far at most. From the outermost loop inwards the first distance that is not zero decides which comes first; a
// dimension that is not known says nothing. This is what ISL would be asked for here, and needs no set of points
// (docs/decisions/011-places-written-once.md).
#include "passes/ad/once.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "compiler/ir/transform.h"

namespace raido::ad {

using namespace ir;

namespace {

struct Affine {
  std::map<Var, i64> of_loops, of_others;          // factors that are not zero: of loop indices, of what no iteration changes
  i64 constant = 0;
};
struct Access {
  bool writes;
  std::vector<std::optional<Affine>> at;           // by dimension; none: not known
  std::vector<const For*> loops;                   // around it, from the one that is asked about on
  std::vector<size_t> places;                      // of the statement that holds it, in the body of each of these
};

class Places {
 public:
  Places(const Program& p, const For& loop) : p_(p), loop_(loop) {
    each_bind(loop, [&](Var v) { inside_.insert(v); });
    each_stm(loop.body, [&](const Stm& s) { for (Bind x : s.pattern) made_[x.var] = &s; });
  }
  // Follows the array through the body; false if anything but reads and updates of places happens to it.
  bool collect(size_t state) {
    loops_.push_back(&loop_);
    places_.push_back(0);
    return versions(loop_, state);
  }
  bool once() const {
    for (const Access& w : accesses_) {
      if (!w.writes) continue;
      for (const Access& a : accesses_)
        if (&a == &w ? !distinct(w) : a.writes ? !apart(w, a) : !before(w, a)) return false;
    }
    return true;
  }

 private:
  const Program& p_;
  const For& loop_;
  VarSet inside_, loop_indices_;
  std::unordered_map<Var, const Stm*> made_;
  std::vector<const For*> loops_;
  std::vector<size_t> places_;
  std::vector<Access> accesses_;

  bool versions(const For& loop, size_t state) {
    loop_indices_.insert(loop.i.var);
    Var now = loop.state[state].var;
    for (size_t k = 0; k < loop.body.stms.size(); k++) {
      const Stm& s = loop.body.stms[k];
      bool uses = false;
      each_use(p_, s, [&](Var v) { uses = uses || v == now; });
      if (!uses) continue;
      places_.back() = k;
      auto next = version(s, now);
      if (next) {
        if (!*next) return false;
        now = **next;
        // The version before is gone: whoever reads it later would find what the next one wrote.
        continue;
      }
      if (!reads(s, now)) return false;
    }
    return loop.body.result[state] == Atom(now) && unforked(loop, state);
  }
  // The version that s makes of the array; an empty one if it makes it in a way that is not followed; none if it makes none.
  std::optional<std::optional<Var>> version(const Stm& s, Var now) {
    if (auto x = std::get_if<Update>(&s.exp); x && x->array == now) {
      if (x->value == Atom(now)) return std::optional<Var>{};
      access(true, x->at);
      return std::optional(s.pattern[0].var);
    }
    if (auto x = std::get_if<Copy>(&s.exp)) return std::optional(x->array == now ? std::optional(s.pattern[0].var) : std::nullopt);
    if (auto x = std::get_if<Identity>(&s.exp)) return std::optional(x->value == Atom(now) ? std::optional(s.pattern[0].var) : std::nullopt);
    auto f = std::get_if<For>(&s.exp);
    if (f && (has_attr(s.attrs, "blocks") || has_attr(s.attrs, "checkpoint"))) return std::optional<Var>{};
    if (!f || std::ranges::count(f->init, Atom(now)) != 1) return {};
    size_t k = size_t(std::ranges::find(f->init, Atom(now)) - f->init.begin());
    bool free = false;
    each_use(p_, f->body, [&](Var v) { free = free || v == now; });
    if (free) return std::optional<Var>{};
    loops_.push_back(f);
    places_.push_back(0);
    bool followed = versions(*f, k);
    loops_.pop_back();
    places_.pop_back();
    return std::optional(followed ? std::optional(s.pattern[k].var) : std::nullopt);
  }
  // No version is used behind the statement that makes the next one of it.
  bool unforked(const For& loop, size_t state) const {
    Var now = loop.state[state].var;
    bool gone = false;
    VarSet old;
    for (const Stm& s : loop.body.stms) {
      bool late = false;
      each_use(p_, s, [&](Var v) { late = late || old.contains(v); });
      if (late) return false;
      auto source = [&]() -> std::optional<Var> {
        if (auto x = std::get_if<Update>(&s.exp); x && x->array == now) return s.pattern[0].var;
        if (auto x = std::get_if<Copy>(&s.exp); x && x->array == now) return s.pattern[0].var;
        if (auto x = std::get_if<Identity>(&s.exp); x && x->value == Atom(now)) return s.pattern[0].var;
        if (auto f = std::get_if<For>(&s.exp))
          for (size_t k = 0; k < f->init.size(); k++) if (f->init[k] == Atom(now)) return s.pattern[k].var;
        return {};
      }();
      if (!source) continue;
      old.insert(now);
      now = *source;
    }
    for (size_t k = 0; k < loop.body.result.size(); k++)
      if (k != state) if (auto v = var_of(loop.body.result[k])) gone = gone || old.contains(*v) || *v == now;
    return !gone;
  }
  // Reads of single places and rows, also deeper in s.
  bool reads(const Stm& s, Var now) {
    if (auto x = std::get_if<Index>(&s.exp); x && x->array == now) {
      access(false, x->at);
      return true;
    }
    if (auto f = std::get_if<For>(&s.exp)) {
      if (std::ranges::count(f->init, Atom(now)) + std::ranges::count(f->body.result, Atom(now)) > 0) return false;
      loop_indices_.insert(f->i.var);
      loops_.push_back(f);
      places_.push_back(0);
      bool all = true;
      for (const Stm& inner : f->body.stms) {
        all = all && reads(inner, now);
        places_.back()++;
      }
      loops_.pop_back();
      places_.pop_back();
      return all;
    }
    bool here = false, deeper = true;
    each_use(p_, s, [&](Var v) { here = here || v == now; });
    if (!here) return true;
    size_t uses = 0, found = 0;
    each_use(p_, s, [&](Var v) { uses += v == now; });
    walk_parts(s, [&](const Body& part) {
      for (const Stm& inner : part.stms) deeper = reads(inner, now) && deeper;
      each_use(p_, part, [&](Var v) { found += v == now; });
      each_use(p_, part.result, [&](Var v) { deeper = deeper && v != now; });
    });
    return deeper && found == uses;
  }
  void access(bool writes, const std::vector<Selector>& at) {
    Access a{writes, {}, loops_, places_};
    for (const Selector& x : at) {
      auto one = std::get_if<Atom>(&x);
      a.at.push_back(one ? affine(*one) : std::nullopt);
    }
    accesses_.push_back(std::move(a));
  }

  std::optional<Affine> affine(const Atom& a, int depth = 0) const {
    if (auto c = const_of(a)) return is_float(c->type) ? std::nullopt : std::optional(Affine{{}, {}, c->as_i64()});
    Var v = *var_of(a);
    if (loop_indices_.contains(v)) return Affine{{{v, 1}}, {}, 0};
    if (!inside_.contains(v)) return Affine{{}, {{v, 1}}, 0};
    auto by = made_.find(v);
    if (by == made_.end() || depth > 8) return {};
    if (auto x = std::get_if<Identity>(&by->second->exp)) return affine(x->value, depth + 1);
    auto x = std::get_if<Apply>(&by->second->exp);
    if (x && x->op == ScalarOp::neg) {
      auto inner = affine(x->args[0], depth + 1);
      return inner ? sum({}, *inner, -1) : std::nullopt;
    }
    if (!x || x->args.size() != 2) return {};
    auto l = affine(x->args[0], depth + 1), r = affine(x->args[1], depth + 1);
    if (!l || !r) return {};
    auto is_number = [](const Affine& f) { return f.of_loops.empty() && f.of_others.empty(); };
    if (x->op == ScalarOp::add) return sum(*l, *r, 1);
    if (x->op == ScalarOp::sub) return sum(*l, *r, -1);
    if (x->op == ScalarOp::mul && is_number(*l)) return sum({}, *r, l->constant);
    if (x->op == ScalarOp::mul && is_number(*r)) return sum({}, *l, r->constant);
    return {};
  }
  // Small numbers only: nothing overflows.
  static std::optional<Affine> sum(Affine x, const Affine& y, i64 factor) {
    constexpr i64 most = i64(1) << 24;
    bool small = std::abs(factor) <= most;
    auto add = [&](i64& to, i64 by) {
      small = small && std::abs(by) <= most;
      if (small) to += by * factor;
      small = small && std::abs(to) <= most;
    };
    add(x.constant, y.constant);
    for (auto [mine, its] : {std::pair{&x.of_loops, &y.of_loops}, {&x.of_others, &y.of_others}})
      for (auto [v, by] : *its) {
        add((*mine)[v], by);
        if ((*mine)[v] == 0) mine->erase(v);
      }
    return small ? std::optional(std::move(x)) : std::nullopt;
  }

  // How far J, an iteration of the write, is from I, one of the other access, where both have the same place.
  struct Distance {
    bool never = false;
    std::vector<std::optional<i64>> exactly, at_most;                  // by loop that is around both
  };
  Distance distance(const Access& w, const Access& a) const {
    size_t common = 0;
    while (common < w.loops.size() && common < a.loops.size() && w.loops[common] == a.loops[common]) common++;
    Distance out{false, std::vector<std::optional<i64>>(common), std::vector<std::optional<i64>>(common)};
    for (size_t d = 0; d < std::min(w.at.size(), a.at.size()); d++) {
      const auto &x = w.at[d], &y = a.at[d];
      if (!x || !y || x->of_others != y->of_others || x->of_loops.size() != y->of_loops.size() || x->of_loops.size() > 1) continue;
      i64 apart = y->constant - x->constant;
      if (x->of_loops.empty()) {
        out.never = out.never || apart != 0;
        continue;
      }
      auto [written, factor] = *x->of_loops.begin();
      auto [other, its_factor] = *y->of_loops.begin();
      if (factor != its_factor) continue;
      auto loop = std::ranges::find_if(w.loops, [&](const For* f) { return f->i.var == written; });
      size_t k = size_t(loop - w.loops.begin());
      if (k >= common) continue;
      if (written == other) {
        bool same = apart % factor == 0 && (!out.exactly[k] || *out.exactly[k] == apart / factor);
        out.never = out.never || !same;
        out.exactly[k] = apart / factor;
      } else if (factor == 1) {                                        // the index of another loop, which ends in time
        auto of = std::ranges::find_if(a.loops, [&](const For* f) { return f->i.var == other; });
        auto n = of == a.loops.end() ? std::nullopt : affine((*of)->n);
        if (n && n->of_others.empty() && n->of_loops == std::map<Var, i64>{{written, 1}}) out.at_most[k] = n->constant - 1 + apart;
      }
    }
    return out;
  }
  // Whether the write is never behind the read of the same place.
  bool before(const Access& w, const Access& r) const {
    Distance d = distance(w, r);
    if (d.never) return true;
    for (size_t k = 0; k < d.exactly.size(); k++) {
      if (d.at_most[k] && *d.at_most[k] < 0) return true;
      if (!d.exactly[k]) return false;
      if (*d.exactly[k] != 0) return *d.exactly[k] < 0;
    }
    size_t last = d.exactly.size() - 1;
    return w.places[last] < r.places[last];
  }
  // Whether no two iterations of the write have the same place.
  bool distinct(const Access& w) const {
    Distance d = distance(w, w);
    return std::ranges::all_of(d.exactly, [](const auto& x) { return x == 0; });
  }
  bool apart(const Access& w, const Access& a) const { return distance(w, a).never; }
};

}  // namespace

Once how_once(const Program& p, const For& loop, size_t state) {
  Places places(p, loop);
  if (!places.collect(state)) return Once::Unknown;
  if (places.once()) return Once::Proved;
  return has_attr(p.vars[loop.state[state].var.index].attrs, "true_dep") ? Once::Asserted : Once::Unknown;
}
bool written_once(const Program& p, const For& loop, size_t state) { return how_once(p, loop, state) != Once::Unknown; }

void without_updates(Stm& s, VarSet& arrays) {
  auto name = [&](Atom a) {
    auto v = var_of(a);
    if (!v || !arrays.contains(*v)) return;
    arrays.insert(s.pattern[0].var);
    s.exp = Identity{a};
  };
  if (auto update = std::get_if<Update>(&s.exp)) return name(update->array);
  if (auto copy = std::get_if<Copy>(&s.exp)) return name(copy->array);
  if (auto same = std::get_if<Identity>(&s.exp)) return name(same->value);
  auto loop = std::get_if<For>(&s.exp);
  if (!loop) return;
  for (size_t k = 0; k < loop->state.size(); k++) {
    auto v = var_of(loop->init[k]);
    if (!v || !arrays.contains(*v)) continue;
    arrays.insert(loop->state[k].var);
    arrays.insert(s.pattern[k].var);
    loop->body.result[k] = loop->state[k].var;
  }
  for (Stm& inner : loop->body.stms) without_updates(inner, arrays);
}

}  // namespace raido::ad
