// explain_loops.cc - the forms of loops as loop_shape has marked them, and the movement of each access along the loop.
//
// A number moves along a loop if its value differs from one iteration to the next: by a constant, by an amount that is not known but always
// the same, or anyhow. The place of an access moves as the sum of its indices does, each times the stride of its dimension.
#include "compiler/driver/explain_loops.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <unordered_map>

#include "compiler/base/text.h"
#include "compiler/driver/explain_sizes.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"

namespace raido {
namespace {

using namespace ir;

struct Movement {
  enum Kind { By, Evenly, Anyhow } kind = By;           // by a constant; by the same amount each time; neither
  i64 by = 0;

  bool still() const { return kind == By && by == 0; }
};
Movement operator+(Movement a, Movement b) {
  if (a.kind == Movement::By && b.kind == Movement::By) return {Movement::By, a.by + b.by};
  return {std::max(a.kind, b.kind), 0};
}
Movement operator*(i64 k, Movement m) { return {m.kind, m.by * k}; }
// Times a number that is not known.
Movement scaled(Movement m, Movement factor) {
  if (m.still() && factor.still()) return {};
  if (!m.still() && !factor.still()) return {Movement::Anyhow, 0};
  return {std::max({m.kind, factor.kind, Movement::Evenly}), 0};
}

// The accesses of the iterations of one loop, or of the points of one task.
class Accesses {
 public:
  Accesses(const Program& p, const For& loop) : p_(p) {
    if (loop.group) own_ = loop.group->own;
    moves_[loop.i.var] = {Movement::By, 1};
    for (Bind b : loop.state) moves_[b.var] = {Movement::Anyhow, 0};
    body(loop.body);
  }
  Accesses(const Program& p, const Seg& task) : p_(p) {
    moves_[task.index.back().var] = {Movement::By, 1};
    body(task.body);
  }
  // The trips of a loop inside are not the same in all iterations.
  bool differs(const Body& inner) const { return differs_.contains(&inner); }
  std::string text() const {
    std::vector<std::string> parts;
    for (auto [counts, what] : {std::pair(&reads_, "reads"), {&writes_, "writes"}}) {
      std::vector<std::string> kinds;
      for (size_t k = 0; k < std::size(words); k++) if ((*counts)[k] > 0) kinds.push_back(fmt::format("{} {}", (*counts)[k], words[k]));
      if (!kinds.empty()) parts.push_back(fmt::format("{} {}", what, join(kinds, ", ")));
    }
    return parts.empty() ? "touches no array" : join(parts, "; ");
  }

 private:
  static constexpr std::string_view words[] = {"at one place", "side by side", "apart", "anywhere", "of its own arrays"};
  using Counts = std::array<int, std::size(words)>;
  const Program& p_;
  std::vector<Var> own_;                                 // blocks with a part for each lane
  std::unordered_map<Var, Movement> moves_;              // of what an iteration computes; all else stands still
  Counts reads_ = {}, writes_ = {};
  std::set<const Body*> differs_;

  Movement of(const Atom& a) const {
    const Var* v = var_of(a);
    auto known = v ? moves_.find(*v) : moves_.end();
    return known == moves_.end() ? Movement{} : known->second;
  }
  Movement place(const Lmad& l, const std::vector<Selector>& at) const {
    Movement sum = of(l.offset);
    for (size_t d = 0; d < at.size(); d++) {
      const Atom* index = std::get_if<Atom>(&at[d]);
      Movement m = of(index ? *index : std::get<Slice>(at[d]).start);
      auto stride = const_of(l.strides[d]);
      sum = sum + (stride ? stride->as_i64() * m : scaled(m, of(l.strides[d])));
    }
    return sum;
  }
  bool is_own(Var array) const {
    return std::ranges::find(own_, std::get<ArrayType>(p_.type(array)).place->block) != own_.end();
  }
  size_t word(Var array, Movement m) const {
    if (is_own(array)) return 4;
    return m.kind == Movement::Anyhow ? 3 : m.kind == Movement::Evenly ? 2 : m.by == 0 ? 0 : m.by == 1 || m.by == -1 ? 1 : 2;
  }
  void set(const Stm& s, Movement m) {
    for (Bind b : s.pattern) moves_[b.var] = m;
  }
  Movement of_all(const std::vector<Atom>& args) const {
    bool still = std::ranges::all_of(args, [&](const Atom& a) { return of(a).still(); });
    return still ? Movement{} : Movement{Movement::Anyhow, 0};
  }
  Movement apply(const Apply& x) const {
    if (x.op == ScalarOp::add) return of(x.args[0]) + of(x.args[1]);
    if (x.op == ScalarOp::sub) return of(x.args[0]) + (-1) * of(x.args[1]);
    if (x.op == ScalarOp::neg) return (-1) * of(x.args[0]);
    if (x.op != ScalarOp::mul) return of_all(x.args);
    for (int k : {0, 1}) if (auto c = const_of(x.args[size_t(k)])) return c->as_i64() * of(x.args[size_t(1 - k)]);
    return scaled(of(x.args[0]), of(x.args[1]));
  }
  const Lmad* layout(Var array) const {
    auto t = std::get_if<ArrayType>(&p_.type(array));
    return t && t->place ? &t->place->layout : nullptr;
  }
  void body(const Body& b) { for (const Stm& s : b.stms) statement(s); }
  void statement(const Stm& s) {
    bool integer = s.pattern.size() == 1 && is_scalar(p_.type(s.pattern[0].var)) && is_integer(elem_of(p_.type(s.pattern[0].var)));
    match(s.exp,
      [&](const Apply& x) { set(s, integer ? apply(x) : of_all(x.args)); },
      [&](const Convert& x) { set(s, integer ? of(x.value) : of_all({x.value})); },
      [&](const Identity& x) { set(s, of(x.value)); },
      [&](const Index& x) {
        const Lmad* l = layout(x.array);
        if (!l || !is_scalar(p_.type(s.pattern[0].var))) return;         // the part of an array says itself where it lies
        Movement m = place(*l, x.at);
        reads_[word(x.array, m)]++;
        set(s, m.still() ? m : Movement{Movement::Anyhow, 0});
      },
      [&](const Update& x) {
        if (const Lmad* l = layout(x.array); l && !x.in_place) writes_[word(x.array, place(*l, x.at))]++;
      },
      [&](const ArrayLit& x) {
        auto numbers = std::ranges::count_if(x.elements, [&](const Atom& a) { return !var_of(a) || is_scalar(p_.type(*var_of(a))); });
        if (const Lmad* l = layout(s.pattern[0].var); l && numbers > 0) writes_[word(s.pattern[0].var, of(l->offset))] += int(numbers);
      },
      [&](const For& x) {
        moves_[x.i.var] = of(x.n).still() ? Movement{} : Movement{Movement::Anyhow, 0};
        if (!of(x.n).still()) differs_.insert(&x.body);
        repeated(s, x.state, x.init, x.body, [&] { body(x.body); });
      },
      [&](const While& x) {
        repeated(s, x.state, x.init, x.body, [&] {
          for (size_t k = 0; k < x.state.size(); k++) moves_[x.cond.params[k].var] = moves_[x.state[k].var];
          body(x.cond.body);
          if (!of(x.cond.body.result[0]).still()) differs_.insert(&x.body);
          body(x.body);
        });
      },
      [&](const auto&) {                                                 // of all others nobody knows how their results move
        walk_parts(s, [&](const Body& inner) { body(inner); });
        set(s, {Movement::Anyhow, 0});
      });
  }
  // A state stands still if it begins so and nothing in an iteration moves it, the number of iterations included.
  template <class F> void repeated(const Stm& s, const std::vector<Bind>& state, const std::vector<Atom>& init, const Body& b, F iteration) {
    const Counts reads = reads_, writes = writes_;
    for (size_t k = 0; k < state.size(); k++) moves_[state[k].var] = of(init[k]).still() ? Movement{} : Movement{Movement::Anyhow, 0};
    for (bool changed = true; changed;) {
      changed = false;
      reads_ = reads;
      writes_ = writes;
      iteration();
      for (size_t k = 0; k < state.size(); k++) {
        if (!moves_[state[k].var].still() || (of(b.result[k]).still() && !differs(b))) continue;
        moves_[state[k].var] = {Movement::Anyhow, 0};
        changed = true;
      }
    }
    for (size_t k = 0; k < state.size(); k++) moves_[s.pattern[k].var] = moves_[state[k].var];
  }
};

class Loops {
 public:
  explicit Loops(const Program& p) : p_(p), made_(p), sizes_(p, made_) {}
  std::string text() {
    for (const Function& f : p_.functions) {
      size_t before = out_.size();
      body(f.lambda.body, 1, nullptr);
      if (out_.size() > before) out_.insert(before, f.name + "\n");
    }
    return out_.empty() ? "no loops\n" : out_;
  }

 private:
  const Program& p_;
  Definitions made_;
  explain_ad::SizeTexts sizes_;
  std::string out_;

  void say(int depth, const std::string& text) { out_ += std::string(size_t(2 * depth), ' ') + text + "\n"; }
  std::string place(Source at) const {
    while (at.valid() && p_.sources[at.index].file.starts_with("/prelude") && p_.sources[at.index].caller.valid()) at = p_.sources[at.index].caller;
    return at.valid() ? fmt::format("{}:{}", p_.sources[at.index].file, p_.sources[at.index].line) : "";
  }
  static bool has_loops(const Body& b) {
    bool found = false;
    each_stm(b, [&](const Stm& s) { found |= std::holds_alternative<For>(s.exp) || std::holds_alternative<While>(s.exp); });
    return found;
  }
  // Loops that all lanes run together: the last iterations are no group then.
  static bool has_shared_loops(const Body& b) {
    bool found = false;
    each_stm(b, [&](const Stm& s) {
      auto loop = std::get_if<For>(&s.exp);
      found |= (loop && loop->vectors != Vectors::Alone) || std::holds_alternative<While>(s.exp);
    });
    return found;
  }
  std::string form(const For& x, const Accesses* around) const {
    if (x.vectors == Vectors::Alone) return "vectors, one lane after the other";
    if (around) return in_lanes(around->differs(x.body));
    if (x.vectors == Vectors::Interleaved) return fmt::format("{} interleaved; the last iterations one by one", costs::cpu::interleaved);
    if (x.vectors == Vectors::Lanes) {
      std::string more;
      if (x.group && !x.group->own.empty()) more += fmt::format(", {} array{} for each", x.group->own.size(), x.group->own.size() > 1 ? "s" : "");
      if (x.group && !x.group->sums.empty()) more += ", sums of all for " + std::to_string(x.group->sums.size());
      return fmt::format("{} lanes{}; {}", costs::cpu::lanes, more, has_shared_loops(x.body) ? "the last iterations one by one" : "the last iterations under a mask");
    }
    if (x.vectors == Vectors::No) return "one by one: what it reads lies apart";
    if (x.sums) return "in strips: sums in any order";
    if (has_loops(x.body)) return "one by one";
    return x.vectors == Vectors::Yes ? "vectors, combined at the end" : "straight, for the C compiler";
  }
  static std::string in_lanes(bool differs) { return differs ? "each lane as often as it must" : "in all lanes"; }
  static bool shows_accesses(const For& x) {
    return side_by_side(x.vectors) || !has_loops(x.body);
  }
  // `around`: of the loop whose iterations are lanes.
  void body(const Body& b, int depth, const Accesses* around) {
    for (const Stm& s : b.stms) {
      if (auto x = std::get_if<For>(&s.exp)) {
        say(depth, fmt::format("{}  {} times: {}", place(s.source), sizes_.of(x->n), form(*x, around)));
        std::optional<Accesses> own;
        if (!around && shows_accesses(*x)) say(depth + 1, own.emplace(p_, *x).text());
        body(x->body, depth + 1, around ? around : side_by_side(x->vectors) ? &*own : nullptr);
      } else if (auto w = std::get_if<While>(&s.exp)) {
        say(depth, fmt::format("{}  while: {}", place(s.source), around ? in_lanes(around->differs(w->body)) : "one by one"));
        body(w->body, depth + 1, around);
      } else if (auto seg = std::get_if<Seg>(&s.exp)) {
        std::string extent = join(seg->extent, " x ", [&](const Dim& d) { return sizes_.of(d); });
        std::string_view how = seg->level == SegLevel::Tile ? "in tiles" : seg->level == SegLevel::Simd ? "a scan in vectors" : seg->vectors == Vectors::Lanes ? "in tasks, whose iterations are lanes" :
                               seg->vectors == Vectors::Interleaved ? "in tasks, whose iterations are interleaved" : "in tasks";
        say(depth, fmt::format("{}  {} points: {}", place(s.source), extent, how));
        std::optional<Accesses> own;
        if (side_by_side(seg->vectors)) say(depth + 1, own.emplace(p_, *seg).text());
        if (seg->level != SegLevel::Tile) body(seg->body, depth + 1, own ? &*own : around);
      } else {
        walk_parts(s, [&](const Body& inner) { body(inner, depth, around); });
      }
    }
  }
};

}  // namespace

std::string explain_loops(const Program& p) { return Loops(p).text(); }

}  // namespace raido
