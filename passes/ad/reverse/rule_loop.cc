// rule_loop.cc
//
// let y = for i < n (p = p0) body                                                   docs/ad.md 7.1, 7.2
//
//   forward   y, ps = for i < n (p = p0, ps = scratch) { ps[i] <- p ; body }
//   return    p_adj, ws_adj = for k < n (p_adj = y_adj, ws_adj) { i = n-1-k ; p = ps[i] ; body again ; its return sweep }
//
// ws: varied variables free in the body. Their adjoints are carried, and updated in place.
//
// What the return sweep does not read of all that is dead state of the forward loop. If none of it is left and only the derivative is
// wanted, the forward loop is dead, too.
//
// Sizes that are state (docs/ad.md 7.5) are recorded like other state. The adjoint that is carried back has in each iteration the shape
// that the array had there. Tests: tests/ad/loops.fut, undo.fut.
//
// Rules: loop.record loop.shape loop.once.
#include <algorithm>
#include <map>

#include "passes/ad/reverse/inner_loops.h"
#include "passes/ad/reverse/loop_back.h"
#include "passes/ad/reverse/undo.h"

namespace raido::ad {

using namespace ir;

namespace {

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
// The loop of the return sweep. Its state is: sizes that change, adjoints, and arrays whose updates are undone.
class LoopReturn {
 public:
  LoopReturn(Scope& scope, const Stm& s, const States& states, const BodyUndo& overwritten, const InnerLoops& inner)
      : scope_(scope), p_(scope.p), b_(scope.b), s_(s), op_(std::get<For>(s.exp)), states_(states), overwritten_(overwritten),
        inner_loops_(inner), adjoints_of_(scope, s, op_) {}

  void emit(const Records& records, const std::vector<Atom>& kept) {
    loop_.n = op_.n;
    loop_.i = {p_.fresh("k", scalar_type(Scalar::I64))};
    scope_.act.context.note(p_, loop_.i.var, {Note::Kind::Loop, s_.source, why_so(p_, s_, op_, states_.written_once)});
    carry_sizes();
    carry_adjoints();
    for (size_t k : states_.updated) arrays_.push_back(carry(p_.hint(s_.pattern[k].var), scope_.versions.current(s_.pattern[k].var)));
    std::vector<Var> in_the_end(op_.state.size());
    for (const auto& [k, before] : states_.written_once) in_the_end[k] = scope_.versions.current(s_.pattern[k].var);
    for (size_t k : states_.finished) in_the_end[k] = *var_of(op_.init[k]);
    loop_.body = b_.body([&] { return iteration(in_the_end, records, kept); });
    finish();
  }

 private:
  Scope& scope_;
  Program& p_;
  Builder& b_;
  const Stm& s_;
  const For& op_;
  const States& states_;
  const BodyUndo& overwritten_;
  const InnerLoops& inner_loops_;
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
  std::vector<Atom> iteration(const std::vector<Var>& in_the_end, const Records& records, const std::vector<Atom>& kept) {
    Scope inner(scope_, {});
    Atom i = (b_.term(op_.n) - 1 - b_.term(loop_.i.var)).atom;
    std::vector<Var> state = in_the_end;
    for (const auto& [k, before] : states_.written_once) inner.versions.finish(in_the_end[k], {s_.pattern[k].var, *var_of(op_.init[k])});
    std::vector<Atom> recorded = records.read(b_, i, kept);
    auto saved = recorded.begin() + isize(states_.recorded), inside = saved + isize(overwritten_.slots);
    for (size_t k = 0; k < states_.recorded.size(); k++) state[states_.recorded[k]] = *var_of(recorded[k]);
    std::vector<Var> undone_here;
    std::map<size_t, Var> undone_inside;
    for (size_t k = 0; k < states_.updated.size(); k++)
      if (size_t at = states_.updated[k]; inner_loops_.undoes(at)) undone_inside.emplace(at, arrays_[k]);
      else undone_here.push_back(arrays_[k]);
    std::vector<Var> before = overwritten_.undo(b_, undone_here, {saved, inside});
    auto next = before.begin();
    for (size_t k : states_.updated) if (!inner_loops_.undoes(k)) state[k] = *next++;
    Subst values;
    adjoints_of_.name(state, values);
    for (size_t k : states_.updated) {
      inner.versions.own(state[k]);
      inner.versions.carry(state[k]);
    }
    inner_loops_.tell(inner, undone_inside, {inside, recorded.end()});
    std::vector<Atom> out, went_back = adjoints_of_.iteration(inner, i, state, adjoints_);
    for (size_t k : sizes_) out.push_back(state[k]);
    out.insert(out.end(), went_back.begin(), went_back.end());
    for (size_t k : states_.updated) out.push_back(inner.versions.current(state[k]));
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

// For `--explain-ad`. The record of an inner loop's record is named like that.
void note_record(Scope& scope, const Stm& s, const Records::Record& r, const BodyUndo& overwritten) {
  PassContext& context = scope.act.context;
  NoteId inner = scope.p.vars[r.value.index].note;
  bool undone = std::ranges::find(overwritten.slots, Atom(r.value)) != overwritten.slots.end();
  Note note{undone ? Note::Kind::Overwritten : Note::Kind::Recorded, s.source, scope.p.hint(r.value)};
  if (inner.valid())
    if (const Note& its = context.notes[inner.index]; its.kind == Note::Kind::Recorded || its.kind == Note::Kind::Overwritten) {
      note = its;
      scope.p.vars[r.value.index].note = {};                     // it lies in the outer one
    }
  context.note(scope.p, r.array, std::move(note));
}

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
  auto inner_loops = std::make_shared<InnerLoops>(scope, made.body, op, states);
  for (size_t k : states.updated) if (!inner_loops->undoes(k)) changed.push_back(made.body.result[k]);
  BodyUndo overwritten = save_overwritten(p, made.body, changed);
  for (size_t k : states.recorded) wanted.push_back(op.state[k].var);
  wanted.insert(wanted.end(), overwritten.slots.begin(), overwritten.slots.end());
  wanted.insert(wanted.end(), inner_loops->wanted().begin(), inner_loops->wanted().end());
  auto emit = [&scope](const Stm& x) { scope.forward(x); };
  Records records = record(scope.b, loop, wanted, emit);
  for (const Records::Record& r : records.records) note_record(scope, s, r, overwritten);
  for (Var v : overwritten.records) scope.act.context.note(p, v, {Note::Kind::Overwritten, s.source, p.hint(v)});
  emit(loop);
  return {records.slots, [states, overwritten, inner_loops, records](Scope& inner, const Stm& now, const std::vector<Atom>& kept) {
            LoopReturn(inner, now, states, overwritten, *inner_loops).emit(records, kept);
          }};
}

}  // namespace raido::ad
