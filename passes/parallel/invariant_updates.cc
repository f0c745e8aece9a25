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
#include "compiler/ir/term.h"
#include "passes/parallel/reach.h"
#include "passes/parallel/seg_updates.h"

namespace raido {
using namespace ir;
namespace {

class InvariantUpdates : SegUpdates {
 public:
  InvariantUpdates(Program& p, PassContext& c) : SegUpdates(p, c) {}

  // Code outside all segs.
  void body(Body& b) {
    rewrite(p_, b, [&](Builder& out, Stm& s, Subst& names) {
      if (auto fill = std::get_if<Replicate>(&s.exp)) filled_[s.pattern[0].var] = fill->value;
      if (auto seg = std::get_if<Seg>(&s.exp)) {
        if (seg->level != SegLevel::Grid || !is_map(*seg)) return false;
        while (reduce_one(out, s, *seg)) {}
        return drop_idle(s, *seg, names);
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
  VarMap<std::optional<Atom>> filled_;        // an array outside all segs, every element of which is this
  VarSet sums_;                               // arrays made here

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
    const std::vector<Path> all = updates_of(x);
    for (bool heavy : {false, true})
      for (size_t k = 0; k < all.size(); k++)
        if (reduce(out, s, x, all, k, heavy)) return true;
    return false;
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
    const Combine* op = operator_of(u);
    if (!op) return {};
    std::optional<Body> index = index_code(x.body, path, u.at);
    if (!index) return {};
    VarSet used;
    each_use(p_, *index, [&](Var v) { used.insert(v); });
    std::vector<size_t> order, invariant;     // dimensions that the index depends on, the others
    for (size_t d = 0; d < x.index.size(); d++) (used.contains(x.index[d].var) ? order : invariant).push_back(d);
    if (invariant.empty()) return {};
    const Body value = values_at_point(x, {{&path, op}});
    auto part = [&](size_t d) { return std::ranges::find(index->result, Atom(x.index[d].var)) - index->result.begin(); };
    std::vector<size_t> as_cells = order;
    std::ranges::stable_sort(as_cells, {}, part);
    if (!order.empty()) {                                // neighbouring threads read neighbours; else they have neighbouring cells
      const size_t now = reads_along(x, value, order.back()), then_ = reads_along(x, value, as_cells.back());
      if (now < then_ || now == 0) order = std::move(as_cells);
    }
    if (is_heavy(value)) {
      Seg rest = x;
      pass_on(rest, path);
      if (!heavy || !only_passes_on(s, rest)) return {};
    }
    const size_t kept = order.size();
    order.insert(order.end(), invariant.begin(), invariant.end());
    return Reducible{path, u, update.source, std::move(*index), std::move(order), kept};
  }

  // Reads of numbers that are neighbours where the points differ by one in this dimension.
  size_t reads_along(const Seg& x, const Body& value, size_t d) const {
    Forms forms;
    each_stm(value, [&](const Stm& s) { forms.define(p_, s); });
    size_t n = 0;
    each_stm(value, [&](const Stm& s) {
      auto load = std::get_if<Index>(&s.exp);
      auto last = load && is_scalar(p_.type(s.pattern[0].var)) ? std::get_if<Atom>(&load->at.back()) : nullptr;
      n += last && std::abs(forms.of(*last).factor(x.index[d].var)) == 1;
    });
    return n;
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
    for (const Reducible& r : group) ops.push_back(*operator_of(r.update));
    std::vector<Wanted> wanted;
    for (size_t k = 0; k < group.size(); k++) wanted.push_back({&group[k].path, &ops[k]});
    c_.stats.count("accumulators.invariant", int(group.size()));
    const std::vector<Var> sums = summed(out, x, order, kept, values_at_point(x, wanted), ops);
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
  // The values, combined over all dimensions but the first ones. Several dimensions are loops of the threads of the first ones, if these are many; or of
  // the threads of the first ones and the last, whose neighbours read neighbours. Else it is one dimension after the other, from inside.
  std::vector<Var> summed(Builder& out, const Seg& x, const std::vector<size_t>& order, size_t kept, Body values, const std::vector<Combine>& ops) {
    const std::vector<size_t> first(order.begin(), order.begin() + ptrdiff_t(kept));
    auto rest = [&](std::vector<size_t> left, std::vector<Var> sums) {
      while (left.size() > kept) {
        Body again;
        Builder b(p_, again.stms);
        b.source = out.source;
        for (Var v : sums) again.result.push_back(b.index(p_.hint(v), v, indices(x, left, left.size())));
        sums = over_dimensions(out, x, left, std::move(again), ops);
        left.pop_back();
      }
      return sums;
    };
    auto one_by_one = [&](Body body) {
      const std::vector<size_t> left(order.begin(), order.end() - 1);
      return rest(left, over_dimensions(out, x, order, std::move(body), ops));
    };
    if (order.size() - kept < 2 || kept == 0) return one_by_one(std::move(values));
    auto in_threads = [&](Body body) {
      for (size_t d = order.size(); d-- > kept + 1;) body = looped(x, order[d], std::move(body), ops);
      return over_dimensions(out, x, {order.begin(), order.begin() + ptrdiff_t(kept) + 1}, std::move(body), ops);
    };
    auto beside_last = [&](Body body) {
      std::vector<size_t> left = first;
      left.push_back(order.back());
      for (size_t d = order.size() - 1; d-- > kept;) body = looped(x, order[d], std::move(body), ops);
      return rest(left, out.bind("sum", map_over(x, left, std::move(body))));
    };
    Term points = out.number(Scalar::I64, 1);
    for (size_t d : first) points = points * out.term(x.extent[d]);
    const Term full = out.number(Scalar::I64, double(costs::gpu::full_device));
    auto either = [&](const Term& holds, auto then_, auto else_) {
      if (auto known = const_of(holds.atom)) return known->as_i64() ? then_() : else_();
      auto atoms = [](const std::vector<Var>& vars) { return std::vector<Atom>(vars.begin(), vars.end()); };
      If versions{holds.atom, {}, {}};
      versions.then_ = out.body([&] { return atoms(then_()); });
      versions.else_ = out.body([&] { return atoms(else_()); });
      return out.bind("sum", std::move(versions));
    };
    std::vector<Var> sums = either(le(full, points), [&] { return in_threads(values); }, [&] {
      const Term more = points * out.term(x.extent[order.back()]);
      return either(le(full, more), [&] { return beside_last(values); }, [&] { return one_by_one(values); });
    });
    for (Var v : sums) sums_.insert(v);
    return sums;
  }
  // The values over a dimension, combined in a loop.
  Body looped(const Seg& x, size_t d, Body body, const std::vector<Combine>& ops) {
    Body outer;
    Builder b(p_, outer.stms);
    For loop{x.index[d], x.extent[d], {}, {}, {}};
    for (const Combine& op : ops)
      for (const Atom& ne : op.neutral) {
        loop.init.push_back(ne);
        loop.state.push_back({p_.fresh("sum", p_.type(ne))});
      }
    loop.body = b.body([&] {
      b.emit_all(std::move(body.stms));
      std::vector<Atom> next;
      size_t from = 0;
      for (const Combine& op : ops) {
        std::vector<Atom> args;
        for (size_t k = 0; k < op.neutral.size(); k++) args.push_back(loop.state[from + k].var);
        args.insert(args.end(), body.result.begin() + ptrdiff_t(from), body.result.begin() + ptrdiff_t(from + op.neutral.size()));
        for (Atom& a : b.inline_call(op.op, args)) next.push_back(std::move(a));
        from += op.neutral.size();
      }
      return next;
    });
    for (Var v : b.bind("sum", std::move(loop))) outer.result.push_back(v);
    return outer;
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
  // no proof: the value has those of the update, and the new update looks where it is. Others may need proofs from outside.
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
    use_originals(code);
    keep_needed(p_, code);
    const VarSet inside = bound_in(b);
    for (const Stm& s : code.stms) {
      const bool in_branch = path.size() > 1;            // what is read there may be outside elsewhere
      const bool proved = std::ranges::none_of(s.checks, [&](Var c) { return inside.contains(c); });
      if (!proved || !(is_step(s.exp) || (kind_of(s.exp) == Kind::Read && !in_branch))) return {};
    }
    return code;
  }

  // Other names of a value give way to its own.
  void use_originals(Body& b) const {
    Subst names;
    for (Stm& s : b.stms) {
      substitute(p_, s, names);
      if (auto same = std::get_if<Identity>(&s.exp)) names.emplace(s.pattern[0].var, same->value);
    }
    substitute(p_, b.result, names);
  }
  static bool is_sum_or_product(const Exp& e) {
    auto x = std::get_if<Apply>(&e);
    return x && (x->op == ScalarOp::add || x->op == ScalarOp::sub || x->op == ScalarOp::mul);
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
