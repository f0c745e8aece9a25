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
    while (std::erase_if(chains_, [&](const auto& x) { return !std::ranges::all_of(x.second, [&](auto& loop) { return kept(loop.first); }); })) {}
  }
  // By the statement: which of its results are versions of the outer loop's state, and whether they are the last ones.
  struct Version { size_t result, state; bool last; };
  std::map<size_t, std::vector<Version>> loops() const {
    std::map<size_t, std::vector<Version>> out;
    for (const auto& [k, versions] : chains_)
      for (const auto& [at, result] : versions) out[at].push_back({result, k, std::pair(at, result) == versions.front()});
    return out;
  }
  // Other results that statements of the body read.
  std::vector<size_t> read(const Stm& s) const {
    std::vector<size_t> out;
    std::vector<size_t> updated = updated_state(p_, std::get<For>(s.exp));
    for (size_t k = 0; k < s.pattern.size(); k++) if (!among(updated, k) && uses_.contains(s.pattern[k].var)) out.push_back(k);
    return out;
  }

 private:
  using Result = std::pair<size_t, size_t>;          // of a statement: its place in the body, and which
  Scope& around_;
  Program& p_;
  const For& op_;
  VarSet finished_;                                  // versions of arrays that are read as they are in the end
  std::unordered_map<Var, size_t> uses_;             // how often the body uses it
  std::unordered_map<Var, Result> made_;
  std::map<size_t, std::vector<Result>> chains_;     // by state of the outer loop: loops that update it, the last one first

  // The loops from the next value of a state back to the state. Nobody but the next of them may use a version before the last.
  std::optional<std::vector<Result>> chain(size_t k) const {
    std::vector<Result> out;
    for (Atom now = op_.body.result[k]; now != Atom(op_.state[k].var);) {
      auto made = made_.find(*var_of(now));
      auto loop = made == made_.end() ? nullptr : std::get_if<For>(&op_.body.stms[made->second.first].exp);
      if (!loop || !among(updated_state(p_, *loop), made->second.second)) return {};
      out.push_back(made->second);
      now = loop->init[made->second.second];
      if (uses_.at(*var_of(now)) != 1) return {};
    }
    return out.empty() ? std::nullopt : std::optional(out);
  }
  bool kept(size_t at) const {
    const Stm& s = op_.body.stms[at];
    const For& loop = std::get<For>(s.exp);
    if (!keeps_all(loop) || has_attr(s.attrs, "checkpoint")) return false;
    if (std::ranges::none_of(s.pattern, [&](Bind y) { return around_.act.varied(y.var); })) return false;
    VarSet sizes = sizes_of(p_, loop);
    if (std::ranges::any_of(loop.state, [&](Bind x) { return sizes.contains(x.var); })) return false;
    bool finished = false;
    each_use(p_, s, [&](Var v) { finished = finished || finished_.contains(v) || around_.versions.is_finished(v); });
    if (finished) return false;
    for (size_t k : updated_state(p_, loop))
      if (std::ranges::none_of(chains_, [&](const auto& x) { return std::ranges::find(x.second, Result(at, k)) != x.second.end(); })) return false;
    std::vector<std::vector<Dim>> overwritten = rows(loop);
    std::vector<Var> more;
    for (size_t k : states_of(around_, s, loop).recorded) more.push_back(loop.state[k].var);
    for (size_t k : read(s)) more.push_back(s.pattern[k].var);
    return more.size() <= overwritten.size() * costs::ad::records_of_update && std::ranges::all_of(more, [&](Var v) { return fits(v, overwritten); });
  }
  // The shapes of what each iteration overwrites in its body.
  std::vector<std::vector<Dim>> rows(const For& loop) const {
    std::vector<std::vector<Dim>> out;
    VarSet arrays;
    for (size_t k : updated_state(p_, loop)) arrays.insert(loop.state[k].var);
    for (const Stm& s : loop.body.stms)
      for (size_t k = 0; k < s.pattern.size(); k++) {
        auto before = earlier_version(p_, s, k);
        if (!before || !arrays.contains(*before)) continue;
        arrays.insert(s.pattern[k].var);
        if (auto update = std::get_if<Update>(&s.exp)) out.push_back(selected_shape(shape_of(p_.type(update->array)), update->at));
      }
    return out;
  }
  // Whether it is a number, or an array with some of the dimensions of one of these.
  bool fits(Var v, const std::vector<std::vector<Dim>>& rows) const {
    const Type& t = p_.type(v);
    return (is_scalar(t) || is_array(t)) && std::ranges::any_of(rows, [&](std::vector<Dim> row) {
      return std::ranges::all_of(shape_of(t), [&](const Dim& d) {
        auto found = std::ranges::find(row, d);
        if (found == row.end()) return false;
        row.erase(found);
        return true;
      });
    });
  }
};

}  // namespace

InnerLoops::InnerLoops(Scope& scope, Body& body, const For& op, const States& states) {
  if (!keeps_all(op) || scope.act.context.options.ad_memory != 0) return;
  Scope around(scope, {});
  for (size_t k : states.updated) around.versions.carry(op.state[k].var);
  Candidates candidates(around, op, states);
  for (const auto& [at, versions] : candidates.loops()) {
    Loop& loop = loops_.emplace_back(Loop{at, {}, candidates.read(op.body.stms[at])});
    for (const auto& [result, state, last] : versions) {
      undone_.insert(state);
      if (last) loop.last.emplace(result, state);
    }
  }
  if (loops_.empty()) return;
  scope.b.into(body, [&](List<Stm>& stms) {
    size_t at = 0;
    auto next = loops_.begin();
    for (auto& s : stms.take()) {
      if (next == loops_.end() || next->at != at++) {
        scope.b.emit(std::move(s));
        continue;
      }
      Source source = std::exchange(scope.b.source, s->source);
      std::vector<Var> checks = std::exchange(scope.b.checks, s->checks);
      next->back = forth(around, *s, std::get<For>(s->exp));
      scope.b.source = source;
      scope.b.checks = checks;
      wanted_.insert(wanted_.end(), next->back.kept.begin(), next->back.kept.end());
      for (size_t k : next->read) wanted_.push_back(s->pattern[k].var);
      scope.act.context.stats.count("loop.inner");
      ++next;
    }
  });
}

void InnerLoops::tell(Scope& iteration, const std::map<size_t, Var>& after, std::span<const Atom> kept) const {
  for (const Loop& loop : loops_) {
    Scope::Earlier earlier{loop.back, {}};
    size_t slots = loop.back.kept.size();
    earlier.back.kept.assign(kept.begin(), kept.begin() + ptrdiff_t(slots));
    for (size_t k = 0; k < loop.read.size(); k++) earlier.results.emplace(loop.read[k], kept[slots + k]);
    for (const auto& [k, outer] : loop.last) earlier.results.emplace(k, after.at(outer));
    kept = kept.subspan(slots + loop.read.size());
    iteration.ran_before(loop.at, std::move(earlier));
  }
}

}  // namespace raido::ad
