// rule_acc.cc
//
// let xs', r = with_acc xs (op) \acc -> body                                        docs/ad.md 6.11
// let acc' = upd acc at v
//
// Inside the scope the adjoint of every version of acc is the adjoint of the finished array, read only:
//
//   op is +            v_adj += xs'_adj[at] (0 outside)     xs_adj += xs'_adj
//   no op (scatter)    v_adj += xs'_adj[at]                 xs_adj += xs'_adj with the updated cells zeroed
//
// So the return sweep of an accumulating map is a gathering map. The body of `with_acc` is no scope of its own: its return sweep runs in
// the scope around it. Tests: tests/ad/parallel.fut.
//
// Rules: scatter.plain acc.gather acc.overwrite.
#include <algorithm>

#include "passes/ad/reverse/rules.h"

namespace raido::ad {

using namespace ir;

namespace {

// The scope once more over other arrays, where every update of its dests without operator writes zeros.
WithAcc zeroing(Builder& b, const WithAcc& op, const std::vector<Var>& arrays) {
  Program& p = b.program;
  WithAcc again = clone(p, op);
  size_t at = 0;
  for (Dest& d : again.dests) for (Var& v : d.arrays) v = arrays[at++];
  std::vector<Var> tokens;
  for (size_t k = 0; k < again.dests.size(); k++)
    if (!again.dests[k].combine) tokens.push_back(again.scope.params[k].var);
  auto rewrite = [&](Body& body, auto& self) -> void {
    Builder inside(p, body.stms);
    inside.into(body, [&](List<Stm>& stms) {
      for (auto& item : stms.take()) {
        walk_parts(*item, [&](Body& inner) { self(inner, self); });
        if (auto u = std::get_if<AccUpdate>(&item->exp)) {
          Var token = std::get<AccType>(p.type(u->acc)).token;
          if (std::ranges::find(tokens, token) != tokens.end())
            for (Atom& v : u->values) v = inside.zero(p.type(v));
        }
        inside.emit(std::move(item));
      }
    });
  };
  rewrite(again.scope.body, rewrite);
  again.scope.body.result.resize(again.dests.size());
  return again;
}

}  // namespace

void back(Scope& scope, const Stm& s, const WithAcc& op) {
  Builder& b = scope.b;
  Lambda body = scope.act.clone(op.scope);
  std::vector<Adjoint> seeds(op.dests.size());
  std::vector<Var> finished;                             // adjoints of the scope's arrays
  size_t at = 0;
  for (size_t k = 0; k < op.dests.size(); k++) {
    std::vector<Var> adjoints;
    for (size_t i = 0; i < op.dests[k].arrays.size(); i++) adjoints.push_back(*var_of(scope.adjoints.value(s.pattern[at++].var)));
    scope.adjoints.gather(body.params[k].var, adjoints);
    finished.insert(finished.end(), adjoints.begin(), adjoints.end());
  }
  std::vector<Var> tokens;
  for (size_t k = 0; k < op.dests.size(); k++) tokens.push_back(body.params[k].var);
  for (size_t i = at; i < s.pattern.size(); i++) seeds.push_back(scope.adjoints.take(s.pattern[i].var));
  scope.run(std::move(body.body), seeds);
  for (Var t : tokens) scope.adjoints.end_gather(t);
  bool overwrites = std::ranges::any_of(op.dests, [](const Dest& d) { return !d.combine; });
  std::vector<Var> zeroed;
  if (overwrites) {
    std::vector<Var> arrays;
    for (Var v : finished) arrays.push_back(b.copy(v));
    zeroed = b.bind("zeroed", zeroing(b, op, arrays));
  }
  at = 0;
  for (const Dest& d : op.dests)
    for (Var xs : d.arrays) {
      if (d.combine) scope.adjoints.add(xs, finished[at], false);
      else scope.adjoints.add(xs, zeroed[at], true);
      at++;
    }
  for (size_t i = 0; i < at; i++) scope.adjoints.take(s.pattern[i].var);
}

void back(Scope& scope, const Stm&, const AccUpdate& op) {
  Program& p = scope.p;
  Builder& b = scope.b;
  const AccType acc = std::get<AccType>(p.type(op.acc));
  const std::vector<Var> adjoints = scope.adjoints.gathered(acc.token);
  for (size_t i = 0; i < op.values.size(); i++) {
    if (!scope.act.varied(op.values[i])) continue;
    Term inside = b.term(bool_const(true));
    for (size_t d = 0; d < op.at.size(); d++) {
      Term k = b.term(op.at[d]);
      inside = and_(inside, all_of({le(b.term(i64_const(0)), k), lt(k, b.term(acc.space[d]))}));
    }
    If guarded;
    guarded.cond = inside.atom;
    guarded.then_ = b.body([&] { return std::vector<Atom>{b.index("v_adj", adjoints[i], op.at)}; });
    guarded.else_ = b.body([&] { return std::vector<Atom>{b.zero(p.type(op.values[i]))}; });
    scope.adjoints.add(op.values[i], b.bind1("v_adj", std::move(guarded)));
  }
}

}  // namespace raido::ad
