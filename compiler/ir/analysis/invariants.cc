// invariants.cc - see invariants.h.
#include "compiler/ir/analysis/invariants.h"

#include "compiler/base/flat_map.h"
#include "compiler/ir/analysis/flow.h"

namespace raido::ir {

namespace {

class Values {
 public:
  Values(const Program& p, const Stm& loop) : p_(p) {
    statement(loop, [&](Var to, const Atom*) { same_as_[to]; });
    while (std::exchange(changed_, false)) statement(loop, [&](Var to, const Atom* from) { meet(to, from ? of(*from) : to); });
  }
  // What a variable always is; none: nothing has come to it.
  std::optional<Atom> of(const Atom& a) const {
    auto v = var_of(a);
    auto known = v ? same_as_.find(*v) : nullptr;
    return known ? *known : std::optional(a);
  }

 private:
  const Program& p_;
  FlatMap<Var, std::optional<Atom>> same_as_;
  bool changed_ = true;

  void meet(Var to, const std::optional<Atom>& value) {
    std::optional<Atom>& now = *same_as_.find(to);
    if (!value || now == value || now == Atom(to)) return;
    now = now ? Atom(to) : *value;
    changed_ = true;
  }
  // f(to, from): `to` is `from`, or something of its own. So is a value that waits for a check.
  template <class F> void statement(const Stm& s, F f) {
    bool hands_on = s.checks.empty() && match(s.exp, []<class X>(const X&) {
      return std::is_same_v<X, Identity> || std::is_same_v<X, Apply> || std::is_same_v<X, If> || std::is_same_v<X, For> || std::is_same_v<X, While>;
    });
    each_flow(p_, s,
              [&](const Atom& from, Var to, Flow how) {
                if (how != Flow::Steers) f(to, hands_on && how == Flow::Same ? &from : nullptr);
              },
              [&](const Body& inner) { for (const Stm& x : inner.stms) statement(x, f); });
  }
};

template <class Loop> std::vector<bool> states_of(const Loop& x, const Values& values) {
  std::vector<bool> invariant;
  for (size_t k = 0; k < x.state.size(); k++) invariant.push_back(values.of(x.state[k].var) == x.init[k]);
  return invariant;
}

}  // namespace

std::vector<bool> invariant_states(const Program& p, const Stm& loop) {
  Values values(p, loop);
  if (auto x = std::get_if<For>(&loop.exp)) return states_of(*x, values);
  return states_of(std::get<While>(loop.exp), values);
}

}  // namespace raido::ir
