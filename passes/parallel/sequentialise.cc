// sequentialise.cc - what runs one iteration after the other becomes loops: screma, hist and with_acc inside a seg body,
// and on one thread the task segs too.
//
//   screma n pre reduces scans post ..       its loop (loops.h)
//   hist n pre into [h] op                   with_acc [h] op (for i < n { pre; upd })
//   screma n pre scans (op [ne]) post ..     in vectors on a processor, in a map if the row is long (vector_scans.cc)
//   seg task (i < n) { .. if 0 < i .. }      a map whose ends differ is cut into parts (chunks.h): the loop of a part is peeled (peel.cc)
//   with_acc [a] op { .. upd acc [i] v .. }  the array itself stands for its accumulator; upd is: if 0 <= i < n, a[i] := op a[i] v
//
// A test of bounds is left out where the index is the counter of a loop over that very dimension. Statements keep their order;
// proofs become state of the loops.
#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/parallel/chunks.h"
#include "passes/parallel/long_loops.h"
#include "passes/parallel/loops.h"
#include "passes/parallel/segs.h"
#include "passes/parallel/vector_scans.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Sequentialise {
 public:
  Sequentialise(Program& p, Target target) : p_(p), target_(target) {}

  void body(Body& b) {
    List<Stm> old = std::exchange(b.stms, {});
    Builder out(p_, b.stms);
    for (auto& s : old.take()) statement(out, std::move(*s));
    b.result = expanded(b.result);
  }

 private:
  Program& p_;
  Target target_;
  int tasks_ = 0;                         // enclosing task segs
  int maps_ = 0;                          // enclosing loops whose iterations may run in lanes
  bool lanes_gain_ = false;               // some of them have loops of the user inside
  VarMap<std::vector<Var>> arrays_;       // an accumulator -> the arrays that stand for it
  VarMap<std::optional<Dest>> dest_;      // its token -> the destination, while the arrays stand for it
  VarMap<const Dest*> private_;           // token -> a destination of which every part gets a copy
  VarMap<std::optional<Dim>> bound_;      // a counter -> what it stays below
  VarSet counting_;                       // arrays start, start + 1, ..

  bool stands_for_arrays(const Type& t) const {
    auto acc = std::get_if<AccType>(&t);
    return acc && dest_[acc->token].has_value();
  }

  void statement(Builder& out, Stm s) {
    out.source = s.source;
    out.checks = {};
    if (auto x = std::get_if<Iota>(&s.exp); x && x->step == i64_atom(1)) counting_.insert(s.pattern[0].var);
    match(s.exp,
      [&](Screma& x) { screma(out, s, x); },
      [&](Hist& x) { hist(out, s, x); },
      [&](Seg& x) { seg(out, s, x); },
      [&](WithAcc& x) { with_acc(out, s, x); },
      [&](AccUpdate& x) { acc_update(out, s, x); },
      [&](If& x) {
        body(x.then_);
        body(x.else_);
        s.pattern = expanded(s.pattern);
        out.emit(std::move(s));
      },
      [&](For& x) {
        bound_[x.i.var] = x.n;
        x.init = expanded(x.init);
        x.state = expanded(x.state);
        body(x.body);
        s.pattern = expanded(s.pattern);
        out.emit(std::move(s));
      },
      [&](While& x) {
        x.init = expanded(x.init);
        x.state = expanded(x.state);
        x.cond.params = expanded(x.cond.params);
        body(x.cond.body);
        body(x.body);
        s.pattern = expanded(s.pattern);
        out.emit(std::move(s));
      },
      [&](Identity& x) {
        if (!stands_for_arrays(p_.type(x.value))) return out.emit(std::move(s));
        arrays_[s.pattern[0].var] = arrays_[*var_of(x.value)];
      },
      [&](auto&) { out.emit(std::move(s)); });   // nothing else has bodies or accumulators at this level
  }

  // ---- accumulators that are arrays ----

  std::vector<Atom> expanded(const std::vector<Atom>& atoms) const {
    std::vector<Atom> all;
    for (const Atom& a : atoms) {
      auto v = var_of(a);
      if (v && stands_for_arrays(p_.type(*v))) all.insert(all.end(), arrays_[*v].begin(), arrays_[*v].end());
      else all.push_back(a);
    }
    return all;
  }
  std::vector<Bind> expanded(const std::vector<Bind>& binds) {
    std::vector<Bind> all;
    for (Bind b : binds) {
      if (!stands_for_arrays(p_.type(b.var))) { all.push_back(b); continue; }
      std::vector<Var> arrays;
      for (Var v : dest_[std::get<AccType>(p_.type(b.var)).token]->arrays) {
        arrays.push_back(p_.fresh(p_.hint(b.var), p_.type(v)));
        all.push_back({arrays.back()});
      }
      arrays_[b.var] = arrays;
    }
    return all;
  }

  void with_acc(Builder& out, Stm& s, WithAcc& x) {
    size_t n = x.dests.size();
    bool on_arrays = std::any_of(x.dests.begin(), x.dests.end(), [&](const Dest& d) { return combines_arrays(d); });
    bool decided = std::ranges::none_of(x.dests, [](const Dest& d) { return d.conflict == Conflict::Unknown; });   // not in short rows
    if (target_ != Target::Sequential && tasks_ == 0 && !on_arrays && decided && runs_tasks(x.scope.body)) {
      for (size_t k = 0; k < n; k++)
        if (x.dests[k].conflict == Conflict::Private) private_[x.scope.params[k].var] = &x.dests[k];
      body(x.scope.body);
      for (Dest& d : x.dests)
        if (d.conflict == Conflict::Private) d.conflict = Conflict::None;   // the copies are combined cell by cell
      return out.emit(std::move(s));
    }
    tasks_++;                              // the arrays are updated by one thread: what is inside runs in one go
    for (size_t k = 0; k < n; k++) {
      dest_[x.scope.params[k].var] = x.dests[k];
      arrays_[x.scope.params[n + k].var] = x.dests[k].arrays;
    }
    for (auto& inner : x.scope.body.stms.take()) statement(out, std::move(*inner));
    tasks_--;
    out.source = s.source;
    const std::vector<Atom>& values = x.scope.body.result;
    std::vector<Atom> own(values.begin(), values.begin() + i64(n)), arrays = expanded(own);
    auto name = [&](Bind b, const Atom& value) { out.emit({{b}, Identity{value}, s.checks, s.source, {}}); };
    for (size_t k = 0; k < arrays.size(); k++) name(s.pattern[k], arrays[k]);
    for (size_t k = n; k < values.size(); k++) {        // further values; accumulators of a scope around may be among them
      Bind b = s.pattern[arrays.size() + k - n];
      if (!stands_for_arrays(p_.type(b.var))) { name(b, values[k]); continue; }
      std::vector<Var> stand_in = arrays_[*var_of(values[k])];      // the map may grow
      arrays_[b.var] = std::move(stand_in);
    }
    for (size_t k = 0; k < n; k++) dest_[x.scope.params[k].var].reset();
  }

  // Does the operator work on rows as a whole, or make or go over arrays inside? It then has no code at an update.
  bool combines_arrays(const Dest& d) const {
    if (!d.combine) return false;
    auto array = [&](Bind b) { return is_array(p_.type(b.var)); };
    bool found = std::ranges::any_of(d.combine->op.params, array);
    each_stm(d.combine->op.body, [&](const Stm& s) { found = found || kind_of(s.exp) == Kind::Parallel || std::ranges::any_of(s.pattern, array); });
    return found;
  }
  // True if an accumulator of the seg has a private copy in every part.
  bool has_private(const Stm& s) const {
    return std::any_of(s.pattern.begin(), s.pattern.end(), [&](Bind b) {
      auto acc = std::get_if<AccType>(&p_.type(b.var));
      return acc && private_[acc->token];
    });
  }

  // A task that does nothing but update, at places or with values that take long to compute. Lanes have no updates, so it is taken in parts: the loop of
  // each part can be divided (fission.cc).
  bool updates_after_long_work(const Stm& s, const Seg& x) const {
    bool found = false;
    for (const Stm& inner : x.body.stms) found = found || is_long_loop(p_, inner.exp);
    each_stm(x.body, [&](const Stm& inner) { found = found || (kind_of(inner.exp) == Kind::Parallel && !std::holds_alternative<Seg>(inner.exp)); });
    return found && x.level == SegLevel::Task && x.vectors != Vectors::No && std::ranges::all_of(s.pattern, [&](Bind b) { return is_acc(p_.type(b.var)); });
  }

  // A map on numbers that compares its index with what is the same at all points, as at its ends. The loop of a part is peeled (`peel`).
  bool has_ends(const Seg& x) const {
    if (x.level != SegLevel::Task || x.index.size() != 1) return false;
    const Var i = x.index[0].var;
    const VarSet inside = bound_in(x.body);
    Forms forms;
    bool found = false, straight = std::ranges::all_of(x.body.result, [&](const Atom& a) { return is_scalar(p_.type(a)); });
    auto is_outside = [&](const Affine& a) { return !any_term(a, [&](Var v) { return v == i || inside.contains(v); }); };
    auto is_index = [&](const Affine& a) { return a.factor(i) == 1 && is_outside(a.without(i)); };
    each_stm(x.body, [&](const Stm& s) {
      forms.define(p_, s);
      straight = straight && is_for_vectors(p_, s, inside);
      auto op = std::get_if<Apply>(&s.exp);
      if (!op || op->args.size() != 2 || elem_of(p_, op->args[0]) != Scalar::I64) return;
      const bool compares = op->op == ScalarOp::lt || op->op == ScalarOp::le || op->op == ScalarOp::eq || op->op == ScalarOp::min || op->op == ScalarOp::max;
      const Affine left = forms.of(op->args[0]), right = forms.of(op->args[1]);
      found = found || (compares && ((is_index(left) && is_outside(right)) || (is_outside(left) && is_index(right))));
    });
    return found && straight;
  }

  bool in_range(const Atom& at, const Dim& n) const {
    if (auto v = var_of(at)) return bound_[*v] && *bound_[*v] == n;
    auto c = const_of(at), d = const_of(n);
    return c && d && c->as_i64() >= 0 && c->as_i64() < d->as_i64();
  }

  void acc_update(Builder& out, Stm& s, AccUpdate& x) {
    if (!stands_for_arrays(p_.type(x.acc))) return out.emit(std::move(s));
    const AccType acc = std::get<AccType>(p_.type(x.acc));
    const Dest dest = *dest_[acc.token];
    out.checks = s.checks;
    std::optional<Term> inside;
    for (size_t d = 0; d < x.at.size(); d++) {
      if (x.in_range || in_range(x.at[d], acc.space[d])) continue;
      Term at = out.term(x.at[d]), here = all_of({le(out.number(Scalar::I64, 0), at), lt(at, out.term(acc.space[d]))});
      inside = inside ? and_(*inside, here) : here;
    }
    const std::vector<Var> old = arrays_[x.acc];
    auto update = [&] {
      std::vector<Atom> changed = updated(out, dest, old, x.at, x.values);
      return changed;
    };
    std::vector<Atom> now;
    if (inside) {
      Body yes = out.body(update), no;
      for (Var v : old) no.result.push_back(v);
      for (Var v : out.bind(p_.hint(old[0]), If{inside->atom, std::move(yes), std::move(no)})) now.push_back(v);
    } else {
      now = update();
    }
    std::vector<Var>& arrays = arrays_[s.pattern[0].var];
    for (const Atom& a : now) arrays.push_back(*var_of(a));
    out.checks = {};
  }

  // The arrays with op applied to their cell (or row) at `at` and `values`.
  std::vector<Atom> updated(Builder& out, const Dest& dest, const std::vector<Var>& arrays, const std::vector<Atom>& at,
                            const std::vector<Atom>& values) {
    if (dest.combine && !dest.combine->shape.empty())
      return sequential(out, [&](Builder& b) { return pointwise(b, *dest.combine, {arrays.begin(), arrays.end()}, at, values); });
    std::vector<Atom> cells, now = values;
    if (dest.combine) {
      for (Var v : arrays) cells.push_back(out.index("old", v, at));
      cells.insert(cells.end(), values.begin(), values.end());
      now = sequential(out, [&](Builder& b) { return b.inline_call(dest.combine->op, cells); });
    }
    std::vector<Atom> results;
    for (size_t k = 0; k < arrays.size(); k++) results.push_back(out.update(arrays[k], at, now[k]));
    return results;
  }

  // What `make` emits, made sequential.
  template <class F> std::vector<Atom> sequential(Builder& out, F make) {
    Body scratch;
    Builder inner(p_, scratch.stms);
    inner.source = out.source;
    inner.checks = out.checks;
    std::vector<Atom> results = make(inner);
    for (auto& s : scratch.stms.take()) statement(out, std::move(*s));
    return results;
  }

  // ---- screma, hist, seg to loops ----

  void screma(Builder& out, Stm& s, Screma& x) { one_by_one(out, s, parts_of(p_, s, x)); }
  void one_by_one(Builder& out, Stm& s, LoopParts parts) {
    if (target_ != Target::Gpu && gains_by_vectors(p_, s, parts)) {
      if (maps_ > 0 && !lanes_gain_) return by_length(out, s, std::move(parts));
      if (maps_ == 0) {
        for (Stm& part : in_vectors(p_, s, std::move(parts))) statement(out, std::move(part));
        return;
      }
    }
    in_map(parts.body, [&] { statement(out, loop_of(out, s, std::move(parts), counting_)); });
  }
  // What `fill` emits is a loop or task with such a body.
  template <class F> void in_map(const Body& b, F fill) {
    bool loops = false;
    each_stm(b, [&](const Stm& s) { loops = loops || kind_of(s.exp) == Kind::Loop; });
    const bool around = std::exchange(lanes_gain_, lanes_gain_ || loops);
    maps_++;
    fill();
    maps_--;
    lanes_gain_ = around;
  }
  // A scan of a row is in vectors if the row is long.
  void by_length(Builder& out, Stm& s, LoopParts parts) {
    auto named_anew = [&] {
      Stm version{{}, Identity{}, s.checks, s.source, {}};
      for (Bind b : s.pattern) version.pattern.push_back({p_.fresh(p_.hint(b.var), p_.type(b.var))});
      return version;
    };
    auto results = [](const Stm& version) {
      std::vector<Atom> made;
      for (Bind b : version.pattern) made.push_back(b.var);
      return made;
    };
    const Term is_long = le(out.number(Scalar::I64, costs::cpu::scan_strip), out.term(parts.width));
    If versions{is_long.atom, {}, {}};
    const Stm strips = named_anew();
    for (Stm& part : in_vectors(p_, strips, parts)) versions.then_.stms.push_back(std::move(part));
    versions.then_.result = results(strips);
    const Stm loop = named_anew();
    versions.else_ = out.body([&] {
      out.emit(loop_of(out, loop, std::move(parts), counting_));
      return results(loop);
    });
    s.exp = std::move(versions);
    statement(out, std::move(s));
  }
  void hist(Builder& out, Stm& s, Hist& x) {
    Seg as_seg{SegLevel::Task, {{p_.fresh("i", scalar_type(Scalar::I64))}}, {x.width}, {}, {}, {}, {}, {}, std::move(x.dests)};
    Builder inner(p_, as_seg.body.stms);
    inner.source = s.source;
    std::vector<Atom> elements;
    for (size_t k = 0; k < x.inputs.size(); k++)
      elements.push_back(is_array(p_.type(x.inputs[k]))
                             ? inner.index(p_.hint(x.pre.params[k].var), x.inputs[k], {as_seg.index[0].var})
                             : Atom(x.inputs[k]));
    as_seg.body.result = inner.inline_once(std::move(x.pre), elements);
    statement(out, with_updates(p_, s, std::move(as_seg)));
  }

  void seg(Builder& out, Stm& s, Seg& x) {
    if (x.level == SegLevel::Tile || x.level == SegLevel::Simd) return out.emit(std::move(s));        // it has code of its own (backends/kernel)
    if (x.collective) return collective(out, s, x);
    if (!x.dests.empty()) return statement(out, with_updates(p_, s, std::move(x)));
    bool in_one_go = target_ == Target::Sequential || tasks_ > 0 || is_short(x);
    if (x.level == SegLevel::Grid && tasks_ == 0) in_one_go = false;
    bool whole = is_seg_map(x) && !has_private(s) && !updates_after_long_work(s, x) && !has_ends(x);
    if (!in_one_go) known_after_scan(x);
    if (!in_one_go && is_collective_scan(p_, s, x)) return collective_scan(out, s, x);
    if (!in_one_go && !whole && !can_be_chunked(p_, s, x)) {
      if (x.level == SegLevel::Grid) return one_thread_for_each_row(out, s, x);
      in_one_go = true;
    }
    if (!in_one_go && !whole) {
      if (x.level == SegLevel::Grid && x.index.size() > 1 && x.scans.empty() && !x.parts) return rows(out, s, x);
      chunks(out, std::move(s));
      return;
    }
    if (in_one_go && x.index.size() > 1) return by_outer_index(out, s, x);
    if (in_one_go) {
      LoopParts parts{x.index[0].var, x.extent[0], std::move(x.body), std::move(x.reduces), std::move(x.scans), std::move(x.post), std::move(x.post_reduces)};
      return one_by_one(out, s, std::move(parts));
    }
    for (size_t d = 0; d < x.index.size(); d++) bound_[x.index[d].var] = x.extent[d];
    tasks_++;
    if (x.vectors == Vectors::No) body(x.body);
    else in_map(x.body, [&] { body(x.body); });
    tasks_--;
    out.emit(std::move(s));
  }
  void collective(Builder& out, Stm& s, Seg& x) {
    for (size_t d = 0; d < x.index.size(); d++) bound_[x.index[d].var] = x.extent[d];
    tasks_++;
    body(x.body);
    for (auto* ops : {&x.reduces, &x.scans}) for (Combine& c : *ops) body(c.op.body);
    body(x.post.body);
    tasks_--;
    out.emit(std::move(s));
  }
  // What goes past a scan, though it is known there as it is: an index, an accumulator, what is bound outside.
  void known_after_scan(Seg& x) {
    if (x.scans.empty() || x.post.params.empty() || !x.reduces.empty()) return;
    const VarSet inside = bound_in(x.body);
    const std::vector<Bind> params = std::exchange(x.post.params, {});
    const std::vector<Atom> elements = std::exchange(x.body.result, {});
    Subst known;
    for (size_t k = 0; k < params.size(); k++) {
      auto v = var_of(elements[k]);
      if (k >= width_of(x.scans) && (!v || !inside.contains(*v))) {
        known.emplace(params[k].var, elements[k]);
        continue;
      }
      x.post.params.push_back(params[k]);
      x.body.result.push_back(elements[k]);
    }
    substitute(p_, x.post.body, known);
  }
  void collective_scan(Builder& out, Stm& s, Seg& x) {
    x.collective = true;
    if (x.post.params.empty() && x.post.body.result.empty())
      for (const Atom& a : x.body.result) {
        x.post.params.push_back({p_.fresh("scanned", p_.type(a))});
        x.post.body.result.push_back(x.post.params.back().var);
      }
    collective(out, s, x);
  }
  void chunks(Builder& out, Stm s) {
    auto private_dest = [&](Var token) { return private_[token]; };
    std::vector<Stm> parts = chunked(p_, std::move(s), private_dest);
    VarMap<const Dest*> saved = std::exchange(private_, {});   // the parts themselves are not cut again
    for (Stm& part : parts) statement(out, std::move(part));
    private_ = std::move(saved);
  }
  //   seg reduce grid (i < n, k < m)   ==>   if n fills the device (and m is no long row) { seg map grid (i < n) { reduce } } else { chunks }
  void rows(Builder& out, Stm& s, Seg& x) {
    Term points = out.number(Scalar::I64, 1);
    for (size_t d = 0; d + 1 < x.extent.size(); d++) points = points * out.term(x.extent[d]);
    Term many = le(out.number(Scalar::I64, double(costs::gpu::full_device)), points);
    if (all_commute(p_, x.reduces) && x.post_reduces.empty()) many = and_(many, lt(out.term(x.extent.back()), out.number(Scalar::I64, double(costs::gpu::long_row))));
    auto version = [&](Stm one, auto make) {
      for (Bind& b : one.pattern) b.var = p_.fresh(p_.hint(b.var), p_.type(b.var));
      std::vector<Atom> made;
      for (Bind b : one.pattern) made.push_back(b.var);
      return out.body([&] { make(std::move(one)); return made; });
    };
    auto by_rows = [&](Stm one) { one_thread_for_each_row(out, one, std::get<Seg>(one.exp)); };
    auto by_chunks = [&](Stm one) { chunks(out, std::move(one)); };
    if (auto known = const_of(many.atom)) return known->as_i64() != 0 ? by_rows(std::move(s)) : by_chunks(std::move(s));
    Stm copy = s;
    copy.exp = clone(p_, s.exp);
    std::vector<Bind> pattern = s.pattern;
    If choice{many.atom, version(std::move(copy), by_rows), version(std::move(s), by_chunks)};
    out.emit({pattern, std::move(choice), {}, out.source, {}});
  }
  //   seg grid (i < n, k < m) ..   ==>   seg map grid (i < n) { seg grid (k < m) .. }, for loops have one index
  void by_outer_index(Builder& out, Stm& s, Seg& x) {
    Seg inner = std::move(x);
    Seg outer{inner.level, {inner.index[0]}, {inner.extent[0]}, {}, {}, {}, {}, {}, {}};
    inner.index.erase(inner.index.begin());
    inner.extent.erase(inner.extent.begin());
    outer.body = out.body([&] {
      std::vector<Atom> rows;
      for (Var v : out.bind("row", std::move(inner))) rows.push_back(v);
      return rows;
    });
    statement(out, Stm{s.pattern, std::move(outer), s.checks, s.source, s.attrs});
  }
  //   seg scan grid (i < n, k < m) ..   ==>   seg map grid (i < n) { seg scan task (k < m) .. }
  // and a single index becomes the inner one of a seg over one point, whose results are taken out again.
  void one_thread_for_each_row(Builder& out, Stm& s, Seg& x) {
    bool single = x.index.size() == 1;
    Seg outer{x.level, x.index, x.extent, {}, {}, {}, {}, {}, {}};
    Seg inner = std::move(x);
    inner.level = SegLevel::Task;
    inner.index = {outer.index.back()};
    inner.extent = {outer.extent.back()};
    outer.index.pop_back();
    outer.extent.pop_back();
    if (single) {
      outer.index.push_back({p_.fresh("z", scalar_type(Scalar::I64))});
      outer.extent.push_back(i64_atom(1));
    }
    outer.body = out.body([&] {
      std::vector<Atom> made;
      for (Var v : out.bind("row", std::move(inner))) made.push_back(v);
      return made;
    });
    Stm map{{}, std::move(outer), s.checks, s.source, s.attrs};
    std::vector<Bind> wanted = s.pattern;
    if (single) {
      for (Bind b : wanted) map.pattern.push_back({p_.fresh(p_.hint(b.var), lifted(i64_atom(1), p_.type(b.var)))});
    } else {
      map.pattern = wanted;
    }
    std::vector<Bind> lone = map.pattern;
    statement(out, std::move(map));
    if (!single) return;
    for (size_t k = 0; k < wanted.size(); k++) {
      bool row = is_array(p_.type(lone[k].var));
      Exp take = row ? Exp(Index{lone[k].var, {i64_atom(0)}}) : Exp(Identity{lone[k].var});
      statement(out, Stm{{wanted[k]}, std::move(take), {}, s.source, {}});
    }
  }

  // A short row is not worth a fork. A few parts of a loop are.
  static bool is_short(const Seg& x) {
    auto n = const_of(x.extent[0]);
    return x.level == SegLevel::Task && x.vectors != Vectors::No && n && n->as_i64() < 16;
  }

  static bool runs_tasks(const Body& b) {
    bool found = false;
    each_stm(b, [&](const Stm& s) {
      auto x = std::get_if<Seg>(&s.exp);
      found |= x && !is_short(*x);
    });
    return found;
  }

};

}  // namespace

void sequentialise(Program& program, PassContext& context) {
  Sequentialise sequentialise(program, context.target);
  program.each_body([&](Body& b) { sequentialise.body(b); });
}

}  // namespace raido
