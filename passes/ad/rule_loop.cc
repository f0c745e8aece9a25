// rule_loop.cc
//
// let y = for i < n (p = p0) body                                                   docs/ad.md 7.1, 7.2
//
//   forward   y, ps = for i < n (p = p0, ps = scratch) { ps[i] <- p ; body }
//   return    p_adj, ws_adj = for k < n (p_adj = y_adj, ws_adj) { i = n-1-k ; p = ps[i] ; body again ; its return sweep }
//
// Sizes that are state (docs/ad.md 7.5) are recorded and restored as any state; the adjoint carried back has in each iteration
// the shape that the array had there.
//
// An array that the body only updates in place is not recorded, but what the updates overwrite (undo.h): the return sweep
// carries the array as well and undoes one iteration after the other. Every other state variable that the body reads is
// recorded. What the return sweep does not read of all that is dead state of the forward loop and disappears, and with the
// last of it the forward loop itself if only the derivative was wanted.
// ws: varied variables free in the body; their adjoints are carried, in place. Tests: tests/ad/loops.fut, undo.fut.
//
// An array of which each place is written once, and of whose reads it is known whether they are behind the write, is neither: it
// is read as it is in the end, or was before the loop, and an iteration that runs again writes nothing (once.h). What it was before
// the loop is kept if somebody reads it, as a copy.
//
// Rules: loop.record loop.shape loop.once.
#include <algorithm>
#include <array>
#include <map>

#include "passes/ad/loop_back.h"
#include "passes/ad/undo.h"

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
// How the loop is counted, what --ad-memory decided of it, and which arrays are read as they are in the end.
std::string why_so(const Program& p, const Stm& s, const std::map<size_t, bool>& once) {
  std::string text;
  if (const Attr* attr = find_attr(s.attrs, "budget")) {
    i64 levels = attr->args[0];
    text = fmt::format("in {} {}: {} {} into --ad-memory={}", levels, levels > 1 ? "levels" : "level",
                       attr->args[1] < 0 ? "its states" : fmt::format("{} bytes for each", attr->args[1]),
                       levels > 1 ? "do not fit" : "fit", attr->args[2]);
  }
  if (has_attr(s.attrs, "counted")) text = "counted as they run: what decides the end is most of the loop";
  for (const auto& [k, before] : once)
    text += fmt::format("{}reading {} as it is in the end{}", text.empty() ? "" : ", ", p.hint(s.pattern[k].var), before ? " and was before" : "");
  return text;
}
// Sizes in a type.
void substitute_type(Type& t, const Subst& s) {
  walk(t, [&](Atom& a) {
    if (auto v = var_of(a))
      if (auto found = s.find(*v); found != s.end()) a = found->second;
  });
}

}  // namespace

LoopBack::LoopBack(Reverse& rev, const Stm& s, const For& op) : rev_(rev), s_(s), op_(op) {
  VarSet bound;
  bound.insert(op.i.var);
  for (size_t i = 0; i < op.state.size(); i++) {
    bound.insert(op.state[i].var);
    if (rev.act.varied(op.state[i].var) && !is_acc(rev.p.type(op.state[i].var))) carried_.push_back(i);
  }
  free_ = rev.free_in(op.body);
  std::erase_if(free_, [&](Var v) { return bound.contains(v); });
}
bool LoopBack::active() const {
  if (rev_.updates_gathered(s_)) return true;
  return std::ranges::any_of(s_.pattern, [&](Bind x) { return !rev_.is_zero(x.var); });
}
std::vector<Atom> LoopBack::start() {
  std::vector<Atom> out;
  auto whole = [&](Var v) { return is_array(rev_.p.type(v)) ? Atom(rev_.own(v)) : rev_.adjoint(v); };
  for (size_t i : carried_) {
    out.push_back(whole(s_.pattern[i].var));
    rev_.take(s_.pattern[i].var);
  }
  for (Var v : free_) out.push_back(accumulates(v) ? rev_.state(v).value : whole(v));
  return out;
}
std::vector<std::string> LoopBack::hints() const {
  std::vector<std::string> out;
  for (size_t i : carried_) out.push_back(rev_.p.hint(s_.pattern[i].var) + "_adj");
  for (Var v : free_) out.push_back(rev_.p.hint(v) + "_adj");
  return out;
}
void LoopBack::name(std::vector<Var>& state, Subst& values) const {
  Program& p = rev_.p;
  for (size_t k = 0; k < op_.state.size(); k++) {
    Var x = op_.state[k].var;
    if (!is_scalar(p.type(x)) && !is_array(p.type(x))) continue;
    Type t = p.type(x);
    substitute_type(t, values);
    if (!state[k].valid()) state[k] = p.fresh(p.hint(x), t);
    if (rev_.act.varied(x)) rev_.act.mark(state[k]);
    values.emplace(x, state[k]);
  }
}
std::vector<Atom> LoopBack::iteration(Reverse& inner, const Atom& i, const std::vector<Var>& state, const std::vector<Var>& adjoints) {
  Program& p = rev_.p;
  Subst values;
  values.emplace(op_.i.var, i);
  for (size_t k = 0; k < state.size(); k++)
    if (state[k].valid()) values.emplace(op_.state[k].var, state[k]);
  for (size_t k = 0; k < free_.size(); k++) {
    Var now = adjoints[carried_.size() + k];
    inner.state(free_[k]) = accumulates(free_[k]) ? Adjoint::acc(now) : Adjoint::of(now, true);
  }
  Body body = rev_.act.clone(op_.body);
  substitute(p, body, values);
  std::vector<Adjoint> seeds(op_.state.size());
  for (size_t k = 0; k < carried_.size(); k++) seeds[carried_[k]] = Adjoint::of(adjoints[k], true);
  inner.scope(std::move(body), seeds);
  std::vector<Atom> out;
  auto whole = [&](Var v) { return is_array(p.type(v)) ? Atom(inner.own(v)) : inner.adjoint(v); };
  for (size_t k : carried_) out.push_back(whole(state[k]));
  for (Var v : free_) out.push_back(accumulates(v) ? inner.state(v).value : whole(v));
  return out;
}
void LoopBack::finish(const std::vector<Var>& adjoints) {
  for (size_t k = 0; k < free_.size(); k++) {
    Var result = adjoints[carried_.size() + k];
    rev_.state(free_[k]) = accumulates(free_[k]) ? Adjoint::acc(result) : Adjoint::of(result, true);
  }
  for (size_t k = 0; k < carried_.size(); k++) {
    const Atom& init = op_.init[carried_[k]];
    rev_.add(init, as_type(rev_.b, adjoints[k], rev_.p.type(init)), true);
  }
}

ReturnSweep vjp_for(Reverse& rev, const Stm& s, const For& op) {
  if (has_attr(s.attrs, "checkpoint"))
    if (auto back = vjp_checkpointed(rev, s, op)) return *back;
  Program& p = rev.p;
  Stm loop = s;
  std::vector<size_t> updated, recorded, finished;
  std::map<size_t, bool> once;                               // state, and whether anything is read as it was before
  for (size_t k = 0; k < op.state.size(); k++) if (rev.is_finished(op.init[k])) finished.push_back(k);
  rev.write_nothing(loop);
  Body& forth = std::get<For>(loop.exp).body;
  if (!has_attr(s.attrs, "blocks")) updated = updated_state(p, op);
  std::erase_if(updated, [&](size_t k) { return rev.is_finished(op.init[k]); });
  std::erase_if(updated, [&](size_t k) {
    auto found = rev.is_carried(*var_of(op.init[k])) ? std::nullopt : written_once(p, op, k);
    if (!found) return false;
    mark_reads(p, found->before, s.pattern[k].var);
    once[k] = !found->before.empty();
    std::get<For>(loop.exp).init[k] = rev.b.copy(*var_of(op.init[k]));
    return true;
  });
  std::vector<Atom> changed, wanted;
  for (size_t k : updated) changed.push_back(forth.result[k]);
  Steps steps = save_overwritten(p, forth, changed);
  VarSet used = sizes_of(p, op);
  for (const Stm& inner : op.body.stms) each_use(p, inner, [&](Var v) { used.insert(v); });
  for (size_t k = 0; k < op.state.size(); k++) {
    Var x = op.state[k].var;
    if (!used.contains(x) || !(is_scalar(p.type(x)) || is_array(p.type(x)))) continue;
    if (once.contains(k) || std::ranges::any_of(std::array{&updated, &finished}, [&](auto* some) { return std::ranges::find(*some, k) != some->end(); })) continue;
    recorded.push_back(k);
    wanted.push_back(x);
  }
  wanted.insert(wanted.end(), steps.slots.begin(), steps.slots.end());
  auto emit = [&rev](const Stm& made) { rev.forward(made); };
  Kept kept = keep(rev.b, loop, wanted, emit);
  for (const Kept::Record& r : kept.records) {
    bool state = std::ranges::any_of(op.state, [&](Bind x) { return x.var == r.value; });
    rev.act.context.note(p, r.array, {state ? AdNote::Kind::Recorded : AdNote::Kind::Overwritten, s.source, p.hint(r.value)});
  }
  for (Var v : steps.records) rev.act.context.note(p, v, {AdNote::Kind::Overwritten, s.source, p.hint(v)});
  emit(loop);
  return [&rev, &s, &op, updated, recorded, once, finished, steps, kept] {
    Program& q = rev.p;
    Builder& b = rev.b;
    LoopBack loop_back(rev, s, op);
    if (!loop_back.active()) return;
    const std::vector<size_t>& carried = loop_back.carried();
    For back;
    back.n = op.n;
    back.i = {q.fresh("k", scalar_type(Scalar::I64))};
    rev.act.context.note(q, back.i.var, {AdNote::Kind::Loop, s.source, why_so(q, s, once)});
    auto carry = [&](const std::string& hint, const Atom& init) {
      back.state.push_back({q.fresh(hint, q.type(init))});
      back.init.push_back(init);
      return back.state.back().var;
    };
    // Sizes go back with the adjoints: those after the loop at first.
    std::vector<size_t> sizes;
    VarSet changing = sizes_of(q, op);
    Subst current;                                           // the size in the state of the primal -> here
    for (size_t i = 0; i < op.state.size(); i++) {
      Var x = op.state[i].var;
      bool needed = changing.contains(x) && std::ranges::any_of(carried, [&](size_t k) {
        bool found = false;
        walk(q.type(op.state[k].var), [&](const Var& v) { found = found || v == x; });
        return found;
      });
      if (!needed) continue;
      sizes.push_back(i);
      current.emplace(x, carry(q.hint(x), s.pattern[i].var));
    }
    std::vector<Var> adjoints, arrays;                       // arrays: what the loop updated, undone step by step
    std::vector<Atom> last = loop_back.start();
    std::vector<std::string> names = loop_back.hints();
    for (size_t k = 0; k < last.size(); k++) {
      adjoints.push_back(carry(names[k], last[k]));
      if (k >= carried.size() || !mentions(q, op.state[carried[k]].var, changing)) continue;
      Type t = q.type(op.state[carried[k]].var);
      substitute_type(t, current);
      q.vars[adjoints.back().index].type = t;
    }
    for (size_t k : updated) arrays.push_back(carry(q.hint(s.pattern[k].var), rev.current(s.pattern[k].var)));
    std::vector<Var> in_the_end(op.state.size());
    for (const auto& [k, before] : once) in_the_end[k] = rev.current(s.pattern[k].var);
    for (size_t k : finished) in_the_end[k] = *var_of(op.init[k]);
    back.body = b.body([&] {
      Reverse inner(rev, {});
      Atom i = (b.term(op.n) - 1 - b.term(back.i.var)).atom;
      std::vector<Var> restored = in_the_end;
      for (const auto& [k, before] : once) inner.make_finished(in_the_end[k], {s.pattern[k].var, *var_of(op.init[k])});
      std::vector<Atom> then = kept.read(b, i, kept.slots);
      for (size_t k = 0; k < recorded.size(); k++) restored[recorded[k]] = *var_of(then[k]);
      std::vector<Var> before = steps.undo(b, arrays, {then.begin() + ptrdiff_t(recorded.size()), then.end()});
      for (size_t k = 0; k < updated.size(); k++) restored[updated[k]] = before[k];
      Subst values;
      loop_back.name(restored, values);
      for (Var v : before) {
        inner.make_ours(v);
        inner.make_carried(v);
      }
      std::vector<Atom> out, went_back = loop_back.iteration(inner, i, restored, adjoints);
      for (size_t k : sizes) out.push_back(restored[k]);
      out.insert(out.end(), went_back.begin(), went_back.end());
      for (Var v : before) out.push_back(inner.current(v));
      return out;
    });
    std::vector<std::string> hints;
    for (Bind x : back.state) hints.push_back(q.hint(x.var));
    std::vector<Attr> attrs = b.attrs;
    for (std::string_view inherited : {"blocks", "budget"})
      if (auto attr = find_attr(s.attrs, inherited)) b.attrs.push_back(*attr);
    std::vector<Var> out = b.bind(hints, std::move(back));
    b.attrs = attrs;
    auto first = out.begin() + ptrdiff_t(sizes.size());
    loop_back.finish({first, first + ptrdiff_t(adjoints.size())});
    for (size_t k = 0; k < updated.size(); k++) rev.restore(*var_of(op.init[updated[k]]), first[ptrdiff_t(adjoints.size() + k)]);
  };
}

}  // namespace raido::ad
