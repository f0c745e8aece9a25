// write_once.cc - the proof for write_once.h: a write and a read, or two writes, of the same place.
//
// Let a write at iteration J and an access at iteration I have the same place. Then the forms of their indices say how far J and I
// are apart in each loop, or how far at most (distance, in analysis/affine.h). From the outermost loop inwards the first distance
// that is not zero decides which comes first (docs/decisions/011-places-written-once.md).
#include "passes/ad/prepare/write_once.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/transform.h"

namespace raido::ad {

using namespace ir;

namespace {

struct Use {
  bool writes;
  Access place;
  std::vector<std::pair<const If*, bool>> branches;  // around it
  Var value = {};                                  // what a read gives
};

class Places {
 public:
  Places(const Program& p, const For& loop) : p_(p), loop_(loop) {
    each_bind(loop, [&](Var v) { inside_.insert(v); });
    each_stm(loop.body, [&](const Stm& s) { forms_.define(p, s); });
  }
  // Follows the array through the body; false if anything but reads and updates of places happens to it.
  bool collect(size_t state) { return around(loop_, state); }
  // What reads find: what is there in the end, or what was there before the loop. None if some place is written twice, or some
  // read is neither.
  std::optional<std::vector<Var>> once() const {
    for (size_t w = 0; w < uses_.size(); w++)
      for (size_t a = w; a < uses_.size(); a++)
        if (uses_[w].writes && uses_[a].writes && !(w == a ? distinct(uses_[w]) : apart(uses_[w], uses_[a]))) return {};
    std::vector<Var> old;
    for (size_t r = 0; r < uses_.size(); r++) {
      if (uses_[r].writes) continue;
      bool late = true, early = true;
      for (size_t w = 0; w < uses_.size(); w++) {
        if (!uses_[w].writes) continue;
        late = late && before(w, r);
        early = early && always_after(w, r);
      }
      if (!late && !early) return {};
      if (!late) old.push_back(uses_[r].value);
    }
    return old;
  }

 private:
  const Program& p_;
  const For& loop_;
  VarSet inside_;
  Forms forms_;
  Nest loops_;                                     // around, from the one that is asked about on
  std::vector<std::pair<const If*, bool>> branches_;
  std::vector<Use> uses_;                          // in the order of one iteration of the loops around

  bool around(const For& loop, size_t state) {
    enter(loop);
    bool followed = versions(loop.body, loop.state[state].var, [&](Var last) { return loop.body.result[state] == Atom(last); }).has_value();
    loops_.pop_back();
    return followed;
  }
  // The last version of the array in the body. No version is used after the statement that makes the next one of it. Only the
  // last one leaves the body, once, where `leaves` says.
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
      use(true, x->at, {});
      return std::optional(s.pattern[0].var);
    }
    if (auto x = std::get_if<Copy>(&s.exp)) return std::optional(x->array == now ? std::optional(s.pattern[0].var) : std::nullopt);
    if (auto x = std::get_if<Identity>(&s.exp)) return std::optional(x->value == Atom(now) ? std::optional(s.pattern[0].var) : std::nullopt);
    if (auto x = std::get_if<If>(&s.exp)) return branch(s, *x, now);
    auto f = std::get_if<For>(&s.exp);
    if (f && (f->blocks || f->slots || has_attr(s.attrs, "checkpoint"))) return std::optional<Var>{};
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
      use(false, x->at, s.pattern[0].var);
      return true;
    }
    if (auto f = std::get_if<For>(&s.exp)) {
      if (std::ranges::count(f->init, Atom(now)) + std::ranges::count(f->body.result, Atom(now)) > 0) return false;
      enter(*f);
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
  void enter(const For& loop) { loops_.push_back({loop.i.var, form_in(loops_, inside_, loop.n, forms_)}); }
  void use(bool writes, const std::vector<Selector>& at, Var value) {
    uses_.push_back({writes, access(loops_, inside_, at, forms_), branches_, value});
  }

  // Not in one iteration of the loops around both.
  static bool excluded(const Use& x, const Use& y) {
    for (const auto& [branch, taken] : x.branches)
      for (const auto& [other, taken_there] : y.branches) if (branch == other && taken != taken_there) return true;
    return false;
  }
  // Whether the write is never after the read of the same place.
  bool before(size_t write, size_t read) const {
    const Use &w = uses_[write], &r = uses_[read];
    Distance d = distance(w.place, r.place);
    if (d.never) return true;
    for (size_t k = 0; k < d.exactly.size(); k++) {
      if (d.at_most[k] && *d.at_most[k] < 0) return true;
      if (!d.exactly[k]) return false;
      if (*d.exactly[k] != 0) return *d.exactly[k] < 0;
    }
    return write < read || excluded(w, r);
  }
  // Whether it is always after.
  bool always_after(size_t write, size_t read) const {
    const Use &w = uses_[write], &r = uses_[read];
    Distance d = distance(w.place, r.place);
    if (d.never) return true;
    for (const auto& exactly : d.exactly) {
      if (!exactly) return false;
      if (*exactly != 0) return *exactly > 0;
    }
    return read < write || excluded(w, r);
  }
  // Whether no two iterations of the write have the same place.
  bool distinct(const Use& w) const {
    Distance d = distance(w.place, w.place);
    return std::ranges::all_of(d.exactly, [](const auto& x) { return x == 0; });
  }
  // Two writes: in different branches they may have the same place in one iteration.
  bool apart(const Use& w, const Use& a) const {
    Distance d = distance(w.place, a.place);
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
    const std::vector<Var>& before = p.vars[s.pattern[0].var.index].before;
    if (std::ranges::find(before, of->second.in_the_end) != before.end()) read->array = of->second.before;
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
