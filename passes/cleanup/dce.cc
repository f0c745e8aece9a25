// dce.cc - removes what nobody uses: statements, results of branches, loops, scremas and scopes, and loop state that
// feeds only itself (C3, C4, C9).
//
// The core language has no side effects, so "used" is all there is to know. A statement stays if one of its binders is used by something
// that stays. One backward sweep over each body. Before a statement that stays is swept, its own unused results are removed together with
// what feeds them. Loop state is found live by a fixed point. An update whose only use is an update of the same part writes what nobody
// sees (A7.overwritten).
//
// It follows uses and not the edges of flow.h. What a size, an index or a check mentions is needed as well, and what is found unused is
// taken out on the way.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/build.h"
#include "compiler/ir/types.h"
#include "passes/cleanup/dce.h"

namespace raido {
namespace {

using namespace ir;

class Sweeper {
 public:
  Sweeper(Program& p, PassContext& context) : p_(p), context_(context) {}
  VarSet live;                                   // variables are unique in the program, so one set serves all bodies

  // See dce.h.
  std::vector<bool> components(const Combine& c, std::vector<bool> which) {
    size_t k = c.neutral.size();
    for (bool more = !all(which) && !none(which); more;) {
      more = false;
      Lambda used = clone(p_, c.op);
      keep_only(used.body.result, which);
      Sweeper inside(p_, context_);
      inside.body(used.body);
      for (size_t i = 0; i < k; i++)
        if (!which[i] && (inside.live.contains(used.params[i].var) || inside.live.contains(used.params[k + i].var))) which[i] = more = true;
    }
    return which;
  }
  static void keep_components(Combine& c, const std::vector<bool>& which) {
    size_t k = c.neutral.size();
    keep_only(c.op.body.result, which);
    keep_only(c.neutral, which);
    keep_only(c.op.params, which, k);
    keep_only(c.op.params, which);
  }

  void body(Body& b) {
    each_use(p_, b.result, [&](Var v) { use(v); });
    b.stms.filter_backwards([&](Stm& s) {
      if (!std::ranges::any_of(s.pattern, [&](Bind x) { return live.contains(x.var); })) return false;
      if (overwritten(s)) return false;
      auto update = std::get_if<Update>(&s.exp);
      bool first_use = update && !live.contains(update->array);
      match(s.exp, [&](If& x) { prune(s, x); }, [&](For& x) { prune_loop(s, x); }, [&](While& x) { prune_loop(s, x); },
            [&](Screma& x) { prune(s, x); }, [&](Seg& x) { prune(s, x); }, [&](WithAcc& x) { prune(s, x); },
            [&](auto&) {});                      // no other operation has results that can be dropped singly
      walk(s, overloaded{[&](Body& inner) { if (std::ranges::find(swept_, &inner) == swept_.end()) body(inner); },
                         [&](Bind& x) { each_use(p_, x, [&](Var v) { use(v); }); },
                         [&](const Var& v) { use(v); }});
      if (first_use) updated_by_[update->array] = &s;
      swept_.clear();
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  std::unordered_map<Var, Stm*> updated_by_;     // arrays with one use so far, an update
  std::vector<const Body*> swept_;               // bodies of the statement at hand that were swept to prune it

  void use(Var v) {
    if (live.contains(v)) updated_by_.erase(v);
    live.insert(v);
  }
  // let b = a with [at] <- v ; let c = b with [at] <- w   ==>   let c = a with [at] <- w, where b has no other use
  bool overwritten(const Stm& s) {
    auto update = std::get_if<Update>(&s.exp);
    auto found = update ? updated_by_.find(s.pattern[0].var) : updated_by_.end();
    if (found == updated_by_.end()) return false;
    Update& later = std::get<Update>(found->second->exp);
    if (later.at != update->at || !context_.allow()) return false;
    later.array = update->array;
    context_.stats.count("dce.A7.overwritten");
    Stm* by = found->second;
    bool first_use = !live.contains(update->array);
    use(update->array);
    if (first_use) updated_by_[update->array] = by;
    return true;
  }

  // Sweeps a body of the statement at hand now: then `live` tells which of its parameters it needs.
  void sweep_now(Body& b) {
    std::vector<const Body*> outer = std::exchange(swept_, {});
    body(b);
    swept_ = std::move(outer);
    swept_.push_back(&b);
  }

  // A binder is needed if it is live or a later needed binder's type mentions it.
  std::vector<bool> needed(const Stm& s) {
    std::vector<bool> keep(s.pattern.size());
    for (size_t i = s.pattern.size(); i-- > 0;) {
      keep[i] = live.contains(s.pattern[i].var);
      if (!keep[i]) continue;
      walk(p_.type(s.pattern[i].var), [&](const Var& v) { live.insert(v); });
    }
    for (size_t i = 0; i < keep.size(); i++) keep[i] = keep[i] || live.contains(s.pattern[i].var);
    return keep;
  }
  template <class T> static void keep_only(std::vector<T>& items, const std::vector<bool>& keep, size_t offset = 0) {
    size_t out = 0;
    for (size_t i = 0; i < items.size(); i++)
      if (i < offset || i - offset >= keep.size() || keep[i - offset]) {
        if (out != i) items[out] = std::move(items[i]);
        out++;
      }
    items.resize(out);
  }
  static bool all(const std::vector<bool>& keep) { return std::ranges::all_of(keep, [](bool b) { return b; }); }
  static bool none(const std::vector<bool>& keep) { return std::ranges::none_of(keep, [](bool b) { return b; }); }

  void prune(Stm& s, If& x) {
    std::vector<bool> keep = needed(s);
    if (all(keep)) return;
    keep_only(x.then_.result, keep);
    keep_only(x.else_.result, keep);
    keep_only(s.pattern, keep);
  }

  // What makes a value of a loop's body. In branches and loops inside, each result needs what makes that one.
  struct Made {
    Definitions definition;
    std::unordered_map<Var, std::pair<const For*, size_t>> state;      // of a loop inside: which one

    void add(const Body& b) {
      definition.add(b);
      for (const Stm& s : b.stms) {
        if (auto branch = std::get_if<If>(&s.exp)) {
          add(branch->then_);
          add(branch->else_);
        } else if (auto loop = std::get_if<For>(&s.exp)) {
          add(loop->body);
          for (size_t k = 0; k < loop->state.size(); k++) state[loop->state[k].var] = {loop, k};
        }
      }
    }
  };

  // State i is needed if its result is, or if the next value of a needed state (or the condition) uses it.
  template <class Loop> void prune_loop(Stm& s, Loop& x) {
    std::vector<bool> keep = needed(s);
    if (all(keep)) return;
    VarMap<size_t> state_of;                     // position + 1
    for (size_t i = 0; i < x.state.size(); i++) state_of[x.state[i].var] = i + 1;
    Made made;
    made.add(x.body);
    VarSet seen;
    std::vector<Var> work;
    auto reach = [&](Var v) { if (!seen.contains(v)) { seen.insert(v); work.push_back(v); } };
    auto need = [&](size_t i) {
      keep[i] = true;
      if (auto v = var_of(x.body.result[i])) reach(*v);
      walk(p_.type(x.state[i].var), [&](const Var& v) { reach(v); });
    };
    if constexpr (requires { x.cond; }) {
      for (size_t i = 0; i < x.cond.params.size(); i++) {
        if (mentions(p_, x.cond.body, x.cond.params[i].var)) keep[i] = true;
      }
      each_use(p_, x.cond.body, reach);
    }
    for (size_t i = 0; i < keep.size(); i++) if (keep[i]) need(i);
    while (!work.empty()) {
      Var v = work.back();
      work.pop_back();
      if (size_t i = state_of[v]; i && !keep[i - 1]) need(i - 1);
      auto next = [&](const For& loop, size_t k) {
        each_use(p_, loop.state[k], reach);
        each_use(p_, loop.init[k], reach);
        each_use(p_, loop.body.result[k], reach);
      };
      if (auto inner = made.state.find(v); inner != made.state.end()) {
        each_use(p_, Bind{v}, reach);
        next(*inner->second.first, inner->second.second);
      }
      const Stm* d = made.definition.of(v);
      auto branch = d ? std::get_if<If>(&d->exp) : nullptr;
      auto loop = d ? std::get_if<For>(&d->exp) : nullptr;
      if (!branch && !loop) {
        if (d) each_use(p_, *d, reach);
        continue;
      }
      each_use(p_, Bind{v}, reach);
      size_t k = size_t(std::ranges::find(d->pattern, v, &Bind::var) - d->pattern.begin());
      for (Var c : d->checks) reach(c);
      if (branch) {
        each_use(p_, branch->cond, reach);
        for (const Body* b : {&branch->then_, &branch->else_}) each_use(p_, b->result[k], reach);
      } else {
        each_use(p_, loop->n, reach);
        each_use(p_, loop->group, reach);
        each_use(p_, loop->slots, reach);
        next(*loop, k);
      }
    }
    if (all(keep)) return;
    if constexpr (requires { x.any_order; }) keep_operators(p_, x, keep);
    keep_only(x.state, keep);
    keep_only(x.init, keep);
    keep_only(x.body.result, keep);
    if constexpr (requires { x.cond; }) keep_only(x.cond.params, keep);
    keep_only(s.pattern, keep);
  }

  // Results: reduces, then outputs of post (or mapped values), then post_reduces. An operator goes if nobody uses any of its results; else
  // the components go that neither somebody nor a component that stays uses.
  static std::vector<bool> by_operator(const std::vector<Combine>& ops, const std::vector<bool>& keep, size_t first) {
    std::vector<bool> out;
    size_t at = first;
    for (const Combine& c : ops) {
      bool any = false;
      for (size_t i = 0; i < c.neutral.size(); i++) any = any || keep[at + i];
      at += c.neutral.size();
      out.push_back(any);
    }
    return out;
  }
  void prune_components(std::vector<Combine>& ops, std::vector<bool>& keep, size_t first) {
    size_t at = first;
    for (Combine& c : ops) {
      size_t k = c.neutral.size();
      std::vector<bool> which = components(c, {keep.begin() + ptrdiff_t(at), keep.begin() + ptrdiff_t(at + k)});
      for (size_t i = 0; i < k; i++) keep[at + i] = which[i];
      at += k;
      if (!all(which) && !none(which)) keep_components(c, which);
    }
  }
  // Whether a scan makes an array that nobody reads beside one that somebody does: its operator may need the component, but there is nothing to store.
  static bool scans_for_nobody(const std::vector<Combine>& scans, const std::vector<bool>& keep, size_t first) {
    for (const Combine& c : scans) {
      const auto begin = keep.begin() + ptrdiff_t(first), end = begin + ptrdiff_t(c.neutral.size());
      if (std::find(begin, end, true) != end && std::find(begin, end, false) != end) return true;
      first += c.neutral.size();
    }
    return false;
  }
  // `inner` are the results of pre or of a seg body, without those for dests.
  template <class Op> void prune_parts(Stm& s, Op& x, std::vector<Atom>& inner) {
    std::vector<bool> keep = needed(s);
    size_t reduced = width_of(x.reduces), post_reduced = width_of(x.post_reduces);
    bool identity = x.post.params.empty() && x.post.body.result.empty();
    size_t outputs = identity ? 0 : x.post.body.result.size() - post_reduced;
    // reductions
    std::vector<bool> keep_reduce = by_operator(x.reduces, keep, 0);
    std::vector<bool> keep_inner(inner.size(), true);
    prune_components(x.reduces, keep, 0);
    for (size_t i = 0; i < reduced; i++) keep_inner[i] = keep[i];
    std::vector<bool> keep_post, keep_params, keep_scan(x.scans.size(), true);
    if (identity) {
      keep_scan = by_operator(x.scans, keep, reduced);
      prune_components(x.scans, keep, reduced);
      for (size_t i = reduced; i < inner.size(); i++) keep_inner[i] = keep[i];
    } else {
      std::vector<bool> keep_post_reduces = by_operator(x.post_reduces, keep, reduced + outputs);
      prune_components(x.post_reduces, keep, reduced + outputs);
      keep_post.assign(keep.begin() + ptrdiff_t(reduced), keep.begin() + ptrdiff_t(reduced + outputs + post_reduced));
      keep_only(x.post.body.result, keep_post);
      keep_only(x.post_reduces, keep_post_reduces);
      sweep_now(x.post.body);
      for (Bind v : x.post.params) keep_params.push_back(live.contains(v.var));
      keep_scan = by_operator(x.scans, keep_params, 0);
      prune_components(x.scans, keep_params, 0);
      for (size_t i = 0; i < keep_params.size(); i++) keep_inner[reduced + i] = keep_params[i];
      keep_only(x.post.params, keep_params);
    }
    keep_only(x.reduces, keep_reduce);
    keep_only(x.scans, keep_scan);
    keep_only(inner, keep_inner);
    keep_only(s.pattern, keep);
  }
  void prune(Stm& s, Screma& x) {
    prune_parts(s, x, x.pre.body.result);
    sweep_now(x.pre.body);
    std::vector<bool> keep;
    for (Bind b : x.pre.params) keep.push_back(live.contains(b.var));
    keep_only(x.pre.params, keep);
    keep_only(x.inputs, keep);
  }
  void prune(Stm& s, Seg& x) {
    if (!x.dests.empty()) return;                // its arrays are consumed: results stay
    const size_t reduced = width_of(x.reduces);
    if (x.post.params.empty() && x.post.body.result.empty() && scans_for_nobody(x.scans, needed(s), reduced))
      for (size_t k = reduced; k < x.body.result.size(); k++) {
        x.post.params.push_back({p_.fresh("scanned", p_.type(x.body.result[k]))});
        x.post.body.result.push_back(x.post.params.back().var);
      }
    prune_parts(s, x, x.body.result);
    if (x.collective && x.reduces.empty() && x.scans.empty()) map_only(s, x);
  }
  // Without operators nothing is left for threads to combine.
  void map_only(const Stm& s, Seg& x) {
    x.collective = false;
    if (x.post.params.empty() && x.post.body.result.empty()) return;
    Builder b(p_, x.body.stms);
    b.source = s.source;
    x.body.result = b.inline_once(std::exchange(x.post, {}), x.body.result);
  }

  // A destination nobody reads goes, with its updates (C4).
  void prune(Stm& s, WithAcc& x) {
    std::vector<bool> keep = needed(s), keep_dest;
    size_t at = 0;
    for (const Dest& d : x.dests) {
      bool any = false;
      for (size_t i = 0; i < d.arrays.size(); i++) any = any || keep[at + i];
      keep_dest.push_back(any);
      for (size_t i = 0; i < d.arrays.size(); i++) keep[at + i] = any;
      at += d.arrays.size();
    }
    if (all(keep)) return;
    size_t n = x.dests.size();
    std::vector<bool> keep_result(keep_dest);
    for (size_t i = at; i < keep.size(); i++) keep_result.push_back(keep[i]);
    std::vector<Var> dead;
    for (size_t i = 0; i < n; i++) if (!keep_dest[i]) dead.push_back(x.scope.params[i].var);
    if (!dead.empty())
      drop_accumulators(p_, x.scope.body, [&](const AccType& t) { return std::ranges::find(dead, t.token) != dead.end(); });
    keep_only(x.scope.body.result, keep_result);
    std::vector<bool> keep_params(keep_dest);
    keep_params.insert(keep_params.end(), keep_dest.begin(), keep_dest.end());
    keep_only(x.scope.params, keep_params);
    keep_only(x.dests, keep_dest);
    keep_only(s.pattern, keep);
  }
};

}  // namespace

void drop_unused(ir::Program& program, PassContext& context, ir::Body& body) { Sweeper(program, context).body(body); }
std::vector<bool> components_of(ir::Program& program, PassContext& context, const ir::Combine& op, std::vector<bool> which) {
  return Sweeper(program, context).components(op, std::move(which));
}
std::vector<size_t> groups_of(ir::Program& program, PassContext& context, const ir::Combine& op) {
  size_t k = op.neutral.size();
  std::vector<size_t> group(k);
  std::iota(group.begin(), group.end(), size_t(0));
  for (size_t i = 0; i < k && k > 1; i++) {
    std::vector<bool> which(k);
    which[i] = true;
    which = components_of(program, context, op, which);
    for (size_t j = 0; j < k; j++)
      if (which[j]) std::ranges::replace(group, size_t(group[j]), size_t(group[i]));
  }
  return group;
}
ir::Combine part_of(ir::Program& program, PassContext& context, ir::Combine op, const std::vector<bool>& which) {
  Sweeper::keep_components(op, which);
  Sweeper(program, context).body(op.op.body);
  return op;
}

void dce(ir::Program& program, PassContext& context) {
  Sweeper sweeper(program, context);
  for (Function& f : program.functions) sweeper.body(f.lambda.body);
  sweeper.body(program.constants);               // last: functions use constants
}

}  // namespace raido
