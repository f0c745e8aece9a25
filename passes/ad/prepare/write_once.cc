// write_once.cc - the proof for write_once.h: a write and a read, or two writes, of the same place.
//
// An index is known in a dimension if it is a sum of multiples of loop indices, constants and what no iteration changes. Where a
// write at iteration J and an access at iteration I have the same place, such a dimension says how far apart J and I are in one
// loop, or how far at most. From the outermost loop inwards the first distance that is not zero decides which comes first; a
// dimension that is not known says nothing. This is what ISL would be asked for here, and needs no set of points
// (docs/decisions/011-places-written-once.md).
#include "passes/ad/prepare/write_once.h"

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
  std::vector<std::pair<const If*, bool>> branches;  // around it
  Var value = {};                                  // what a read gives
};

class Places {
 public:
  Places(const Program& p, const For& loop) : p_(p), loop_(loop) {
    each_bind(loop, [&](Var v) { inside_.insert(v); });
    each_stm(loop.body, [&](const Stm& s) { for (Bind x : s.pattern) made_[x.var] = &s; });
  }
  // Follows the array through the body; false if anything but reads and updates of places happens to it.
  bool collect(size_t state) { return around(loop_, state); }
  // What reads find: what is there in the end, or what was there before the loop. None if some place is written twice, or some
  // read is neither.
  std::optional<std::vector<Var>> once() const {
    for (size_t w = 0; w < accesses_.size(); w++)
      for (size_t a = w; a < accesses_.size(); a++)
        if (accesses_[w].writes && accesses_[a].writes && !(w == a ? distinct(accesses_[w]) : apart(accesses_[w], accesses_[a]))) return {};
    std::vector<Var> old;
    for (size_t r = 0; r < accesses_.size(); r++) {
      if (accesses_[r].writes) continue;
      bool late = true, early = true;
      for (size_t w = 0; w < accesses_.size(); w++) {
        if (!accesses_[w].writes) continue;
        late = late && before(w, r);
        early = early && behind(w, r);
      }
      if (!late && !early) return {};
      if (!late) old.push_back(accesses_[r].value);
    }
    return old;
  }

 private:
  const Program& p_;
  const For& loop_;
  VarSet inside_, loop_indices_;
  std::unordered_map<Var, const Stm*> made_;
  std::vector<const For*> loops_;
  std::vector<std::pair<const If*, bool>> branches_;
  std::vector<Access> accesses_;                   // in the order of one iteration of the loops around

  bool around(const For& loop, size_t state) {
    loop_indices_.insert(loop.i.var);
    loops_.push_back(&loop);
    bool followed = versions(loop.body, loop.state[state].var, [&](Var last) { return loop.body.result[state] == Atom(last); }).has_value();
    loops_.pop_back();
    return followed;
  }
  // The last version of the array in the body. No version is used behind the statement that makes the next one of it, and none
  // leaves the body but the last, once, where `leaves` says.
  template <class F> std::optional<Var> versions(const Body& body, Var now, F leaves) {
    VarSet old;
    for (const Stm& s : body.stms) {
      bool uses = false, late = false;
      each_use(p_, s, [&](Var v) {
        uses = uses || v == now;
        late = late || old.contains(v);
      });
      if (late) return {};
      if (!uses) continue;
      auto next = version(s, now);
      if (next && !*next) return {};
      if (!next && !reads(s, now)) return {};
      if (!next || **next == now) continue;
      old.insert(now);
      now = **next;
    }
    if (!leaves(now)) return {};
    size_t out = 0;
    for (const Atom& a : body.result)
      if (auto v = var_of(a)) {
        out += *v == now;
        if (old.contains(*v)) return {};
      }
    return out <= 1 ? std::optional(now) : std::nullopt;
  }
  // The version that s makes of the array; an empty one if it makes it in a way that is not followed; none if it makes none.
  std::optional<std::optional<Var>> version(const Stm& s, Var now) {
    if (auto x = std::get_if<Update>(&s.exp); x && x->array == now) {
      if (x->value == Atom(now)) return std::optional<Var>{};
      access(true, x->at, {});
      return std::optional(s.pattern[0].var);
    }
    if (auto x = std::get_if<Copy>(&s.exp)) return std::optional(x->array == now ? std::optional(s.pattern[0].var) : std::nullopt);
    if (auto x = std::get_if<Identity>(&s.exp)) return std::optional(x->value == Atom(now) ? std::optional(s.pattern[0].var) : std::nullopt);
    if (auto x = std::get_if<If>(&s.exp)) return branch(s, *x, now);
    auto f = std::get_if<For>(&s.exp);
    if (f && (has_attr(s.attrs, "blocks") || has_attr(s.attrs, "checkpoint"))) return std::optional<Var>{};
    if (!f || std::ranges::count(f->init, Atom(now)) != 1) return {};
    size_t k = size_t(std::ranges::find(f->init, Atom(now)) - f->init.begin());
    bool free = false;
    each_use(p_, f->body, [&](Var v) { free = free || v == now; });
    if (free) return std::optional<Var>{};
    return std::optional(around(*f, k) ? std::optional(s.pattern[k].var) : std::nullopt);
  }
  // A branch that does nothing leaves the version that there was. Both may only read.
  std::optional<Var> branch(const Stm& s, const If& x, Var now) {
    std::vector<Var> last;
    for (bool taken : {true, false}) {
      branches_.emplace_back(&x, taken);
      auto followed = versions(taken ? x.then_ : x.else_, now, [](Var) { return true; });
      branches_.pop_back();
      if (!followed) return {};
      last.push_back(*followed);
    }
    std::optional<Var> out = last[0] == now && last[1] == now ? std::optional(now) : std::nullopt;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      bool then_ = x.then_.result[k] == Atom(last[0]), else_ = x.else_.result[k] == Atom(last[1]);
      if (then_ != else_) return {};
      if (then_) out = s.pattern[k].var;
    }
    return out;
  }
  // Reads of single places and rows, also deeper in s.
  bool reads(const Stm& s, Var now) {
    if (auto x = std::get_if<Index>(&s.exp); x && x->array == now) {
      access(false, x->at, s.pattern[0].var);
      return true;
    }
    if (auto f = std::get_if<For>(&s.exp)) {
      if (std::ranges::count(f->init, Atom(now)) + std::ranges::count(f->body.result, Atom(now)) > 0) return false;
      loop_indices_.insert(f->i.var);
      loops_.push_back(f);
      bool all = true;
      for (const Stm& inner : f->body.stms) all = all && reads(inner, now);
      loops_.pop_back();
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
  void access(bool writes, const std::vector<Selector>& at, Var value) {
    Access a{writes, {}, loops_, branches_, value};
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
      if (!x || !y || x->of_loops.size() > 1) continue;
      bool alike = x->of_others == y->of_others && x->of_loops.size() == y->of_loops.size();
      i64 apart = y->constant - x->constant;
      if (x->of_loops.empty()) {
        out.never = out.never || (alike && apart != 0);
        continue;
      }
      auto [written, factor] = *x->of_loops.begin();
      auto loop = std::ranges::find_if(w.loops, [&](const For* f) { return f->i.var == written; });
      size_t k = size_t(loop - w.loops.begin());
      if (k >= common) continue;
      if (alike && *y->of_loops.begin() == *x->of_loops.begin()) {
        bool same = apart % factor == 0 && (!out.exactly[k] || *out.exactly[k] == apart / factor);
        out.never = out.never || !same;
        out.exactly[k] = apart / factor;
      } else if (std::abs(factor) == 1) {
        auto difference = sum(*y, *x, -1);
        if (auto ahead = difference ? sum({}, *difference, factor) : std::nullopt)   // J - I, had both the same index of this loop
          if (auto most = largest(*ahead, a, *loop)) out.at_most[k] = *most;
      }
    }
    return out;
  }
  // The largest value of x for all iterations of the loops inside of `of` that are around the access.
  std::optional<i64> largest(Affine x, const Access& a, const For* of) const {
    for (const For* f : reversed(a.loops)) {
      auto term = x.of_loops.find(f->i.var);
      if (term == x.of_loops.end()) continue;
      i64 by = term->second;
      x.of_loops.erase(term);
      if (by < 0) continue;                                            // the first iteration
      if (f == of) return {};
      auto n = affine(f->n);
      auto last = n ? sum(x, *n, by) : std::nullopt;                   // of n - 1
      if (!last) return {};
      x = std::move(*last);
      x.constant -= by;
    }
    return x.of_loops.empty() && x.of_others.empty() ? std::optional(x.constant) : std::nullopt;
  }
  // Not in one iteration of the loops around both.
  static bool excluded(const Access& x, const Access& y) {
    for (const auto& [branch, taken] : x.branches)
      for (const auto& [other, taken_there] : y.branches) if (branch == other && taken != taken_there) return true;
    return false;
  }
  // Whether the write is never behind the read of the same place.
  bool before(size_t write, size_t read) const {
    const Access &w = accesses_[write], &r = accesses_[read];
    Distance d = distance(w, r);
    if (d.never) return true;
    for (size_t k = 0; k < d.exactly.size(); k++) {
      if (d.at_most[k] && *d.at_most[k] < 0) return true;
      if (!d.exactly[k]) return false;
      if (*d.exactly[k] != 0) return *d.exactly[k] < 0;
    }
    return write < read || excluded(w, r);
  }
  // Whether it is always behind.
  bool behind(size_t write, size_t read) const {
    const Access &w = accesses_[write], &r = accesses_[read];
    Distance d = distance(w, r);
    if (d.never) return true;
    for (const auto& exactly : d.exactly) {
      if (!exactly) return false;
      if (*exactly != 0) return *exactly > 0;
    }
    return read < write || excluded(w, r);
  }
  // Whether no two iterations of the write have the same place.
  bool distinct(const Access& w) const {
    Distance d = distance(w, w);
    return std::ranges::all_of(d.exactly, [](const auto& x) { return x == 0; });
  }
  // Two writes: in different branches they may have the same place in one iteration.
  bool apart(const Access& w, const Access& a) const {
    Distance d = distance(w, a);
    return d.never || (excluded(w, a) && std::ranges::all_of(d.exactly, [](const auto& x) { return x == 0; }));
  }
};

}  // namespace

std::optional<WrittenOnce> written_once(const Program& p, const For& loop, size_t state) {
  Places places(p, loop);
  if (!places.collect(state)) return {};
  if (auto before = places.once()) return WrittenOnce{false, std::move(*before)};
  bool asserted = has_attr(p.vars[loop.state[state].var.index].attrs, "true_dep");
  return asserted ? std::optional(WrittenOnce{true, {}}) : std::nullopt;
}

void mark_reads(Program& p, const std::vector<Var>& before, Var in_the_end) {
  for (Var read : before) p.vars[read.index].attrs.push_back({"before", {i64(in_the_end.index)}});
}

void without_updates(const Program& p, Stm& s, Finished& arrays) {
  auto found = [&](const Atom& a) {
    auto v = var_of(a);
    return v ? arrays.find(*v) : arrays.end();
  };
  auto name = [&](const Atom& a) {
    auto of = found(a);
    if (of == arrays.end()) return;
    arrays.insert_or_assign(s.pattern[0].var, Old(of->second));
    s.exp = Identity{a};
  };
  if (auto update = std::get_if<Update>(&s.exp)) return name(update->array);
  if (auto copy = std::get_if<Copy>(&s.exp)) return name(copy->array);
  if (auto same = std::get_if<Identity>(&s.exp)) return name(same->value);
  if (auto read = std::get_if<Index>(&s.exp)) {
    auto of = found(read->array);
    if (of == arrays.end()) return;
    for (const Attr& a : p.vars[s.pattern[0].var.index].attrs)
      if (a.name == "before" && a.args[0] == i64(of->second.in_the_end.index)) read->array = of->second.before;
    return;
  }
  auto loop = std::get_if<For>(&s.exp);
  for (size_t k = 0; loop && k < loop->state.size(); k++) {
    auto of = found(loop->init[k]);
    if (of == arrays.end()) continue;
    Old old = of->second;
    arrays.insert_or_assign(loop->state[k].var, old);
    arrays.insert_or_assign(s.pattern[k].var, old);
    loop->body.result[k] = loop->state[k].var;
  }
  walk_parts(s, [&](Body& part) { for (Stm& inner : part.stms) without_updates(p, inner, arrays); });
  auto branch = std::get_if<If>(&s.exp);
  for (size_t k = 0; branch && k < s.pattern.size(); k++) {
    auto of = found(branch->then_.result[k]);
    if (of != arrays.end() && found(branch->else_.result[k]) != arrays.end()) arrays.insert_or_assign(s.pattern[k].var, Old(of->second));
  }
}

}  // namespace raido::ad
