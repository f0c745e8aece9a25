// inner_loops.cc - see inner_loops.h. Tests: tests/ad/inner_loops.fut.
//
// Rules: loop.inner.
#include "passes/ad/reverse/inner_loops.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/ir/costs.h"
#include "passes/ad/prepare/in_place.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {

bool among(const std::vector<size_t>& some, size_t k) { return std::ranges::find(some, k) != some.end(); }
bool keeps_all(const For& op) { return !op.blocks && !op.slots && !op.budget && !op.counted; }

// Which statements of the body of a loop are such inner loops.
class Candidates {
 public:
  // `around`: a scope of the body.
  Candidates(Scope& around, const For& op, const States& states) : around_(around), p_(around.p), op_(op) {
    for (size_t k = 0; k < op.state.size(); k++)
      if (states.written_once.contains(k) || among(states.finished, k)) finished_.insert(op.state[k].var);
    for (size_t at = 0; at < op.body.stms.size(); at++) {
      const Stm& s = op.body.stms[at];
      each_use(p_, s, [&](Var v) { uses_[v]++; });
      for (size_t k = 0; k < s.pattern.size(); k++) {
        made_.emplace(s.pattern[k].var, std::pair(at, k));
        auto before = earlier_version(p_, s, k);
        if (before && finished_.contains(*before)) finished_.insert(s.pattern[k].var);
        if (before && around.versions.is_carried(*before)) around.versions.carry(s.pattern[k].var);
      }
    }
    for (size_t k : states.updated) if (auto found = chain(k)) chains_.emplace(k, *found);
    while (std::erase_if(chains_, [&](const auto& x) { return !kept(x.second); })) {}
  }
  // By the statement: which of its results are versions of the outer loop's state, and whether they are the last ones.
  struct Version { size_t result, state; bool last; };
  std::map<size_t, std::vector<Version>> statements() const {
    std::map<size_t, std::vector<Version>> out;
    for (const auto& [k, chain] : chains_) {
      for (Result x : chain.versions) out[x.first].push_back({x.second, k, x == chain.versions.front()});
      for (size_t at : chain.reads) out[at];
    }
    return out;
  }
  // Other results that statements of the body read.
  std::vector<size_t> read(const Stm& s) const {
    std::vector<size_t> out;
    for (size_t k = 0; k < s.pattern.size(); k++)
      if (uses_.contains(s.pattern[k].var) && !earlier_version(p_, s, k)) out.push_back(k);
    return out;
  }

 private:
  using Result = std::pair<size_t, size_t>;          // of a statement: its place in the body, and which
  struct Chain {
    std::vector<Result> versions;                    // the last one first
    std::vector<size_t> reads;                       // statements that read elements or parts of an earlier one
  };
  Scope& around_;
  Program& p_;
  const For& op_;
  VarSet finished_;                                  // versions of arrays that are read as they are in the end
  std::unordered_map<Var, size_t> uses_;             // how often the body uses it
  std::unordered_map<Var, Result> made_;
  std::map<size_t, Chain> chains_;                   // by state of the outer loop

  // From the next value of a state back to the state, by loops and single updates. An earlier version may be read where the statement does
  // nothing else: what it has read is kept then.
  std::optional<Chain> chain(size_t k) const {
    Chain out;
    bool loops = false;
    for (Var now = *var_of(op_.body.result[k]); now != op_.state[k].var;) {
      auto made = made_.find(now);
      if (made == made_.end()) return {};
      const auto [at, result] = made->second;
      const Exp& e = op_.body.stms[at].exp;
      auto before = earlier_version(p_, op_.body.stms[at], result);
      if (!before || !(std::holds_alternative<For>(e) || std::holds_alternative<Update>(e) || std::holds_alternative<Copy>(e))) return {};
      loops = loops || std::holds_alternative<For>(e);
      out.versions.push_back(made->second);
      now = *before;
      size_t others = uses_.at(now) - 1;
      for (size_t other = 0; other < op_.body.stms.size(); other++) {
        auto index = std::get_if<Index>(&op_.body.stms[other].exp);
        if (!index || index->array != now) continue;
        out.reads.push_back(other);
        others--;
      }
      if (others != 0) return {};
    }
    return loops ? std::optional(out) : std::nullopt;
  }
  using Shapes = std::vector<std::vector<Dim>>;
  bool kept(const Chain& chain) const {
    Shapes overwritten;
    for (auto [at, result] : chain.versions) {
      const Stm& s = op_.body.stms[at];
      Shapes here;
      if (auto loop = std::get_if<For>(&s.exp)) here = rows(loop->body, updated(*loop));
      if (auto update = std::get_if<Update>(&s.exp)) here.push_back(selected_shape(shape_of(p_.type(update->array)), update->at));
      overwritten.insert(overwritten.end(), here.begin(), here.end());
      if (std::holds_alternative<For>(s.exp) && !kept(s, here)) return false;
    }
    std::vector<Var> more;
    for (size_t at : chain.reads) more.push_back(op_.body.stms[at].pattern[0].var);
    return few(more, overwritten);
  }
  bool kept(const Stm& s, const Shapes& overwritten) const {
    const For& loop = std::get<For>(s.exp);
    if (!keeps_all(loop) || has_attr(s.attrs, "checkpoint")) return false;
    if (std::ranges::none_of(s.pattern, [&](Bind y) { return around_.act.varied(y.var); })) return false;
    VarSet sizes = sizes_of(p_, loop);
    if (std::ranges::any_of(loop.state, [&](Bind x) { return sizes.contains(x.var); })) return false;
    bool finished = false;
    each_use(p_, s, [&](Var v) { finished = finished || finished_.contains(v) || around_.versions.is_finished(v); });
    if (finished) return false;
    for (size_t k : updated_state(p_, loop)) {
      const Result version = made_.at(s.pattern[k].var);
      if (std::ranges::none_of(chains_, [&](const auto& x) { return std::ranges::find(x.second.versions, version) != x.second.versions.end(); })) return false;
    }
    std::vector<Var> more;
    for (size_t k : states_of(around_, s, loop).recorded) more.push_back(loop.state[k].var);
    for (size_t k : read(s)) more.push_back(s.pattern[k].var);
    return few(more, overwritten);
  }
  // Whether there are few of these for what is overwritten, and none has more dimensions.
  bool few(const std::vector<Var>& more, const Shapes& overwritten) const {
    return more.size() <= overwritten.size() * costs::ad::records_of_update && std::ranges::all_of(more, [&](Var v) { return fits(v, overwritten); });
  }
  VarSet updated(const For& loop) const {
    VarSet out;
    for (size_t k : updated_state(p_, loop)) out.insert(loop.state[k].var);
    return out;
  }
  // The shapes of what is overwritten of these arrays in a body, in loops inside of it as well.
  Shapes rows(const Body& body, VarSet arrays) const {
    Shapes out;
    for (const Stm& s : body.stms)
      for (size_t k = 0; k < s.pattern.size(); k++) {
        auto before = earlier_version(p_, s, k);
        if (!before || !arrays.contains(*before)) continue;
        arrays.insert(s.pattern[k].var);
        if (auto update = std::get_if<Update>(&s.exp)) out.push_back(selected_shape(shape_of(p_.type(update->array)), update->at));
        if (auto loop = std::get_if<For>(&s.exp)) {
          VarSet inside;
          inside.insert(loop->state[k].var);
          Shapes more = rows(loop->body, std::move(inside));
          out.insert(out.end(), more.begin(), more.end());
        }
      }
    return out;
  }
  // Whether it is a number, or an array with some of the dimensions of one of these.
  bool fits(Var v, const Shapes& rows) const {
    const Type& t = p_.type(v);
    return (is_scalar(t) || is_array(t)) && std::ranges::any_of(rows, [&](const std::vector<Dim>& row) { return has_dims(row, shape_of(t)); });
  }
};

}  // namespace

InnerLoops::InnerLoops(Scope& scope, Body& body, const For& op, const States& states) {
  if (!keeps_all(op) || scope.act.context.options.ad_memory != 0) return;
  Scope around(scope, {});
  for (size_t k : states.updated) around.versions.carry(op.state[k].var);
  Candidates candidates(around, op, states);
  for (const auto& [at, versions] : candidates.statements()) {
    Kept& kept = kept_.emplace_back(Kept{at, {}, candidates.read(op.body.stms[at])});
    for (const auto& [result, state, last] : versions) {
      undone_.insert(state);
      if (last) kept.last.emplace(result, state);
    }
  }
  if (kept_.empty()) return;
  Builder& b = scope.b;
  b.into(body, [&](List<Stm>& stms) {
    size_t at = 0;
    auto next = kept_.begin();
    for (auto& s : stms.take()) {
      if (next == kept_.end() || next->at != at++) {
        b.emit(std::move(s));
        continue;
      }
      Source source = std::exchange(b.source, s->source);
      std::vector<Var> checks = std::exchange(b.checks, s->checks);
      for (size_t k : next->read) wanted_.push_back(s->pattern[k].var);
      if (auto loop = std::get_if<For>(&s->exp)) {
        next->back = forth(around, *s, *loop);
        wanted_.insert(wanted_.end(), next->back->kept.begin(), next->back->kept.end());
        scope.act.context.stats.count("loop.inner");
      } else if (std::holds_alternative<Index>(s->exp)) {
        b.emit(std::move(s));
      } else {
        next->undo = emit_with_undo(b, *s, {0}, [&](Stm made) { b.emit(std::move(made)); });
        wanted_.insert(wanted_.end(), next->undo->slots.begin(), next->undo->slots.end());
      }
      b.source = source;
      b.checks = checks;
      ++next;
    }
  });
}

void InnerLoops::tell(Scope& iteration, const std::map<size_t, Var>& after, std::span<const Atom> values) const {
  auto take = [&](size_t n) {
    std::vector<Atom> out(values.begin(), values.begin() + ptrdiff_t(n));
    values = values.subspan(n);
    return out;
  };
  for (const Kept& kept : kept_) {
    Scope::Earlier earlier{kept.back, kept.undo, {}};
    std::vector<Atom> read = take(kept.read.size());
    for (size_t k = 0; k < read.size(); k++) earlier.results.emplace(kept.read[k], read[k]);
    for (const auto& [k, outer] : kept.last) earlier.results.emplace(k, after.at(outer));
    if (earlier.back) earlier.back->kept = take(kept.back->kept.size());
    if (earlier.undo) earlier.undo->slots = take(kept.undo->slots.size());
    iteration.ran_before(kept.at, std::move(earlier));
  }
}

}  // namespace raido::ad
