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
std::string why_so(const Program& p, const Stm& s, const std::map<size_t, bool>& written_once) {
  std::string text;
  if (const Attr* attr = find_attr(s.attrs, "budget")) {
    i64 levels = attr->args[0];
    text = fmt::format("in {} {}: {} {} into --ad-memory={}", levels, levels > 1 ? "levels" : "level",
                       attr->args[1] < 0 ? "its states" : fmt::format("{} bytes for each", attr->args[1]),
                       levels > 1 ? "do not fit" : "fit", attr->args[2]);
  }
  if (has_attr(s.attrs, "counted")) text = "counted as they run: what decides the end is most of the loop";
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
  if (!has_attr(s.attrs, "blocks")) out.updated = updated_state(p, op);
  std::erase_if(out.updated, [&](size_t k) {
    if (scope.versions.is_finished(op.init[k])) return true;
    auto found = scope.versions.is_carried(*var_of(op.init[k])) ? std::nullopt : written_once(p, op, k);
    if (!found) return false;
    mark_reads(p, found->before, s.pattern[k].var);
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

void return_loop(Scope& scope, const Stm& s, const States& states, const BodyUndo& overwritten, const Records& records, const std::vector<Atom>& kept) {
  const For& op = std::get<For>(s.exp);
  Program& p = scope.p;
  Builder& b = scope.b;
  LoopBack loop_back(scope, s, op);
  const std::vector<size_t>& carried = loop_back.carried();
  For back;
  back.n = op.n;
  back.i = {p.fresh("k", scalar_type(Scalar::I64))};
  scope.act.context.note(p, back.i.var, {Note::Kind::Loop, s.source, why_so(p, s, states.written_once)});
  auto carry = [&](const std::string& hint, const Atom& init) {
    back.state.push_back({p.fresh(hint, p.type(init))});
    back.init.push_back(init);
    return back.state.back().var;
  };
  // Sizes go back with the adjoints: those after the loop at first.
  std::vector<size_t> sizes;
  VarSet changing = sizes_of(p, op);
  Subst current;                                           // the size in the state of the primal -> here
  for (size_t i = 0; i < op.state.size(); i++) {
    Var x = op.state[i].var;
    bool needed = changing.contains(x) && std::ranges::any_of(carried, [&](size_t k) {
      bool found = false;
      walk(p.type(op.state[k].var), [&](const Var& v) { found = found || v == x; });
      return found;
    });
    if (!needed) continue;
    sizes.push_back(i);
    current.emplace(x, carry(p.hint(x), s.pattern[i].var));
  }
  std::vector<Var> adjoints, arrays;                       // arrays: what the loop updated, to be undone
  std::vector<Atom> last = loop_back.start();
  std::vector<std::string> names = loop_back.hints();
  for (size_t k = 0; k < last.size(); k++) {
    adjoints.push_back(carry(names[k], last[k]));
    if (k >= carried.size() || !mentions(p, op.state[carried[k]].var, changing)) continue;
    Type t = p.type(op.state[carried[k]].var);
    substitute_type(t, current);
    p.vars[adjoints.back().index].type = t;
  }
  for (size_t k : states.updated) arrays.push_back(carry(p.hint(s.pattern[k].var), scope.versions.current(s.pattern[k].var)));
  std::vector<Var> in_the_end(op.state.size());
  for (const auto& [k, before] : states.written_once) in_the_end[k] = scope.versions.current(s.pattern[k].var);
  for (size_t k : states.finished) in_the_end[k] = *var_of(op.init[k]);
  back.body = b.body([&] {
    Scope inner(scope, {});
    Atom i = (b.term(op.n) - 1 - b.term(back.i.var)).atom;
    std::vector<Var> restored = in_the_end;
    for (const auto& [k, before] : states.written_once) inner.versions.finish(in_the_end[k], {s.pattern[k].var, *var_of(op.init[k])});
    std::vector<Atom> then = records.read(b, i, kept);
    for (size_t k = 0; k < states.recorded.size(); k++) restored[states.recorded[k]] = *var_of(then[k]);
    std::vector<Var> before = overwritten.undo(b, arrays, {then.begin() + ptrdiff_t(states.recorded.size()), then.end()});
    for (size_t k = 0; k < states.updated.size(); k++) restored[states.updated[k]] = before[k];
    Subst values;
    loop_back.name(restored, values);
    for (Var v : before) {
      inner.versions.own(v);
      inner.versions.carry(v);
    }
    std::vector<Atom> out, went_back = loop_back.iteration(inner, i, restored, adjoints);
    for (size_t k : sizes) out.push_back(restored[k]);
    out.insert(out.end(), went_back.begin(), went_back.end());
    for (Var v : before) out.push_back(inner.versions.current(v));
    return out;
  });
  std::vector<std::string> hints;
  for (Bind x : back.state) hints.push_back(p.hint(x.var));
  std::vector<Attr> attrs = b.attrs;
  for (std::string_view inherited : {"blocks", "budget"})
    if (auto attr = find_attr(s.attrs, inherited)) b.attrs.push_back(*attr);
  std::vector<Var> out = b.bind(hints, std::move(back));
  b.attrs = attrs;
  auto first = out.begin() + ptrdiff_t(sizes.size());
  loop_back.finish({first, first + ptrdiff_t(adjoints.size())});
  for (size_t k = 0; k < states.updated.size(); k++) scope.versions.restore(*var_of(op.init[states.updated[k]]), first[ptrdiff_t(adjoints.size() + k)]);
}

}  // namespace

Back forth(Scope& scope, const Stm& s, const For& op) {
  if (has_attr(s.attrs, "checkpoint"))
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
            return_loop(inner, now, states, overwritten, records, kept);
          }};
}

}  // namespace raido::ad
