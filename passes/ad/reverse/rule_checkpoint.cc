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
  Term all = most * states, rest = all / (states + last);  // beta(states-1, r-1)
  return apply(ScalarOp::min, {most, l - rest});
}

// The return sweep: a machine that either runs on to an iteration whose state it keeps, or goes back through one.
class Checkpointing {
 public:
  // `most`: how many states are kept at once.
  Checkpointing(Scope& scope, const Stm& s, Atom most)
      : scope_(scope), b_(scope.b), p_(scope.p), s_(s), op_(std::get<For>(s.exp)), most_(most), loop_back_(scope, s, op_) {}

  void run() {
    start();
    Builder::Params params;
    for (Bind x : machine_.state) params.push_back({p_.hint(x.var), p_.type(x.var)});
    machine_.cond = b_.lambda(params, [&](const std::vector<Var>& x) { return std::vector<Atom>{lt(number(0), b_.term(x[0])).atom}; });
    machine_.body = b_.body([&] { return step(); });
    std::vector<Var> out = b_.bind(hints_, std::move(machine_));
    loop_back_.finish({out.end() - ptrdiff_t(adjoints_.size()), out.end()});
  }

 private:
  Term number(i64 n) { return b_.term(i64_const(n)); }
  Var carry(const std::string& hint, const Atom& init) {
    machine_.state.push_back({p_.fresh(hint, p_.type(init))});
    machine_.init.push_back(init);
    hints_.push_back(hint);
    return machine_.state.back().var;
  }

  // The stack holds the state before the first iteration.
  void start() {
    hi_ = carry("hi", apply(ScalarOp::max, {b_.term(op_.n), number(0)}).atom);
    top_ = carry("top", i64_const(0));
    scope_.act.context.note(p_, hi_, {Note::Kind::Slots, s_.source, op_.budget && op_.slots ? fmt::format("as many as fit into --ad-memory={}", op_.budget->memory) : ""});
    Var at = b_.bind1("steps", Scratch{Scalar::I64, {most_}});
    stack_.push_back(carry("steps", b_.update(at, {i64_const(0)}, i64_const(0))));
    for (size_t k = 0; k < op_.state.size(); k++) {
      std::vector<Dim> shape = shape_of(p_.type(op_.init[k]));
      shape.insert(shape.begin(), most_);
      Var states = b_.bind1(p_.hint(op_.state[k].var) + "_kept", Scratch{elem_of(p_, op_.init[k]), shape});
      stack_.push_back(carry(p_.hint(states), b_.update(states, {i64_const(0)}, op_.init[k])));
      scope_.act.context.note(p_, stack_.back(), {Note::Kind::Kept, s_.source, p_.hint(op_.state[k].var)});
    }
    for (size_t k = 0; k < op_.state.size(); k++) {
      last_.push_back({});
      if (!is_array(p_.type(op_.init[k]))) continue;
      std::vector<Dim> shape = shape_of(p_.type(op_.init[k]));
      shape.insert(shape.begin(), i64_const(1));
      Var state = b_.bind1(p_.hint(op_.state[k].var), Scratch{elem_of(p_, op_.init[k]), shape});
      last_[k] = carry(p_.hint(op_.state[k].var), b_.update(state, {i64_const(0)}, op_.init[k]));
    }
    std::vector<std::string> names = loop_back_.hints();
    for (const Atom& a : loop_back_.start()) adjoints_.push_back(carry(names[adjoints_.size()], a));
  }

  std::vector<Atom> step() {
    Term length = b_.term(hi_), last = b_.term(top_), first = b_.term(b_.index("step", stack_[0], {top_}));
    length = length - first;
    std::vector<Atom> from;
    for (size_t k = 0; k < op_.state.size(); k++)
      from.push_back(last_[k].valid() ? b_.index(p_.hint(op_.state[k].var), last_[k], {i64_const(0)})
                                      : b_.index(p_.hint(op_.state[k].var), stack_[k + 1], {top_}));
    Term room = b_.term(most_) - last;                      // entries that are free, and this one
    If choose;
    choose.cond = all_of({lt(number(1), length), lt(number(1), room)}).atom;
    choose.then_ = b_.body([&] { return keep_one_more(first, from, length, room, last); });
    choose.else_ = b_.body([&] { return go_back(first, from, length, last); });
    std::vector<Var> out = b_.bind(hints_, std::move(choose));
    return {out.begin(), out.end()};
  }
  std::vector<Atom> keep_one_more(const Term& first, const std::vector<Atom>& from, const Term& length, const Term& room, const Term& last) {
    Term way = split(b_, length, room), next = last + 1, at = first + way;
    std::vector<Var> reached = advance(first, from, way), kept{b_.update(b_.copy(stack_[0]), {next.atom}, at.atom)};
    std::vector<Var> now = last_;
    for (size_t k = 0; k < reached.size(); k++) {
      Atom value = reached[k];
      if (now[k].valid()) {
        now[k] = b_.update(b_.copy(last_[k]), {i64_const(0)}, value);
        value = b_.index(p_.hint(op_.state[k].var), now[k], {i64_const(0)});
      }
      kept.push_back(b_.update(b_.copy(stack_[k + 1]), {next.atom}, value));
    }
    return state(hi_, next.atom, kept, now, {adjoints_.begin(), adjoints_.end()});
  }
  std::vector<Atom> go_back(const Term& first, const std::vector<Atom>& from, const Term& length, const Term& last) {
    Term i = b_.term(hi_) - 1;
    std::vector<Var> reached = advance(first, from, length - 1);
    Scope inner(scope_, {});
    Subst values;
    loop_back_.name(reached, values);
    for (Var v : reached) inner.versions.own(v);
    std::vector<Atom> went_back = loop_back_.iteration(inner, i.atom, reached, adjoints_);
    Term done = eq(i, first), before = select({done, last - 1, last});
    return state(i.atom, before.atom, stack_, take_up(done, before), went_back);
  }
  // The last entry of the stack, once it is another one.
  std::vector<Var> take_up(const Term& changes, const Term& top) {
    std::vector<Var> now = last_;
    If choice;
    choice.cond = changes.atom;
    std::vector<std::string> hints;
    auto each = [&](auto f) { for (size_t k = 0; k < last_.size(); k++) if (last_[k].valid()) f(k); };
    choice.then_ = b_.body([&] {
      std::vector<Atom> out;
      Term at = apply(ScalarOp::max, {top, number(0)});
      each([&](size_t k) {
        Atom state = b_.index(p_.hint(last_[k]), stack_[k + 1], {at.atom});
        out.push_back(b_.update(b_.copy(last_[k]), {i64_const(0)}, state));
      });
      return out;
    });
    each([&](size_t k) {
      choice.else_.result.push_back(last_[k]);
      hints.push_back(p_.hint(last_[k]));
    });
    if (hints.empty()) return now;
    std::vector<Var> chosen = b_.bind(hints, std::move(choice));
    size_t next = 0;
    each([&](size_t k) { now[k] = chosen[next++]; });
    return now;
  }
  static std::vector<Atom> state(const Atom& hi, const Atom& top, const std::vector<Var>& stack, const std::vector<Var>& last,
                                 const std::vector<Atom>& adjoints) {
    std::vector<Atom> out{hi, top};
    out.insert(out.end(), stack.begin(), stack.end());
    for (Var v : last) if (v.valid()) out.push_back(v);
    out.insert(out.end(), adjoints.begin(), adjoints.end());
    return out;
  }

  // The state so many iterations after `first`, before which it is `from`.
  std::vector<Var> advance(const Term& first, const std::vector<Atom>& from, const Term& times) {
    Stm again = clone(p_, s_);
    For& f = std::get<For>(again.exp);
    again.attrs.clear();
    f.slots = {};
    f.n = times.atom;
    f.init = from;
    Body body = std::exchange(f.body, {});
    Builder in(p_, f.body.stms);
    in.source = s_.source;
    Subst shifted;
    shifted.emplace(f.i.var, (in.term(first.atom) + in.term(f.i.var)).atom);
    substitute(p_, body, shifted);
    in.emit_all(std::move(body.stms));
    f.body.result = body.result;
    std::vector<Var> out;
    for (Bind x : again.pattern) out.push_back(x.var);
    scope_.forward(again);
    return out;
  }

  Scope& scope_;
  Builder& b_;
  Program& p_;
  const Stm& s_;
  const For& op_;
  Atom most_;
  LoopBack loop_back_;
  While machine_;
  std::vector<std::string> hints_;                         // of the machine's state
  Var hi_, top_;                                           // iterations not yet gone back through; the last entry of the stack
  std::vector<Var> stack_, adjoints_;                      // stack_: steps, then states
  std::vector<Var> last_;                                  // of states that are arrays, the last entry in memory of its own: the loop that runs
                                                           // on from it shares none with the stack, which is updated where it lies
};

}  // namespace

std::optional<Back> forth_checkpointed(Scope& scope, const Stm& s, const For& op) {
  const Attr* attr = find_attr(s.attrs, "checkpoint");
  bool fixed = op.slots || (!attr->args.empty() && attr->args[0] > 0);
  for (Bind x : op.state) {
    const Type& t = scope.p.type(x.var);
    fixed = fixed && (is_scalar(t) || is_array(t));
    for (Bind y : op.state) walk(t, [&](const Var& v) { fixed = fixed && v != y.var; });
  }
  if (!fixed) return {};
  Stm primal = s;
  std::get<For>(primal.exp).slots = {};
  scope.forward(primal);
  return Back{{}, [](Scope& inner, const Stm& now, const std::vector<Atom>&) {
                const auto& slots = std::get<For>(now.exp).slots;
                Checkpointing(inner, now, slots ? *slots : i64_const(find_attr(now.attrs, "checkpoint")->args[0])).run();
              }};
}

}  // namespace raido::ad
