// rule_checkpoint.cc
//
// let y = #[checkpoint(c)] for i < n (p = p0) body                                  docs/ad.md 7.7
//
// The forward sweep records nothing. The return sweep keeps c states at once, in a stack whose first entry is p0. It runs the body
// again from the last of them. As long as there is room, it stops at an iteration in between and keeps that state as well; then it runs
// to the iteration that is next to go back through. The states that are kept are those that need the fewest iterations:
//
//   beta(c, r) = C(c + r, c)        iterations that can be gone back through with c states if none runs more than r times again
//   n iterations run t(n, c) = r n - beta(c+1, r-1) times in all, for the least r with n <= beta(c, r)
//
// Tests: tests/ad/schedules.fut, costs.fut.
//
// Rules: loop.binomial.
#include <algorithm>

#include "passes/ad/reverse/loop_back.h"

namespace raido::ad {

using namespace ir;

namespace {

// After how many of l iterations the next state is kept, with room for `states` of them. l > 1, states > 0.
Term split(Builder& b, const Term& l, const Term& states) {
  Program& p = b.program;
  auto number = [&](const char* hint) { return p.fresh(hint, scalar_type(Scalar::I64)); };
  // r, beta(states, r-1), beta(states, r)
  While search;
  Var r = number("r"), before = number("before"), now = number("now");
  search.state = {{r}, {before}, {now}};
  search.init = {i64_const(0), i64_const(0), i64_const(1)};
  search.cond = b.lambda({{"r", scalar_type(Scalar::I64)}, {"before", scalar_type(Scalar::I64)}, {"now", scalar_type(Scalar::I64)}},
                         [&](const std::vector<Var>& x) { return std::vector<Atom>{lt(b.term(x[2]), l).atom}; });
  search.body = b.body([&] {
    Term next = b.term(r) + 1;
    return std::vector<Atom>{next.atom, now, (b.term(now) * (states + next) / next).atom};
  });
  std::vector<Var> found = b.bind({"r", "before", "now"}, std::move(search));
  Term last = b.term(found[0]) - 1, most = b.term(found[1]);
  Term rest = most * states / (states + last);             // beta(states-1, r-1)
  return apply(ScalarOp::min, {most, l - rest});
}

// `most`: how many states are kept at once.
void return_checkpointed(Scope& scope, const Stm& s, i64 most) {
  const For& op = std::get<For>(s.exp);
  Program& p = scope.p;
  Builder& b = scope.b;
  LoopBack loop_back(scope, s, op);
  size_t n = op.state.size();
  Term zero = b.term(i64_const(0));

  // hi: iterations not yet gone back through; top: the last entry of the stack; then steps and states, then adjoints.
  While machine;
  std::vector<std::string> hints;
  auto carry = [&](const std::string& hint, const Atom& init) {
    machine.state.push_back({p.fresh(hint, p.type(init))});
    machine.init.push_back(init);
    hints.push_back(hint);
    return machine.state.back().var;
  };
  Var hi = carry("hi", apply(ScalarOp::max, {b.term(op.n), zero}).atom), top = carry("top", i64_const(0));
  scope.act.context.note(p, hi, {Note::Kind::Slots, s.source, ""});
  std::vector<Var> stack;
  Var at = b.bind1("steps", Scratch{Scalar::I64, {i64_const(most)}});
  stack.push_back(carry("steps", b.update(at, {i64_const(0)}, i64_const(0))));
  for (size_t k = 0; k < n; k++) {
    std::vector<Dim> shape = shape_of(p.type(op.init[k]));
    shape.insert(shape.begin(), i64_const(most));
    Var states = b.bind1(p.hint(op.state[k].var) + "_kept", Scratch{elem_of(p, op.init[k]), shape});
    stack.push_back(carry(p.hint(states), b.update(states, {i64_const(0)}, op.init[k])));
    scope.act.context.note(p, stack.back(), {Note::Kind::Kept, s.source, p.hint(op.state[k].var)});
  }
  std::vector<Var> adjoints;
  std::vector<std::string> names = loop_back.hints();
  for (const Atom& a : loop_back.start()) adjoints.push_back(carry(names[adjoints.size()], a));

  Builder::Params params;
  for (Bind x : machine.state) params.push_back({p.hint(x.var), p.type(x.var)});
  machine.cond = b.lambda(params, [&](const std::vector<Var>& x) { return std::vector<Atom>{lt(zero, b.term(x[0])).atom}; });

  // The state after so many iterations from the last entry.
  auto advance = [&](const Term& first, const std::vector<Atom>& from, const Term& times) {
    Stm again = clone(p, s);
    For& f = std::get<For>(again.exp);
    again.attrs.clear();
    f.n = times.atom;
    f.init = from;
    Body body = std::exchange(f.body, {});
    Builder in(p, f.body.stms);
    in.source = s.source;
    Subst shifted;
    shifted.emplace(f.i.var, (in.term(first.atom) + in.term(f.i.var)).atom);
    substitute(p, body, shifted);
    in.emit_all(std::move(body.stms));
    f.body.result = body.result;
    std::vector<Var> out;
    for (Bind x : again.pattern) out.push_back(x.var);
    scope.forward(again);
    return out;
  };
  machine.body = b.body([&] {
    Term length = b.term(hi), last = b.term(top), step = b.term(b.index("step", stack[0], {top}));
    length = length - step;
    std::vector<Atom> from;
    for (size_t k = 0; k < n; k++) from.push_back(b.index(p.hint(op.state[k].var), stack[k + 1], {top}));
    Term room = b.term(i64_const(most)) - last;           // entries that are free, and this one
    auto all = [&](const Atom& now_hi, const Atom& now_top, const std::vector<Var>& kept, const std::vector<Atom>& went_back) {
      std::vector<Atom> out{now_hi, now_top};
      out.insert(out.end(), kept.begin(), kept.end());
      out.insert(out.end(), went_back.begin(), went_back.end());
      return out;
    };
    If choose;
    choose.cond = and_(lt(b.term(i64_const(1)), length), lt(b.term(i64_const(1)), room)).atom;
    choose.then_ = b.body([&] {
      Term way = split(b, length, room), next = last + 1;
      std::vector<Var> reached = advance(step, from, way), kept{b.update(b.copy(stack[0]), {next.atom}, (step + way).atom)};
      for (size_t k = 0; k < n; k++) kept.push_back(b.update(b.copy(stack[k + 1]), {next.atom}, reached[k]));
      return all(hi, next.atom, kept, {adjoints.begin(), adjoints.end()});
    });
    choose.else_ = b.body([&] {
      Term i = b.term(hi) - 1;
      std::vector<Var> reached = advance(step, from, length - 1);
      Scope inner(scope, {});
      Subst values;
      loop_back.name(reached, values);
      for (Var v : reached) inner.versions.own(v);
      std::vector<Atom> went_back = loop_back.iteration(inner, i.atom, reached, adjoints);
      Term done = eq(i, step);
      return all(i.atom, select(done, last - 1, last).atom, stack, went_back);
    });
    std::vector<Var> out = b.bind(hints, std::move(choose));
    return std::vector<Atom>(out.begin(), out.end());
  });
  std::vector<Var> out = b.bind(hints, std::move(machine));
  loop_back.finish({out.end() - ptrdiff_t(adjoints.size()), out.end()});
}

}  // namespace

std::optional<Back> forth_checkpointed(Scope& scope, const Stm& s, const For& op) {
  const Attr* attr = find_attr(s.attrs, "checkpoint");
  bool fixed = !attr->args.empty() && attr->args[0] > 0;
  for (Bind x : op.state) {
    const Type& t = scope.p.type(x.var);
    fixed = fixed && (is_scalar(t) || is_array(t));
    for (Bind y : op.state) walk(t, [&](const Var& v) { fixed = fixed && v != y.var; });
  }
  if (!fixed) return {};
  i64 most = attr->args[0];
  scope.forward(s);
  return Back{{}, [most](Scope& inner, const Stm& now, const std::vector<Atom>&) { return_checkpointed(inner, now, most); }};
}

}  // namespace raido::ad
