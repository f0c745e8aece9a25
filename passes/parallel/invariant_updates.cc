// invariant_updates.cc - an update whose index does not depend on all dimensions of its seg is reduced over the others.
//
//   seg grid (i < m, j < n, k < q) { .. let a' = upd a [i, k] v .. }
//   ==>
//   let s = seg grid (i < m, k < q, j < n) { .. in v } reduces op            one such seg for each invariant dimension
//   let a' = seg grid (i < m, k < q) { let s' = s[i, k] in upd a [i, k] s' }
//   seg grid (i < m, j < n, k < q) { .. }                                     the rest, if anything is left
//
// Updates that are reduced over the same dimensions are one seg with several reductions: the forces on a body in three coordinates.
//
// What v needs is computed again in the new seg: loads and arithmetic always, loops and updates in place (which consume what
// they update, once) only where nothing of the old seg is left. An update in a branch contributes v or the neutral element. Then a
// destination needs no atomics if each point of a seg updates cells of its own (reach.h).
#include "passes/parallel/invariant_updates.h"

#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "passes/parallel/reach.h"

namespace raido {
using namespace ir;
namespace {

// Where an update stands: the number of a statement in each body from the seg's inwards, and the branch taken there.
struct PathStep {
  size_t statement;
  bool then_ = false;
};
using Path = std::vector<PathStep>;

class InvariantUpdates {
 public:
  InvariantUpdates(Program& p, PassContext& c) : p_(p), c_(c) {}

  // Code outside all segs.
  void body(Body& b) {
    rewrite(p_, b, [&](Builder& out, Stm& s, Subst& names) {
      if (auto fill = std::get_if<Replicate>(&s.exp)) filled_[s.pattern[0].var] = fill->value;
      if (auto seg = std::get_if<Seg>(&s.exp)) {
        if (seg->level != SegLevel::Grid || !is_map(*seg)) return false;
        while (reduce_one(out, s, *seg)) {}
        if (!only_passes_on(s, *seg)) return false;
        for (Bind v : s.pattern) names[v.var] = outside(*seg, v.var);
        return true;
      }
      auto w = std::get_if<WithAcc>(&s.exp);
      if (!w) {
        walk_parts(s, [&](Body& inner) { body(inner); });
        return false;
      }
      for (size_t k = 0; k < w->dests.size(); k++) dests_[w->scope.params[k].var] = w->dests[k];
      body(w->scope.body);
      for (size_t k = w->dests.size(); k-- > 0;) store(s, *w, k);
      exclusive(*w);
      if (!w->dests.empty()) return false;
      out.emit_all(std::move(w->scope.body.stms));       // nothing is accumulated any more
      for (size_t k = 0; k < s.pattern.size(); k++) names[s.pattern[k].var] = w->scope.body.result[k];
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  VarMap<std::optional<Dest>> dests_;         // by token
  VarMap<std::optional<Atom>> filled_;        // an array outside all segs, every element of which is this

  VarSet sums_;                               // arrays made here

  static bool is_map(const Seg& x) {
    return x.reduces.empty() && x.scans.empty() && x.post_reduces.empty() && x.dests.empty() && x.post.body.result.empty();
  }
  const AccType& acc_type(const Atom& a) const { return std::get<AccType>(p_.type(*var_of(a))); }
  // The version of v's accumulator that the seg begins with.
  Var outside(const Seg& x, Var v) const {
    for (Var free : free_vars(p_, x.body))
      if (auto acc = std::get_if<AccType>(&p_.type(free)); acc && acc->token == acc_type(v).token) return free;
    PANIC("a result is an accumulator that the body does not use");
  }
  static bool has_updates(const Seg& x) {
    bool found = false;
    each_stm(x.body, [&](const Stm& s) { found |= std::holds_alternative<AccUpdate>(s.exp); });
    return found;
  }
  bool only_passes_on(const Stm& s, const Seg& x) const {
    bool accs = std::all_of(s.pattern.begin(), s.pattern.end(), [&](Bind b) { return is_acc(p_.type(b.var)); });
    return accs && !has_updates(x);
  }

  // ---- one update ----

  bool reduce_one(Builder& out, Stm& s, Seg& x) {
    std::vector<Path> all;
    Path here;
    find(x.body, here, all);
    for (bool heavy : {false, true})
      for (size_t k = 0; k < all.size(); k++)
        if (reduce(out, s, x, all, k, heavy)) return true;
    return false;
  }
  static void find(const Body& b, Path& here, std::vector<Path>& all) {
    for (size_t k = 0; k < b.stms.size(); k++) {
      here.push_back({k});
      if (std::holds_alternative<AccUpdate>(b.stms[k].exp)) all.push_back(here);
      if (auto x = std::get_if<If>(&b.stms[k].exp)) {
        find(x->else_, here, all);
        here.back().then_ = true;
        find(x->then_, here, all);
      }
      here.pop_back();
    }
  }
  template <class B> static auto& at(B& b, const Path& path, size_t depth = 0) {
    auto& s = b.stms[path[depth].statement];
    if (depth + 1 == path.size()) return s;
    auto& x = std::get<If>(s.exp);
    return at(path[depth].then_ ? x.then_ : x.else_, path, depth + 1);
  }

  // An update that may be reduced: the code of its index, and the dimensions, those that the index depends on first.
  struct Reducible {
    Path path;
    AccUpdate update;
    Source source;
    Body index;
    std::vector<size_t> order;
    size_t kept;
  };
  std::optional<Reducible> reducible(const Stm& s, const Seg& x, const Path& path, bool heavy) {
    const Stm& update = at(x.body, path);
    const AccUpdate& u = std::get<AccUpdate>(update.exp);
    const std::optional<Dest> dest = dests_[acc_type(u.acc).token];
    if (!dest || !dest->combine || !dest->combine->shape.empty()) return {};
    for (const Atom& v : u.values) if (!is_scalar(p_.type(v))) return {};

    std::optional<Body> index = index_code(x.body, path, u.at);
    if (!index) return {};
    VarSet used;
    each_use(p_, *index, [&](Var v) { used.insert(v); });
    std::vector<size_t> order, invariant;     // dimensions that the index depends on, the others
    for (size_t d = 0; d < x.index.size(); d++) (used.contains(x.index[d].var) ? order : invariant).push_back(d);
    if (invariant.empty()) return {};
    Body value = value_code(x.body, {{&path, &*dest->combine}}, 0);
    only_needed(value);
    if (is_heavy(value)) {
      Seg rest = x;
      pass_on(rest, path);
      if (!heavy || !only_passes_on(s, rest)) return {};
    }
    const size_t kept = order.size();
    order.insert(order.end(), invariant.begin(), invariant.end());
    return Reducible{path, u, update.source, std::move(*index), std::move(order), kept};
  }
  void only_needed(Body& value) {
    drop_accumulators(p_, value, [](const AccType&) { return true; });
    keep_needed(p_, value);
  }

  // The update at a path, and others that are reduced over the same dimensions: one seg reads what all need.
  bool reduce(Builder& out, Stm& s, Seg& x, const std::vector<Path>& all, size_t number, bool heavy) {
    auto first = reducible(s, x, all[number], heavy);
    if (!first || !c_.allow()) return false;
    std::vector<Reducible> group = {std::move(*first)};
    for (size_t k = number + 1; k < all.size() && !heavy && group.size() < costs::gpu::joined_results; k++) {
      auto more = reducible(s, x, all[k], false);
      if (more && more->order == group[0].order && more->kept == group[0].kept) group.push_back(std::move(*more));
    }
    std::vector<size_t> order = group[0].order;
    const size_t kept = group[0].kept;
    std::vector<Combine> ops;
    for (const Reducible& r : group) ops.push_back(*dests_[acc_type(r.update.acc).token]->combine);
    std::vector<Wanted> wanted;
    for (size_t k = 0; k < group.size(); k++) wanted.push_back({&group[k].path, &ops[k]});
    c_.stats.count("accumulators.invariant", int(group.size()));
    Body values = value_code(x.body, wanted, 0);
    only_needed(values);
    std::vector<Var> sums = over_dimensions(out, x, order, std::move(values), ops);
    while (order.size() - 1 > kept) {         // the invariant dimensions that are left, from inside
      order.pop_back();
      Body again;
      Builder b(p_, again.stms);
      b.source = group[0].source;
      for (Var v : sums) again.result.push_back(b.index(p_.hint(v), v, indices(x, order, order.size())));
      sums = over_dimensions(out, x, order, std::move(again), ops);
    }
    order.resize(kept);

    size_t next = 0;
    for (Reducible& r : group) {
      Body code = std::move(r.index);
      Builder b(p_, code.stms);
      b.source = r.source;
      std::vector<Atom> where = std::exchange(code.result, {}), sum;
      for (size_t k = 0; k < r.update.values.size(); k++, next++)
        sum.push_back(kept == 0 ? Atom(sums[next]) : b.index(p_.hint(sums[next]), sums[next], indices(x, order, kept)));
      Var before = outside(x, r.update.acc);
      code.result = {b.bind1(p_.hint(r.update.acc), AccUpdate{before, where, sum})};
      Var after = out.bind(p_.hint(r.update.acc), map_over(x, order, std::move(code))).at(0);
      substitute(p_, x.body, Subst{{before, after}});
    }
    for (const Reducible& r : reversed(group)) pass_on(x, r.path);     // the last first: the others stay where they are
    return true;
  }
  // The update is left out.
  void pass_on(Seg& x, const Path& path) {
    Stm gone = at(x.body, path);
    Body* b = &x.body;
    for (size_t d = 0; d + 1 < path.size(); d++) {
      If& inner = std::get<If>(b->stms[path[d].statement].exp);
      b = path[d].then_ ? &inner.then_ : &inner.else_;
    }
    b->stms.erase(b->stms[path.back().statement]);
    substitute(p_, x.body, Subst{{gone.pattern[0].var, std::get<AccUpdate>(gone.exp).acc}});
  }
  std::vector<Atom> indices(const Seg& x, const std::vector<size_t>& order, size_t n) const {
    std::vector<Atom> all;
    for (size_t d = 0; d < n; d++) all.push_back(x.index[order[d]].var);
    return all;
  }
  // A seg map over some dimensions of x, with code in terms of x's index variables; over one point if there is none.
  Seg map_over(const Seg& x, const std::vector<size_t>& order, Body code) {
    Lambda f{{}, std::move(code)};
    Seg seg{SegLevel::Grid, {}, {}, {}, {}, {}, {}, {}, {}};
    for (size_t d : order) {
      f.params.push_back(x.index[d]);
      seg.extent.push_back(x.extent[d]);
    }
    if (order.empty()) {
      f.params.push_back({p_.fresh("z", scalar_type(Scalar::I64))});
      seg.extent.push_back(i64_atom(1));
    }
    f = clone(p_, f);
    seg.index = std::move(f.params);
    seg.body = std::move(f.body);
    return seg;
  }
  std::vector<Var> over_dimensions(Builder& out, const Seg& x, const std::vector<size_t>& order, Body code, const std::vector<Combine>& ops) {
    Seg seg = map_over(x, order, std::move(code));
    for (const Combine& op : ops) seg.reduces.push_back(clone(p_, op));
    std::vector<Var> sums = out.bind("sum", std::move(seg));
    for (Var v : sums) sums_.insert(v);
    return sums;
  }

  // The statements that the index needs, all of them total, so that it may be computed where the update is not done. A sum or product needs
  // no proof: the value has those of the update, and the new update looks where it is.
  std::optional<Body> index_code(const Body& b, const Path& path, const std::vector<Atom>& index) const {
    Body code;
    code.result = index;
    const Body* inner = &b;
    for (size_t d = 0; d < path.size(); d++) {
      for (size_t k = 0; k < path[d].statement; k++) code.stms.push_back(inner->stms[k]);
      if (d + 1 == path.size()) break;
      const If& x = std::get<If>(inner->stms[path[d].statement].exp);
      inner = path[d].then_ ? &x.then_ : &x.else_;
    }
    for (Stm& s : code.stms) if (is_sum_or_product(s.exp)) s.checks.clear();
    keep_needed(p_, code);
    for (const Stm& s : code.stms) {
      bool in_branch = path.size() > 1;                  // what is read there may be outside elsewhere
      if (!s.checks.empty() || !(is_step(s.exp) || (kind_of(s.exp) == Kind::Read && !in_branch))) return {};
    }
    return code;
  }

  static bool is_sum_or_product(const Exp& e) {
    auto x = std::get_if<Apply>(&e);
    return x && (x->op == ScalarOp::add || x->op == ScalarOp::sub || x->op == ScalarOp::mul);
  }
  // What updates contribute at a point: their values, or neutral elements where a branch leads past them. Those in one branch come from one.
  struct Wanted { const Path* path; const Combine* op; };
  Body value_code(const Body& b, const std::vector<Wanted>& wanted, size_t depth) {
    Body code;
    std::vector<std::vector<Atom>> values(wanted.size());
    size_t end = 0;
    for (const Wanted& w : wanted) end = std::max(end, (*w.path)[depth].statement + 1);
    for (size_t k = 0; k < end; k++) {
      const Stm& s = b.stms[k];
      code.stms.push_back(s);
      Builder out(p_, code.stms);
      out.source = s.source;
      out.checks = s.checks;
      std::vector<size_t> here, yes, no;                 // numbers of those wanted
      for (size_t w = 0; w < wanted.size(); w++) if ((*wanted[w].path)[depth].statement == k) here.push_back(w);
      if (here.empty()) continue;
      if (auto u = std::get_if<AccUpdate>(&s.exp)) {
        for (const Atom& v : u->values) values[here[0]].push_back(s.checks.empty() ? v : Atom(out.bind1("value", Identity{v})));
        continue;
      }
      for (size_t w : here) ((*wanted[w].path)[depth].then_ ? yes : no).push_back(w);
      const If& x = std::get<If>(s.exp);
      If made{x.cond, branch_code(x.then_, wanted, yes, no, depth + 1), branch_code(x.else_, wanted, no, yes, depth + 1)};
      std::rotate(made.else_.result.begin(), made.else_.result.end() - ptrdiff_t(count(wanted, yes)), made.else_.result.end());
      std::vector<Var> results = out.bind("value", clone(p_, made));
      size_t next = 0;
      for (const auto& part : {yes, no})
        for (size_t w : part)
          for (size_t i = 0; i < wanted[w].op->neutral.size(); i++) values[w].push_back(results[next++]);
    }
    for (const auto& v : values) code.result.insert(code.result.end(), v.begin(), v.end());
    return code;
  }
  static size_t count(const std::vector<Wanted>& wanted, const std::vector<size_t>& which) {
    size_t n = 0;
    for (size_t w : which) n += wanted[w].op->neutral.size();
    return n;
  }
  // The values of those updates that are in the branch, then neutral elements for the others.
  Body branch_code(const Body& b, const std::vector<Wanted>& wanted, const std::vector<size_t>& inside, const std::vector<size_t>& others, size_t depth) {
    std::vector<Wanted> own;
    for (size_t w : inside) own.push_back(wanted[w]);
    Body code = value_code(b, own, depth);
    for (size_t w : others) code.result.insert(code.result.end(), wanted[w].op->neutral.begin(), wanted[w].op->neutral.end());
    return code;
  }
  static bool is_heavy(const Body& b) {
    bool heavy = false;
    each_stm(b, [&](const Stm& s) {
      Kind k = kind_of(s.exp);
      heavy |= k == Kind::Loop || k == Kind::Parallel || k == Kind::Scope || k == Kind::Call || k == Kind::Make || std::holds_alternative<Update>(s.exp);
    });
    return heavy;
  }

  // ---- plain stores ----

  // Destination k is filled with neutral elements and updated once, at every cell: the values are the result, beside others of the seg if
  // it has any.
  void store(Stm& s, WithAcc& w, size_t k) {
    const Dest& d = w.dests[k];
    Var token = w.scope.params[k].var, acc = w.scope.params[w.dests.size() + k].var;
    if (!d.combine || !d.combine->shape.empty()) return;
    for (size_t i = 0; i < d.arrays.size(); i++)
      if (!filled_[d.arrays[i]] || *filled_[d.arrays[i]] != d.combine->neutral[i]) return;
    Stm* only = nullptr;                      // the statement of the scope that has the update
    size_t updates = 0;
    for (Stm& inner : w.scope.body.stms) {
      size_t before = updates;
      auto count = [&](const Stm& t) { updates += std::holds_alternative<AccUpdate>(t.exp) && acc_type(std::get<AccUpdate>(t.exp).acc).token == token; };
      count(inner);
      walk_parts(inner, [&](const Body& part) { each_stm(part, count); });
      if (updates > before) only = &inner;
    }
    Seg* x = only && updates == 1 ? std::get_if<Seg>(&only->exp) : nullptr;
    if (!x || x->level != SegLevel::Grid || !is_map(*x)) return;
    const Stm* update = nullptr;
    for (const Stm& inner : x->body.stms)
      if (auto u = std::get_if<AccUpdate>(&inner.exp); u && acc_type(u->acc).token == token) update = &inner;
    size_t part = 0;                          // the result of the seg
    while (part < only->pattern.size() && !(is_acc(p_.type(only->pattern[part].var)) && acc_type(only->pattern[part].var).token == token)) part++;
    if (!update || part == only->pattern.size() || outside(*x, only->pattern[part].var) != acc) return;
    const Var version = only->pattern[part].var;
    const bool single = only->pattern.size() == 1;
    const AccUpdate u = std::get<AccUpdate>(update->exp);
    const std::vector<Dim> space = acc_type(acc).space;
    Seg whole{x->level, {}, {}, {}, {}, {}, {}, {}, {}};
    for (size_t i = 0; i < u.at.size(); i++) {
      auto dim = std::find_if(x->index.begin(), x->index.end(), [&](Bind b) { return Atom(b.var) == u.at[i]; });
      if (dim == x->index.end() || x->extent[size_t(dim - x->index.begin())] != space[i]) return;
      whole.index.push_back(*dim);
      whole.extent.push_back(space[i]);
    }
    if (whole.index.size() != x->index.size() ||
        std::find(w.scope.body.result.begin(), w.scope.body.result.end(), Atom(version)) != w.scope.body.result.begin() + ptrdiff_t(k)) return;
    for (size_t i = 0; i < whole.index.size(); i++) if (!single && whole.index[i].var != x->index[i].var) return;
    for (size_t i = 0; i < whole.index.size(); i++)
      for (size_t j = 0; j < i; j++) if (whole.index[i].var == whole.index[j].var) return;
    if (!c_.allow()) return;
    c_.stats.count("accumulators.store");

    size_t first = 0, n = d.arrays.size();
    for (size_t i = 0; i < k; i++) first += w.dests[i].arrays.size();
    std::vector<Atom>& results = w.scope.body.result;
    results.erase(results.begin() + ptrdiff_t(k));
    whole.body.stms = std::move(x->body.stms);
    whole.body.stms.erase(*update);
    whole.body.result = std::move(x->body.result);
    whole.body.result.erase(whole.body.result.begin() + ptrdiff_t(part));
    whole.body.result.insert(whole.body.result.end(), u.values.begin(), u.values.end());
    std::optional<std::vector<Atom>> loaded = single ? only_loads(whole) : std::nullopt;
    std::vector<Bind> made;
    for (const Atom& v : u.values) made.push_back({p_.fresh(p_.hint(version), lifted(space, p_.type(v)))});
    if (loaded) {
      for (const Atom& a : *loaded) results.push_back(a);
      w.scope.body.stms.erase(*only);
    } else {
      for (Bind b : made) results.push_back(b.var);
      only->pattern.erase(only->pattern.begin() + ptrdiff_t(part));
      only->pattern.insert(only->pattern.end(), made.begin(), made.end());
      only->exp = std::move(whole);
    }
    std::rotate(s.pattern.begin() + ptrdiff_t(first), s.pattern.begin() + ptrdiff_t(first + n), s.pattern.end());
    w.scope.params.erase(w.scope.params.begin() + ptrdiff_t(w.dests.size() + k));
    w.scope.params.erase(w.scope.params.begin() + ptrdiff_t(k));
    w.dests.erase(w.dests.begin() + ptrdiff_t(k));
  }
  // The arrays, if the seg's values are elements of sums at its own indices.
  std::optional<std::vector<Atom>> only_loads(const Seg& x) const {
    std::vector<Atom> arrays;
    std::vector<Selector> own;
    for (Bind b : x.index) own.push_back(Atom(b.var));
    for (const Atom& value : x.body.result) {
      for (const Stm& s : x.body.stms) {
        auto load = std::get_if<Index>(&s.exp);
        if (load && Atom(s.pattern[0].var) == value && load->at == own && sums_.contains(load->array)) arrays.push_back(load->array);
      }
    }
    if (arrays.size() != x.body.result.size()) return {};
    return arrays;
  }

  // ---- no conflicts ----

  // Sets `none` where each point of a seg updates cells of its own.
  void exclusive(WithAcc& w) {
    Forms forms;
    each_stm(w.scope.body, [&](const Stm& s) { forms.define(p_, s); });
    for (size_t k = 0; k < w.dests.size(); k++) {
      Dest& d = w.dests[k];
      if (d.conflict != Conflict::Unknown || !d.combine || reach(p_, w.scope.body, w.scope.params[k].var, forms) != 0) continue;
      c_.stats.count("accumulators.exclusive");
      d.conflict = Conflict::None;
    }
  }
};

}  // namespace

void reduce_invariant_updates(Program& program, PassContext& context) {
  InvariantUpdates pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
