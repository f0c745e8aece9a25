// aliases.cc - one forward walk over each body. Consumption inside a body is recorded on roots. So a loop knows which
// state its body consumes, and a screma of which inputs it consumes the elements.
//
// It does not follow the edges of flow.h: they say nothing of time, on which it depends what is consumed already and which states of a
// loop have one memory at different times.
#include "compiler/ir/aliases.h"

#include <algorithm>

#include "compiler/base/flat_map.h"
#include "compiler/ir/transform.h"

namespace raido::ir {

class AliasAnalysis {
 public:
  AliasAnalysis(const Program& p, Aliases& out) : p_(p), out_(out) {}

  // Functions may be called before they come, or by themselves: again while more is known of what they return.
  void run() {
    for (const Function& f : p_.functions) out_.returns_.emplace_back(f.lambda.body.result.size());
    bool more = true;
    while (more) {
      more = false;
      out_.roots_ = {};
      out_.overlaps_ = {};
      out_.consumed_ = {};
      gone_ = {};
      body(p_.constants);
      for (size_t i = 0; i < p_.functions.size(); i++) {
        const Function& f = p_.functions[i];
        body(f.lambda.body);
        for (size_t r = 0; r < f.lambda.body.result.size(); r++)
          for (Var root : reach_of(f.lambda.body.result[r]))
            for (size_t k = 0; k < f.lambda.params.size(); k++) {
              std::vector<size_t>& known = out_.returns_[i][r];
              if (f.lambda.params[k].var != root || std::ranges::find(known, k) != known.end()) continue;
              known.push_back(k);
              more = true;
            }
      }
    }
  }

 private:
  const Program& p_;
  Aliases& out_;
  TrailSet<Var> gone_;                                   // consumed on the way to here: not by the other branch of an `if`

  std::vector<Var> roots_of(const Atom& a) const {
    auto v = var_of(a);
    return v && is_array(p_.type(*v)) ? roots_of(*v) : std::vector<Var>();
  }
  std::vector<Var> roots_of(Var v) const {
    const std::vector<Var>& found = out_.roots_.at(v);
    return found.empty() ? std::vector{v} : found;
  }
  std::vector<Var> reach_of(const Atom& a) const {
    auto v = var_of(a);
    if (!v || !is_array(p_.type(*v))) return {};
    return out_.reach(*v);
  }
  void set(Var v, std::vector<Var> roots) {
    std::erase_if(roots, [&](Var r) { return gone_.contains(r); });
    std::ranges::sort(roots);
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    if (!roots.empty()) out_.roots_[v] = std::move(roots);
  }
  void consume(Var v) { for (Var r : out_.reach(v)) consume_root(r); }
  void consume_root(Var r) {
    out_.consumed_.insert(r);
    gone_.insert(r);
  }
  void branches(const If& x) {
    size_t before = gone_.size();
    body(x.then_);
    std::vector<Var> there = gone_.take_back_to(before);
    body(x.else_);
    for (Var r : there) consume_root(r);
  }

  // What one branch consumes the other one may return, more than once. The first such result is its name after that.
  void results_of_branches(const Stm& s, const If& x) {
    FlatMap<Var, Var> renamed;
    for (size_t i = 0; i < x.then_.result.size(); i++) {
      std::vector<Var> all = roots_of(x.then_.result[i]), other = roots_of(x.else_.result[i]);
      all.insert(all.end(), other.begin(), other.end());
      for (Var& r : all) {
        if (!gone_.contains(r)) continue;
        if (!renamed.contains(r)) renamed[r] = s.pattern[i].var;
        r = renamed[r];
      }
      alias(s, i, all);
    }
  }

  void body(const Body& b) { for (const Stm& s : b.stms) statement(s); }

  void alias(const Stm& s, size_t i, const std::vector<Var>& roots) {
    if (i < s.pattern.size() && is_array(p_.type(s.pattern[i].var))) set(s.pattern[i].var, roots);
  }
  void loop(const Stm& s, const std::vector<Bind>& state, const std::vector<Atom>& init, const Body& b) {
    // What one iteration returns the next one consumes, maybe as another part of the state.
    for (bool more = true; more;) {
      more = false;
      for (size_t i = 0; i < state.size(); i++)
        if (out_.consumed_.contains(state[i].var))
          for (Var r : reach_of(b.result[i])) {
            more |= !out_.consumed_.contains(r);
            consume_root(r);
          }
    }
    for (size_t i = 0; i < state.size(); i++)
      if (auto v = var_of(init[i]); v && is_array(p_.type(*v)) && out_.consumed_.contains(state[i].var)) consume(*v);
    results_of_loop(s, state, init, b);
  }
  // Memory that a loop's results may have: that of the initial value, of what the body returns, and of every state that it
  // moves on there, after any number of iterations.
  void results_of_loop(const Stm& s, const std::vector<Bind>& state, const std::vector<Atom>& init, const Body& b) {
    size_t n = std::min(state.size(), s.pattern.size());
    if (std::none_of(state.begin(), state.end(), [&](Bind x) { return is_array(p_.type(x.var)); })) return;
    FlatMap<Var, size_t> number;
    for (size_t i = 0; i < n; i++) number[state[i].var] = i;
    std::vector<std::vector<size_t>> from(n);            // the states that become this one
    std::vector<std::vector<Var>> memory(n);
    for (size_t i = 0; i < n; i++) {
      memory[i] = roots_of(init[i]);
      for (Var r : roots_of(b.result[i])) if (!number.contains(r)) memory[i].push_back(r);
      for (Var r : reach_of(b.result[i])) if (auto k = number.find(r)) from[i].push_back(*k);
    }
    std::vector<std::vector<Var>> moved(n);
    for (size_t i = 0; i < n; i++) {
      std::vector<size_t> reached{i};
      for (size_t at = 0; at < reached.size(); at++) {
        for (size_t k : from[reached[at]]) if (std::ranges::find(reached, k) == reached.end()) reached.push_back(k);
        for (Var r : memory[reached[at]]) moved[i].push_back(r);
      }
    }
    std::vector<std::vector<bool>> ever = sharing(moved), at_once = sharing_at_once(init, b, from, moved);
    std::vector<bool> own(n);
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++) if (k != i && ever[i][k] && !at_once[i][k]) own[i] = true;
    std::vector<std::vector<Var>> others(n);
    for (size_t i = 0; i < n; i++) {
      if (own[i]) others[i] = reach(moved[i]);
      else alias(s, i, moved[i]);
    }
    for (size_t i = 0; i < n; i++) {
      Var result = s.pattern[i].var;
      for (Var r : others[i]) if (!gone_.contains(r)) overlap(result, r);
      for (size_t k = 0; k < i; k++) if (own[i] && own[k] && at_once[i][k]) overlap(result, s.pattern[k].var);
    }
  }
  void overlap(Var r, Var q) {
    out_.overlaps_[r].push_back(q);
    out_.overlaps_[q].push_back(r);
  }
  // The roots and what overlaps with them, each once.
  std::vector<Var> reach(std::vector<Var> roots) const {
    for (size_t k = 0, n = roots.size(); k < n; k++)
      for (Var r : out_.overlaps_.at(roots[k])) roots.push_back(r);
    std::ranges::sort(roots);
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    return roots;
  }
  // Which of several arrays of these roots may share memory.
  std::vector<std::vector<bool>> sharing(const std::vector<std::vector<Var>>& roots) const {
    std::vector<std::vector<bool>> out(roots.size(), std::vector<bool>(roots.size()));
    FlatMap<Var, std::vector<size_t>> holders;
    for (size_t i = 0; i < roots.size(); i++) for (Var r : roots[i]) holders[r].push_back(i);
    for (size_t i = 0; i < roots.size(); i++)
      for (Var r : reach(roots[i]))
        if (auto found = holders.find(r)) for (size_t k : *found) out[i][k] = out[k][i] = true;
    return out;
  }
  // States that may share memory at one time, for one of four reasons. They do so from the beginning. They do so as results of
  // one iteration. They do so as they move on. Or one gets an array from outside that another one got before and has moved on.
  // `moved`: the memory that a state may have.
  std::vector<std::vector<bool>> sharing_at_once(const std::vector<Atom>& init, const Body& b, const std::vector<std::vector<size_t>>& from,
                                                 const std::vector<std::vector<Var>>& moved) const {
    size_t n = from.size();
    std::vector<std::vector<Var>> before(n), after(n);
    for (size_t i = 0; i < n; i++) before[i] = roots_of(init[i]), after[i] = roots_of(b.result[i]);
    std::vector<std::vector<bool>> out = sharing(before), returned = sharing(after);
    bool any_moves = std::ranges::any_of(from, [](const std::vector<size_t>& states) { return !states.empty(); });
    VarSet inside;
    if (any_moves) each_bind(b, [&](Var v) { inside.insert(v); });
    for (size_t i = 0; any_moves && i < n; i++)
      for (Var r : reach(after[i])) {
        if (inside.contains(r)) continue;
        for (size_t k = 0; k < n; k++)
          for (size_t j : from[k])
            if (k != i && std::ranges::find(moved[j], r) != moved[j].end()) returned[i][k] = returned[k][i] = true;
      }
    std::vector<std::vector<size_t>> to(n);
    for (size_t i = 0; i < n; i++) for (size_t k : from[i]) to[k].push_back(i);
    std::vector<std::pair<size_t, size_t>> found;
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < i; k++)
        if (out[i][k] || returned[i][k]) {
          out[i][k] = out[k][i] = true;
          found.emplace_back(i, k);
        }
    for (size_t at = 0; at < found.size(); at++)
      for (size_t i : to[found[at].first])
        for (size_t k : to[found[at].second]) {
          if (i == k || out[i][k]) continue;
          out[i][k] = out[k][i] = true;
          found.emplace_back(i, k);
        }
    return out;
  }
  void elements(const std::vector<Var>& inputs, const std::vector<Bind>& params) {
    for (size_t i = 0; i < inputs.size() && i < params.size(); i++)
      if (out_.consumed_.contains(params[i].var) && is_array(p_.type(inputs[i]))) consume(inputs[i]);
  }

  void statement(const Stm& s) {
    each_consumed(p_, s.exp, [&](Var v) { consume(v); });
    walk_inner(s.exp);
    match(s.exp, [&](const Identity& x) { alias(s, 0, roots_of(x.value)); },
          [&](const Index& x) { alias(s, 0, roots_of(x.array)); },
          [&](const Reshape& x) { alias(s, 0, roots_of(x.array)); },
          [&](const Permute& x) { alias(s, 0, roots_of(x.array)); },
          [&](const If& x) { results_of_branches(s, x); },
          [&](const For& x) { loop(s, x.state, x.init, x.body); },
          [&](const While& x) { loop(s, x.state, x.init, x.body); },
          [&](const Call& x) {
            if (x.callee.index >= out_.returns_.size()) return;
            const auto& summary = out_.returns_[x.callee.index];
            for (size_t i = 0; i < summary.size(); i++) {
              std::vector<Var> all;
              for (size_t k : summary[i])
                for (Var r : roots_of(x.args[k])) all.push_back(r);
              alias(s, i, all);
            }
          },
          [&](const WithAcc& x) {
            size_t arrays = 0;
            for (const Dest& d : x.dests) arrays += d.arrays.size();
            for (size_t i = x.dests.size(); i < x.scope.body.result.size(); i++)
              alias(s, i - x.dests.size() + arrays, roots_of(x.scope.body.result[i]));
          },
          [&](const Screma& x) { elements(x.inputs, x.pre.params); },
          [&](const Hist& x) { elements(x.inputs, x.pre.params); },
          [&](const auto&) {});                          // fresh results
  }
  void walk_inner(const Exp& e) {
    match(e, [&](const If& x) { branches(x); }, [&](const auto& op) { walk_parts(op, [&](const Body& b) { body(b); }); });
  }
};

Aliases::Aliases(const Program& p) : p_(p) { AliasAnalysis(p, *this).run(); }

Aliases::Roots Aliases::roots(Var v) const {
  const std::vector<Var>& found = roots_[v];
  Roots out;
  for (Var r : found) out.push_back(r);
  if (found.empty()) out.push_back(v);
  return out;
}
std::vector<Var> Aliases::reach(Var v) const {
  std::vector<Var> out = roots_[v];
  if (out.empty()) out.push_back(v);
  for (size_t k = 0, n = out.size(); k < n; k++) out.insert(out.end(), overlaps_[out[k]].begin(), overlaps_[out[k]].end());
  return out;
}
bool Aliases::may_alias(Var a, Var b) const {
  const std::vector<Var> here = reach(a);
  const Roots there = roots(b);
  return std::ranges::any_of(here, [&](Var r) { return std::ranges::find(there, r) != there.end(); });
}
bool Aliases::may_alias(const Atom& a, const Atom& b) const {
  auto v = var_of(a), w = var_of(b);
  return v && w && is_array(p_.type(*v)) && is_array(p_.type(*w)) && may_alias(*v, *w);
}
std::vector<Var> Aliases::consumed_itself(const Stm& s) const {
  std::vector<Var> out;
  each_consumed(p_, s.exp, [&](Var v) { out.push_back(v); });
  auto state = [&](const std::vector<Bind>& binds, const std::vector<Atom>& init) {
    for (size_t i = 0; i < binds.size(); i++)
      if (auto v = var_of(init[i]); v && is_array(p_.type(*v)) && consumed_.contains(binds[i].var)) out.push_back(*v);
  };
  auto inputs = [&](const std::vector<Var>& arrays, const std::vector<Bind>& params) {
    for (size_t i = 0; i < arrays.size() && i < params.size(); i++)
      if (is_array(p_.type(arrays[i])) && consumed_.contains(params[i].var)) out.push_back(arrays[i]);
  };
  match(s.exp, [&](const For& x) { state(x.state, x.init); }, [&](const While& x) { state(x.state, x.init); },
        [&](const Screma& x) { inputs(x.inputs, x.pre.params); },
        [&](const Hist& x) { inputs(x.inputs, x.pre.params); },
        [&](const auto&) {});                            // no other operation hands arrays to names of its own
  return out;
}
std::vector<Var> Aliases::consumed(const Stm& s) const {
  std::vector<Var> out;
  for (Var v : consumed_itself(s))
    for (Var r : reach(v)) out.push_back(r);
  // inner bodies may consume what is free in them
  match(s.exp, [&](const auto& op) {
    walk_parts(op, [&](const Body& b) {
      for (const Stm& inner : b.stms) {
        std::vector<Var> gone = consumed(inner);
        out.insert(out.end(), gone.begin(), gone.end());
      }
    });
  });
  if (out.empty()) return out;
  VarSet inside;
  each_bind(s.exp, [&](Var v) { inside.insert(v); });
  std::erase_if(out, [&](Var r) { return inside.contains(r); });
  return out;
}

bool Aliases::has_root_in(Var v, const VarSet& roots) const {
  return std::ranges::any_of(this->roots(v), [&](Var r) { return roots.contains(r); });
}

VarSet Aliases::own_memory() const {
  VarSet out;
  auto add = [&](Var v) { for (Var r : reach(v)) out.insert(r); };
  std::vector<bool> called(p_.functions.size());
  p_.each_body([&](const Body& b) {
    each_stm(b, [&](const Stm& s) {
      for (Var v : consumed_itself(s)) add(v);
      auto loop = [&](const std::vector<Bind>& state, const Body& body) {
        for (size_t i = 0; i < state.size(); i++)
          if (auto v = var_of(body.result[i]); v && consumed_.contains(state[i].var)) add(*v);
      };
      if (auto x = std::get_if<For>(&s.exp)) loop(x->state, x->body);
      if (auto x = std::get_if<While>(&s.exp)) loop(x->state, x->body);
      if (auto call = std::get_if<Call>(&s.exp); call && call->callee.index < called.size()) called[call->callee.index] = true;
    });
  });
  for (size_t i = 0; i < called.size(); i++)
    if (called[i])
      for (const Atom& a : p_.functions[i].lambda.body.result)
        if (auto v = var_of(a); v && is_array(p_.type(*v))) add(*v);
  // A loop's state is another name of such memory on its way in or out.
  auto inside = [&](Var v) { return is_array(p_.type(v)) && std::ranges::any_of(roots(v), [&](Var r) { return out.contains(r); }); };
  p_.each_body([&](const Body& b) {
    each_stm(b, [&](const Stm& s) {
      auto loop = [&](const std::vector<Bind>& state, const std::vector<Atom>& init) {
        for (size_t i = 0; i < state.size(); i++)
          if (auto v = var_of(init[i]); inside(s.pattern[i].var) || (v && inside(*v))) out.insert(state[i].var);
      };
      if (auto x = std::get_if<For>(&s.exp)) loop(x->state, x->init);
      if (auto x = std::get_if<While>(&s.exp)) loop(x->state, x->init);
    });
  });
  return out;
}

}  // namespace raido::ir
