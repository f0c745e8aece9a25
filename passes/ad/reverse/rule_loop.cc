// rule_loop.cc
//
// let y = for i < n (p = p0) body                                                   docs/ad.md 7.1, 7.2
//
//   forward   y, ps = for i < n (p = p0, ps = scratch) { ps[i] <- p ; body }
//   return    p_adj, ws_adj = for k < n (p_adj = y_adj, ws_adj) { i = n-1-k ; p = ps[i] ; body again ; its return sweep }
//
// ws: varied variables free in the body. Their adjoints are carried, and updated in place.
//
// Every state variable that the body reads is recorded, but for two kinds of arrays. Of an array that the body only updates in place,
// the overwritten elements are recorded (undo.h); the return sweep carries the array as well and undoes one iteration after the other.
// A write-once array is read as it is in the end, or as it was before the loop (write_once.h); it is kept as a copy if somebody reads it
// as it was.
//
// What the return sweep does not read of all that is dead state of the forward loop. If none of it is left and only the derivative is
// wanted, the forward loop is dead, too.
//
// Sizes that are state (docs/ad.md 7.5) are recorded like other state. The adjoint that is carried back has in each iteration the shape
// that the array had there. Tests: tests/ad/loops.fut, undo.fut.
//
// Rules: loop.record loop.shape loop.once.
#include <algorithm>
#include <array>
#include <map>

#include "passes/ad/reverse/loop_back.h"
#include "passes/ad/reverse/undo.h"

namespace raido::ad {

using namespace ir;

namespace {

// State variables that other state's types mention.
VarSet sizes_of(const Program& p, const For& op) {
  VarSet sizes;
  for (Bind x : op.state)
    walk(p.type(x.var), [&](const Var& v) { for (Bind y : op.state) if (y.var == v) sizes.insert(v); });
  return sizes;
}
bool mentions(const Program& p, Var x, const VarSet& sizes) {
  bool found = false;
  walk(p.type(x), [&](const Var& v) { found = found || sizes.contains(v); });
  return found;
}
// For `--explain-ad`: how the loop is counted, what --ad-memory decided of it, and which arrays are read as they are in the end.
std::string why_so(const Program& p, const Stm& s, const For& op, const std::map<size_t, bool>& written_once) {
  std::string text;
  if (const auto& budget = op.budget)
    text = fmt::format("in {} {}: {} {} into --ad-memory={}", budget->levels, budget->levels > 1 ? "levels" : "level",
                       budget->bytes < 0 ? "its states" : fmt::format("{} bytes for each", budget->bytes),
                       budget->levels > 1 ? "do not fit" : "fit", budget->memory);
  if (op.counted) text = "counted as they run: what decides the end is most of the loop";
  for (const auto& [k, before] : written_once)
    text += fmt::format("{}reading {} as it is in the end{}", text.empty() ? "" : ", ", p.hint(s.pattern[k].var), before ? " and was before" : "");
  return text;
}
// How the return sweep has the state of an iteration, by position in the state.
struct States {
  std::vector<size_t> recorded;              // from a record
  std::vector<size_t> updated;               // by undoing the updates
  std::map<size_t, bool> written_once;       // as it is in the end; whether some reads are of what was there before the loop
  std::vector<size_t> finished;              // written once by a loop around
};
States states_of(Scope& scope, const Stm& s, const For& op) {
  Program& p = scope.p;
  States out;
  for (size_t k = 0; k < op.state.size(); k++) if (scope.versions.is_finished(op.init[k])) out.finished.push_back(k);
  if (!op.blocks) out.updated = updated_state(p, op);
  std::erase_if(out.updated, [&](size_t k) {
    if (scope.versions.is_finished(op.init[k])) return true;
    auto found = scope.versions.is_carried(*var_of(op.init[k])) ? std::nullopt : written_once(p, op, k);
    if (!found) return false;
    for (Var read : found->before) p.vars[read.index].before.push_back(s.pattern[k].var);
    out.written_once[k] = !found->before.empty();
    return true;
  });
  VarSet used = sizes_of(p, op);
  for (const Stm& inner : op.body.stms) each_use(p, inner, [&](Var v) { used.insert(v); });
  auto among = [](const std::vector<size_t>& some, size_t k) { return std::ranges::find(some, k) != some.end(); };
  for (size_t k = 0; k < op.state.size(); k++) {
    Var x = op.state[k].var;
    if (!used.contains(x) || !(is_scalar(p.type(x)) || is_array(p.type(x)))) continue;
    if (!out.written_once.contains(k) && !among(out.updated, k) && !among(out.finished, k)) out.recorded.push_back(k);
  }
  return out;
}

// The loop of the return sweep. Its state is: sizes that change, adjoints, and arrays whose updates are undone.
class LoopReturn {
 public:
  LoopReturn(Scope& scope, const Stm& s, const States& states)
      : scope_(scope), p_(scope.p), b_(scope.b), s_(s), op_(std::get<For>(s.exp)), states_(states), adjoints_of_(scope, s, op_) {}

  void emit(const BodyUndo& overwritten, const Records& records, const std::vector<Atom>& kept) {
    loop_.n = op_.n;
    loop_.i = {p_.fresh("k", scalar_type(Scalar::I64))};
    scope_.act.context.note(p_, loop_.i.var, {Note::Kind::Loop, s_.source, why_so(p_, s_, op_, states_.written_once)});
    carry_sizes();
    carry_adjoints();
    for (size_t k : states_.updated) arrays_.push_back(carry(p_.hint(s_.pattern[k].var), scope_.versions.current(s_.pattern[k].var)));
    std::vector<Var> in_the_end(op_.state.size());
    for (const auto& [k, before] : states_.written_once) in_the_end[k] = scope_.versions.current(s_.pattern[k].var);
    for (size_t k : states_.finished) in_the_end[k] = *var_of(op_.init[k]);
    loop_.body = b_.body([&] { return iteration(in_the_end, overwritten, records, kept); });
    finish();
  }

 private:
  Scope& scope_;
  Program& p_;
  Builder& b_;
  const Stm& s_;
  const For& op_;
  const States& states_;
  LoopBack adjoints_of_;
  For loop_;
  VarSet changing_ = sizes_of(p_, op_);
  std::vector<size_t> sizes_;                              // of these in the state of the primal: those of adjoints
  Subst size_here_;                                        // such a size -> the state here
  std::vector<Var> adjoints_, arrays_;

  Var carry(const std::string& hint, const Atom& init) {
    loop_.state.push_back({p_.fresh(hint, p_.type(init))});
    loop_.init.push_back(init);
    return loop_.state.back().var;
  }
  // Sizes go back with the adjoints: those after the loop at first.
  void carry_sizes() {
    for (size_t i = 0; i < op_.state.size(); i++) {
      VarSet size;
      size.insert(op_.state[i].var);
      bool needed = changing_.contains(op_.state[i].var) && std::ranges::any_of(adjoints_of_.carried(), [&](size_t k) {
        return mentions(p_, op_.state[k].var, size);
      });
      if (!needed) continue;
      sizes_.push_back(i);
      size_here_.emplace(op_.state[i].var, carry(p_.hint(op_.state[i].var), s_.pattern[i].var));
    }
  }
  void carry_adjoints() {
    std::vector<Atom> last = adjoints_of_.start();
    std::vector<std::string> names = adjoints_of_.hints();
    for (size_t k = 0; k < last.size(); k++) {
      adjoints_.push_back(carry(names[k], last[k]));
      if (k >= adjoints_of_.carried().size()) continue;
      Var x = op_.state[adjoints_of_.carried()[k]].var;
      if (!mentions(p_, x, changing_)) continue;
      Type t = p_.type(x);
      substitute_type(t, size_here_);
      p_.vars[adjoints_.back().index].type = t;
    }
  }
  std::vector<Atom> iteration(const std::vector<Var>& in_the_end, const BodyUndo& overwritten, const Records& records,
                              const std::vector<Atom>& kept) {
    Scope inner(scope_, {});
    Atom i = (b_.term(op_.n) - 1 - b_.term(loop_.i.var)).atom;
    std::vector<Var> state = in_the_end;
    for (const auto& [k, before] : states_.written_once) inner.versions.finish(in_the_end[k], {s_.pattern[k].var, *var_of(op_.init[k])});
    std::vector<Atom> recorded = records.read(b_, i, kept);
    auto saved = recorded.begin() + isize(states_.recorded);
    for (size_t k = 0; k < states_.recorded.size(); k++) state[states_.recorded[k]] = *var_of(recorded[k]);
    std::vector<Var> before = overwritten.undo(b_, arrays_, {saved, recorded.end()});
    for (size_t k = 0; k < states_.updated.size(); k++) state[states_.updated[k]] = before[k];
    Subst values;
    adjoints_of_.name(state, values);
    for (Var v : before) {
      inner.versions.own(v);
      inner.versions.carry(v);
    }
    std::vector<Atom> out, went_back = adjoints_of_.iteration(inner, i, state, adjoints_);
    for (size_t k : sizes_) out.push_back(state[k]);
    out.insert(out.end(), went_back.begin(), went_back.end());
    for (Var v : before) out.push_back(inner.versions.current(v));
    return out;
  }
  // Binds the loop; its results are the adjoints and the arrays before it.
  void finish() {
    std::vector<std::string> hints;
    for (Bind x : loop_.state) hints.push_back(p_.hint(x.var));
    loop_.blocks = op_.blocks;
    loop_.budget = op_.budget;
    std::vector<Var> out = b_.bind(hints, std::move(loop_));
    auto adjoints = out.begin() + isize(sizes_), arrays = adjoints + isize(adjoints_);
    adjoints_of_.finish({adjoints, arrays});
    for (size_t k = 0; k < states_.updated.size(); k++) scope_.versions.restore(*var_of(op_.init[states_.updated[k]]), arrays[ptrdiff_t(k)]);
  }
};

}  // namespace

Back forth(Scope& scope, const Stm& s, const For& op) {
  if (op.slots || has_attr(s.attrs, "checkpoint"))
    if (auto back = forth_checkpointed(scope, s, op)) return *back;
  Program& p = scope.p;
  Stm loop = s;
  scope.versions.write_nothing(p, loop);
  const States states = states_of(scope, s, op);
  For& made = std::get<For>(loop.exp);
  for (const auto& [k, before] : states.written_once) made.init[k] = scope.b.copy(*var_of(op.init[k]));
  std::vector<Atom> changed, wanted;
  for (size_t k : states.updated) changed.push_back(made.body.result[k]);
  BodyUndo overwritten = save_overwritten(p, made.body, changed);
  for (size_t k : states.recorded) wanted.push_back(op.state[k].var);
  wanted.insert(wanted.end(), overwritten.slots.begin(), overwritten.slots.end());
  auto emit = [&scope](const Stm& x) { scope.forward(x); };
  Records records = record(scope.b, loop, wanted, emit);
  for (const Records::Record& r : records.records) {
    bool state = std::ranges::any_of(op.state, [&](Bind x) { return x.var == r.value; });
    scope.act.context.note(p, r.array, {state ? Note::Kind::Recorded : Note::Kind::Overwritten, s.source, p.hint(r.value)});
  }
  for (Var v : overwritten.records) scope.act.context.note(p, v, {Note::Kind::Overwritten, s.source, p.hint(v)});
  emit(loop);
  return {records.slots, [states, overwritten, records](Scope& inner, const Stm& now, const std::vector<Atom>& kept) {
            LoopReturn(inner, now, states).emit(overwritten, records, kept);
          }};
}

}  // namespace raido::ad
