// scope.cc - see scope.h.
#include "passes/ad/reverse/scope.h"

#include <algorithm>

#include "passes/ad/activity/common.h"
#include "passes/ad/prepare/in_place.h"
#include "passes/ad/reverse/operators.h"
#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

Scope::Scope(const Scope& outer, const std::vector<Var>& open)
    : act(outer.act), b(outer.b), p(outer.p), versions(Versions::inner(outer.versions)), adjoints(outer.adjoints, versions, open),
      parallel_(outer.parallel_), again_(true) {}

void Scope::forward(const Stm& s) {
  if (!adjoints.gathers()) return b.emit(s);
  Body one;
  one.stms.push_back(s);
  drop_accumulators(p, one, [&](const AccType& t) { return adjoints.is_gathered(t); });
  b.emit_all(std::move(one.stms));
}
Body Scope::bind(Lambda l, const std::vector<Atom>& values) {
  Subst s;
  for (size_t i = 0; i < values.size(); i++) {
    s.emplace(l.params[i].var, values[i]);
    if (auto v = var_of(values[i]); v && act.varied(l.params[i].var)) act.mark(*v);
  }
  substitute(p, l.body, s);
  return std::move(l.body);
}

// ---- the two sweeps ----

void Scope::run(Body body, const std::vector<Adjoint>& seeds) { back(*forth(std::move(body)), seeds); }

std::unique_ptr<Scope::Sweeps> Scope::forth(Body body) {
  auto sweeps = std::make_unique<Sweeps>(Sweeps{std::move(body), {}});
  std::map<size_t, Earlier> before = std::exchange(earlier_, {});
  sweeps->done.reserve(sweeps->body.stms.size());
  VarSet used, read;                                     // read: results that later statements use
  if (!again_) each_use(p, sweeps->body.result, [&](Var v) { used.insert(v); });
  for (const Stm& s : reversed(sweeps->body.stms)) {
    for (Bind y : s.pattern) if (used.contains(y.var)) read.insert(y.var);
    each_use(p, s, [&](Var v) { used.insert(v); });
  }
  if (act.context.options.explain_ad)
    each_stm(std::as_const(sweeps->body), [&](const Stm& s) {
      for (Bind y : s.pattern) {
        NoteId id = p.vars[y.var.index].note;
        if (!id.valid() || act.context.notes[id.index].kind == Note::Kind::Forward)
          act.context.note(p, y.var, {again_ ? Note::Kind::Again : Note::Kind::Forward, s.source, ""});
      }
    });
  for (Stm& s : sweeps->body.stms) {
    auto x = std::get_if<Screma>(&s.exp);
    for (Bind y : s.pattern) {
      if (x && is_map(*x)) adjoints.allow_entry(y.var);
      if (is_array(p.type(y.var))) versions.own(y.var);
    }
    versions.carry_on(p, s);
    if (auto found = before.find(sweeps->done.size()); found != before.end())
      sweeps->done.push_back(resume(s, std::move(found->second)));
    else
      sweeps->done.push_back(forth(s, std::ranges::any_of(s.pattern, [&](Bind y) { return read.contains(y.var); })));
  }
  return sweeps;
}
// The forward sweep of one statement. `matters`: something reads its results.
Scope::Done Scope::forth(Stm& s, bool matters) {
  Done done{&s};
  bool active = adjoints.updates_gathered(s) || std::ranges::any_of(s.pattern, [&](Bind x) { return act.varied(x.var); });
  if (active)
    if (auto own = own_forward_sweep(*this, s)) {
      done.back = std::move(*own);
      return done;
    }
  std::optional<Stm> named;
  if (versions.any_finished()) versions.write_nothing(p, named.emplace(s));
  const Stm& primal = named ? *named : s;
  if (matters) done.undo = emit(primal);
  else forward(primal);                                  // dead: nothing has to be undone
  if (active) done.back.emit = [](Scope& scope, const Stm& now, const std::vector<Atom>&) { return_sweep(scope, now); };
  return done;
}
// A statement that ran before.
Scope::Done Scope::resume(Stm& s, Earlier earlier) {
  for (const auto& [k, value] : earlier.results) {
    Var y = s.pattern[k].var;
    b.emit({{{y}}, Identity{as_type(b, value, p.type(y))}, {}, s.source, {}});
  }
  Done done{&s};
  if (earlier.back) {
    done.back = std::move(*earlier.back);
    done.earlier = true;
  } else if (std::ranges::any_of(s.pattern, [&](Bind y) { return act.varied(y.var); })) {
    done.back.emit = [](Scope& scope, const Stm& now, const std::vector<Atom>&) { return_sweep(scope, now); };
  }
  done.undo = std::move(earlier.undo);
  if (done.undo) done.undo->versions = {{*earlier_version(p, s, 0), s.pattern[0].var}};
  return done;
}
// Emits a statement with what undoes its updates of arrays that this scope owns.
std::optional<Undo> Scope::emit(const Stm& s) {
  std::vector<size_t> which = versions.updated(p, s);
  if (which.empty()) {
    forward(s);
    return {};
  }
  Source source = std::exchange(b.source, s.source);
  std::vector<Var> checks = std::exchange(b.checks, s.checks);
  Undo undo = emit_with_undo(b, s, which, [&](const Stm& made) { forward(made); });
  b.source = source;
  b.checks = checks;
  return undo;
}

void Scope::back(const Sweeps& sweeps, const std::vector<Adjoint>& seeds) {
  if (depth_++ == 0) versions.start();
  const std::vector<Atom>& results = sweeps.body.result;
  for (size_t i = 0; i < seeds.size(); i++)
    if (seeds[i].is_value()) adjoints.add(results[i], as_type(b, seeds[i].value, p.type(results[i])), seeds[i].owned);
  for (const Done& done : reversed(sweeps.done)) {
    const Stm& s = *done.statement;
    Source source = std::exchange(b.source, s.source);
    std::vector<Var> checks = std::exchange(b.checks, s.checks);
    if (done.undo) versions.undo(b, s, *done.undo);
    if (done.back.emit && (done.earlier || !adjoints.all_zero(s) || adjoints.updates_gathered(s))) {
      std::optional<Stm> renamed = versions.renamed(p, s);
      done.back.emit(*this, renamed ? *renamed : s, done.back.kept);
    }
    versions.end(s);
    b.source = source;
    b.checks = checks;
  }
  depth_--;
}

// ---- parallel scopes ----

std::vector<Var> Scope::map(const std::string& hint, const Dim& width, const std::vector<Var>& inputs,
                            const std::vector<Var>& free, const Fill& fill) {
  std::vector<Var> arrays, open, scalars;
  for (Var v : free) {
    if (adjoints.kind(v) == Adjoint::Kind::Acc) open.push_back(v);
    else (is_array(p.type(v)) ? arrays : scalars).push_back(v);
  }
  std::vector<Var> through = arrays;                   // whose adjoints are accumulators inside
  through.insert(through.end(), open.begin(), open.end());
  std::vector<Var> summed;                             // scalars that received something
  size_t results = 0;
  auto emit_map = [&](const std::vector<Var>& accs) {  // results, contributions to scalars, accumulators
    std::vector<Var> all = inputs;
    all.insert(all.end(), accs.begin(), accs.end());
    Builder::Params params;
    for (Var v : all) params.push_back({p.hint(v), row_type(p.type(v))});
    Lambda f = b.lambda(params, [&](const std::vector<Var>& in) {
      Scope inner(*this, {});
      inner.make_parallel();
      for (size_t i = 0; i < through.size(); i++) inner.adjoints.state(through[i]) = Adjoint::acc(in[inputs.size() + i]);
      std::vector<Atom> out = fill(inner, {in.begin(), in.begin() + ptrdiff_t(inputs.size())});
      results = out.size();
      for (Var v : scalars)
        if (!inner.adjoints.is_zero(v)) { out.push_back(inner.adjoints.value(v)); summed.push_back(v); }
      for (Var v : through) out.push_back(inner.adjoints.state(v).value);
      return out;
    });
    return b.map(hint, width, std::move(f), all);
  };
  std::vector<Var> outer_accs;
  for (Var v : open) outer_accs.push_back(*var_of(adjoints.state(v).value));
  std::vector<Var> out;
  if (arrays.empty()) {
    out = emit_map(outer_accs);
    for (size_t i = 0; i < open.size(); i++) adjoints.state(open[i]) = Adjoint::acc(out[out.size() - open.size() + i]);
  } else {
    WithAcc scope;
    std::vector<Var> tokens, accs;
    for (Var v : arrays) {
      Var dest = adjoints.own(v);
      Type t = p.type(v);
      scope.dests.push_back({{dest}, int(shape_of(t).size()), b.combine(ScalarOp::add, elem_of(t), 0), Conflict::Unknown});
      tokens.push_back(p.fresh("t", CheckType{}));
      act.context.note(p, tokens.back(), {Note::Kind::Adjoint, b.source, p.hint(v)});
    }
    for (size_t i = 0; i < arrays.size(); i++) accs.push_back(p.fresh("acc", dest_type(p, scope.dests[i], tokens[i])));
    for (Var v : tokens) scope.scope.params.push_back({v});
    for (Var v : accs) scope.scope.params.push_back({v});
    size_t n = arrays.size();
    scope.scope.body = b.body([&] {
      std::vector<Var> given = accs;
      given.insert(given.end(), outer_accs.begin(), outer_accs.end());
      std::vector<Var> made = emit_map(given);
      std::vector<Atom> order;
      size_t first = made.size() - through.size();
      for (size_t i = 0; i < n; i++) order.push_back(made[first + i]);
      for (size_t i = 0; i < first; i++) order.push_back(made[i]);
      for (size_t i = first + n; i < made.size(); i++) order.push_back(made[i]);
      return order;
    });
    std::vector<std::string> hints;
    for (Var v : arrays) hints.push_back(p.hint(v) + "_adj");
    hints.push_back(hint);
    std::vector<Var> made = b.bind(hints, std::move(scope));
    for (size_t i = 0; i < n; i++) adjoints.state(arrays[i]) = Adjoint::of(made[i], true);
    out.assign(made.begin() + ptrdiff_t(n), made.end());
    for (size_t i = 0; i < open.size(); i++) adjoints.state(open[i]) = Adjoint::acc(out[out.size() - open.size() + i]);
  }
  for (size_t i = 0; i < summed.size(); i++) adjoints.add(summed[i], sum_outer(b, out[results + i]), true);
  out.resize(results);
  return out;
}

}  // namespace raido::ad
