// sequentialise.cc - what runs one iteration after the other becomes loops: screma, hist and with_acc inside a seg body,
// and on one thread the task segs too.
//
//   screma n pre reduces scans post ..       for i < n (accumulators, outputs = scratch) { pre; op; post; outputs[i] := .. }
//   hist n pre into [h] op                   with_acc [h] op (for i < n { pre; upd })
//   with_acc [a] op { .. upd acc [i] v .. }  the array itself stands for its accumulator; upd is: if 0 <= i < n, a[i] := op a[i] v
//
// A loop that sums floats, or takes their minimum or maximum, and beside that stores at a place of its own in each iteration, says
// `any_order`: a compiler may take several iterations side by side.
//
// Operators with a shape are loops over the rows they combine; where a map makes such a row for them alone, its own loop
// combines the elements (decision 003). A test of bounds is left out where the index is the counter
// of a loop over that very dimension. Statements keep their order; proofs become state of the loops.
#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/parallel/chunks.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// A screma or hist, whichever way it was written.
struct Parts {
  Var i;
  Dim width;
  Body body;
  std::vector<Combine> reduces, scans;
  Lambda post;
  std::vector<Combine> post_reduces;
};

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
    bool rows = std::any_of(x.dests.begin(), x.dests.end(), [&](const Dest& d) { return combines_rows_as_a_whole(d); });
    bool decided = std::ranges::none_of(x.dests, [](const Dest& d) { return d.conflict == Conflict::Unknown; });   // not in short rows
    if (target_ != Target::Sequential && tasks_ == 0 && !rows && decided && runs_tasks(x.scope.body)) {
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

  bool combines_rows_as_a_whole(const Dest& d) const {
    return d.combine && d.combine->shape.empty() && int(shape_of(p_.type(d.arrays[0])).size()) > d.rank;
  }
  // True if an accumulator of the seg has a private copy in every part.
  bool has_private(const Stm& s) const {
    return std::any_of(s.pattern.begin(), s.pattern.end(), [&](Bind b) {
      auto acc = std::get_if<AccType>(&p_.type(b.var));
      return acc && private_[acc->token];
    });
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
      return pointwise(out, *dest.combine, {arrays.begin(), arrays.end()}, at, values, {}, 0);
    std::vector<Atom> cells, now = values;
    if (dest.combine) {
      for (Var v : arrays) cells.push_back(out.index("old", v, at));
      cells.insert(cells.end(), values.begin(), values.end());
      now = run_lambda(out, dest.combine->op, cells);
    }
    std::vector<Atom> results;
    for (size_t k = 0; k < arrays.size(); k++) results.push_back(out.update(arrays[k], at, now[k]));
    return results;
  }

  // Applies a copy of `f`, made sequential.
  std::vector<Atom> run_lambda(Builder& out, const Lambda& f, const std::vector<Atom>& args) {
    Body scratch;
    Builder inner(p_, scratch.stms);
    inner.source = out.source;
    std::vector<Atom> results = inner.inline_call(f, args);
    for (auto& s : scratch.stms.take()) statement(out, std::move(*s));
    return results;
  }

  // a[at.., j..] := op a[at.., j..] v[j..] for all j in the operator's shape.
  std::vector<Atom> pointwise(Builder& out, const Combine& c, const std::vector<Atom>& arrays, std::vector<Atom> at,
                              const std::vector<Atom>& values, std::vector<Atom> row, size_t depth) {
    if (depth == c.shape.size()) {
      std::vector<Atom> args, results;
      for (const Atom& a : arrays) args.push_back(out.index("old", *var_of(a), at));
      for (const Atom& v : values) args.push_back(row.empty() ? v : out.index("x", *var_of(v), row));
      std::vector<Atom> now = run_lambda(out, c.op, args);
      for (size_t k = 0; k < arrays.size(); k++) results.push_back(out.update(*var_of(arrays[k]), at, now[k]));
      return results;
    }
    For loop{{p_.fresh("j", scalar_type(Scalar::I64))}, c.shape[depth], {}, arrays, {}};
    std::vector<Atom> state;
    for (const Atom& a : arrays) {
      loop.state.push_back({p_.fresh(p_.hint(*var_of(a)), p_.type(a))});
      state.push_back(loop.state.back().var);
    }
    at.push_back(loop.i.var);
    row.push_back(loop.i.var);
    loop.body = out.body([&] { return pointwise(out, c, state, at, values, row, depth + 1); });
    std::vector<Atom> results;
    for (Var v : out.bind("row", std::move(loop))) results.push_back(v);
    return results;
  }

  // ---- screma, hist, seg to loops ----

  void screma(Builder& out, Stm& s, Screma& x) {
    loop(out, s, parts_of(s, x));
  }
  // The lambda applied to the elements of the inputs at an index.
  Parts parts_of(const Stm& s, Screma& x) {
    Parts parts{p_.fresh("i", scalar_type(Scalar::I64)), x.width, {}, std::move(x.reduces), std::move(x.scans),
                std::move(x.post), std::move(x.post_reduces)};
    Builder inner(p_, parts.body.stms);
    inner.source = s.source;
    std::vector<Atom> elements;
    for (size_t k = 0; k < x.inputs.size(); k++)
      elements.push_back(is_array(p_.type(x.inputs[k])) ? inner.index(p_.hint(x.pre.params[k].var), x.inputs[k], {parts.i})
                                                        : Atom(x.inputs[k]));
    parts.body.result = inner.inline_once(std::move(x.pre), elements);
    return parts;
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
    if (x.collective) return collective(out, s, x);
    if (!x.dests.empty()) return statement(out, with_updates(p_, s, std::move(x)));
    bool in_one_go = target_ == Target::Sequential || tasks_ > 0 || is_short(x);
    if (x.level == SegLevel::Grid && tasks_ == 0) in_one_go = false;
    bool whole = is_seg_map(x) && !has_private(s);
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
      return loop(out, s, {x.index[0].var, x.extent[0], std::move(x.body), std::move(x.reduces), std::move(x.scans),
                           std::move(x.post), std::move(x.post_reduces)});
    }
    for (size_t d = 0; d < x.index.size(); d++) bound_[x.index[d].var] = x.extent[d];
    tasks_++;
    body(x.body);
    tasks_--;
    out.emit(std::move(s));
  }
  void collective(Builder& out, Stm& s, Seg& x) {
    for (size_t d = 0; d < x.index.size(); d++) bound_[x.index[d].var] = x.extent[d];
    tasks_++;
    body(x.body);
    for (Combine& c : x.reduces) body(c.op.body);
    tasks_--;
    out.emit(std::move(s));
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

  // A short row is not worth a fork.
  static bool is_short(const Seg& x) {
    auto n = const_of(x.extent[0]);
    return x.level == SegLevel::Task && n && n->as_i64() < 16;
  }

  static bool runs_tasks(const Body& b) {
    bool found = false;
    each_stm(b, [&](const Stm& s) {
      auto x = std::get_if<Seg>(&s.exp);
      found |= x && !is_short(*x);
    });
    return found;
  }

  // The one version of the accumulator of `token` that is used from outside.
  Var free_acc(const Parts& x, Var token) const {
    auto is_it = [&](Var v) { auto acc = std::get_if<AccType>(&p_.type(v)); return acc && acc->token == token; };
    for (Var v : free_vars(p_, x.body)) if (is_it(v)) return v;
    for (Var v : free_vars(p_, x.post)) if (is_it(v)) return v;
    PANIC("a result is an accumulator that the body does not use");
  }

  // Sums, minima and maxima of floats, whose order is free, which a loop's is not; beside them only what each iteration does at a
  // place of its own.
  bool only_reduces(const Parts& x) const {
    if (x.reduces.empty() || !x.scans.empty() || !x.post_reduces.empty()) return false;
    Forms forms;
    VarSet inside, updated;                               // what the body binds; tokens
    for (const Stm& inner : x.body.stms) for (Bind b : inner.pattern) inside.insert(b.var);
    auto moving = [&](const Atom& a) { return stride(forms.of(a), x.i, [&](Var v) { return inside.contains(v); }) == 1; };
    for (const Stm& inner : x.body.stms) {
      if (!is_view(inner.exp) && std::ranges::any_of(inner.pattern, [&](Bind b) { return is_array(p_.type(b.var)); })) return false;
      forms.define(p_, inner);
      auto read = std::get_if<Index>(&inner.exp);
      if (read && counting_.contains(read->array) && read->at.size() == 1)
        if (auto at = std::get_if<Atom>(&read->at[0])) forms.define(inner.pattern[0].var, forms.of(*at));   // and something invariant
      auto upd = std::get_if<AccUpdate>(&inner.exp);
      if (!upd) continue;
      Var token = std::get<AccType>(p_.type(upd->acc)).token;
      if (updated.contains(token) || !upd->in_range || std::ranges::none_of(upd->at, moving)) return false;
      updated.insert(token);
    }
    return std::ranges::all_of(x.reduces, [&](const Combine& c) {
             auto op = c.shape.empty() ? scalar_operator(p_, c) : std::nullopt;
             return (op == ScalarOp::add || op == ScalarOp::min || op == ScalarOp::max) && is_float(elem_of(p_, c.neutral[0]));
           });
  }
  // All arrays that the loop changes, beside its outputs, are accumulators, whose order is free.
  bool adds_to_accumulators(const Stm& s) const {
    return std::ranges::any_of(s.pattern, [&](Bind b) { return std::holds_alternative<AccType>(p_.type(b.var)); });
  }
  void loop(Builder& out, Stm& s, Parts x) { statement(out, looped(out, s, std::move(x), {})); }
  // Outputs that are combined with what a row holds, instead of making one: components of an operator, in order.
  struct Into {
    std::vector<size_t> outputs;
    std::vector<Atom> rows;
    const Combine* op;
  };
  // A loop being made of a screma. Its state: reductions, scans, mapped values, reductions after post.
  struct Looping {
    Builder& out;
    const Stm& s;
    Parts x;
    const std::vector<Into>& into;
    Stm result = {};
    For loop = {};
    Subst accs = {};                              // accumulators of outside -> state
    std::vector<Atom> reduces = {}, scans = {}, cells = {}, post_reduces = {};

    size_t mapped() const { return s.pattern.size() - width_of(x.reduces) - width_of(x.post_reduces); }
  };
  Stm looped(Builder& out, Stm& s, Parts x, const std::vector<Into>& into) {
    Looping l{out, s, std::move(x), into};
    l.result.source = s.source;
    l.result.checks = s.checks;
    l.result.attrs = s.attrs;
    l.loop = {{l.x.i}, l.x.width, {}, {}, {}};
    if (only_reduces(l.x)) {
      l.loop.any_order.emplace();
      for (const Combine& c : l.x.reduces) l.loop.any_order->push_back(*scalar_operator(p_, c));
    }
    l.loop.sums = l.x.reduces.empty() && l.x.scans.empty() && l.x.post_reduces.empty() && adds_to_accumulators(s);
    out.checks = s.checks;
    initial_state(l);
    out.checks = {};
    substitute(p_, l.x.body, l.accs);
    substitute(p_, l.x.post, l.accs);
    one_iteration(l);
    l.result.exp = std::move(l.loop);
    return std::move(l.result);
  }

  Var add_state(Looping& l, Var binder, Atom init) {
    Var v = p_.fresh(p_.hint(binder), p_.type(binder));
    l.loop.state.push_back({v});
    l.loop.init.push_back(std::move(init));
    l.result.pattern.push_back({binder});
    return v;
  }
  void initial_state(Looping& l) {
    size_t at = 0;
    auto neutral = [&](const std::vector<Combine>& ops, bool visible) {
      std::vector<Atom> state;
      for (const Combine& c : ops)
        for (const Atom& ne : c.neutral) {
          Atom init = !c.shape.empty() ? l.out.replicate(c.shape, ne)
                      : is_array(p_.type(ne)) ? Atom(l.out.copy(*var_of(ne))) : ne;
          Var binder = visible ? l.s.pattern[at++].var : p_.fresh("scanned", p_.type(init));
          state.push_back(add_state(l, binder, init));
        }
      return state;
    };
    l.reduces = neutral(l.x.reduces, true);
    l.scans = neutral(l.x.scans, false);
    for (size_t k = 0; k < l.mapped(); k++) l.cells.push_back(cell(l, l.s.pattern[at++].var, k));
    l.post_reduces = neutral(l.x.post_reduces, true);
  }
  // The state that gathers the k-th mapped result.
  Var cell(Looping& l, Var binder, size_t k) {
    for (const Into& i : l.into)
      if (auto found = std::ranges::find(i.outputs, k); found != i.outputs.end())
        return add_state(l, binder, i.rows[size_t(found - i.outputs.begin())]);
    return match(p_.type(binder),
      [&](const ArrayType& t) { return add_state(l, binder, l.out.bind1(p_.hint(binder), Scratch{t.elem, t.shape})); },
      [&](const AccType& t) {
        Var outer = free_acc(l.x, t.token), inner = add_state(l, binder, outer);
        l.accs[outer] = inner;
        return inner;
      },
      [&](const CheckType&) { return add_state(l, binder, l.out.bind1("held", Assert{bool_const(true), p_.text(""), {}})); },
      [&](const auto&) -> Var { PANIC("a mapped result that is neither array nor accumulator nor proof"); });
  }

  void one_iteration(Looping& l) {
    Parts& x = l.x;
    Builder inner(p_, l.loop.body.stms);
    inner.source = l.s.source;
    VarMap<std::optional<Var>> combined_rows = emit_and_combine(inner, x, l.reduces);
    const std::vector<Atom>& values = x.body.result;
    auto next = values.begin();
    auto step = [&](const std::vector<Combine>& ops, const std::vector<Atom>& state) {
      std::vector<Atom> now;
      size_t k = 0;
      for (const Combine& c : ops) {
        size_t n = c.neutral.size();
        std::vector<Atom> old(state.begin() + ptrdiff_t(k), state.begin() + ptrdiff_t(k + n)), operands(next, next + ptrdiff_t(n));
        next += ptrdiff_t(n);
        k += n;
        if (auto v = var_of(old[0]); v && combined_rows[*v])
          for (const Atom& a : old) now.push_back(*combined_rows[*var_of(a)]);
        else
          for (Atom& a : combined(inner, c, old, operands)) now.push_back(std::move(a));
      }
      return now;
    };
    std::vector<Atom> new_reduces = step(x.reduces, l.reduces), new_scans = step(x.scans, l.scans), produced = new_scans;
    produced.insert(produced.end(), next, values.end());
    if (!x.post.params.empty() || !x.post.body.result.empty()) produced = inner.inline_once(std::move(x.post), produced);
    size_t outputs = l.mapped();
    next = produced.begin() + ptrdiff_t(outputs);
    std::vector<Atom> new_post_reduces = step(x.post_reduces, l.post_reduces);
    for (const Into& i : l.into) combine_with_row(inner, l, i, produced);
    std::vector<Atom>& result = l.loop.body.result;
    for (const auto& part : {new_reduces, new_scans}) result.insert(result.end(), part.begin(), part.end());
    for (size_t k = 0; k < outputs; k++) {
      bool is_cell = is_array(p_.type(l.cells[k]));
      result.push_back(is_cell ? Atom(inner.update(*var_of(l.cells[k]), {x.i}, produced[k])) : produced[k]);
    }
    result.insert(result.end(), new_post_reduces.begin(), new_post_reduces.end());
  }
  void combine_with_row(Builder& inner, const Looping& l, const Into& i, std::vector<Atom>& produced) {
    std::vector<Atom> args;
    for (size_t k : i.outputs) args.push_back(inner.index("old", *var_of(l.cells[k]), {l.x.i}));
    for (size_t k : i.outputs) args.push_back(produced[k]);
    std::vector<Atom> now = inner.inline_call(i.op->op, args);
    for (size_t k = 0; k < now.size(); k++) produced[i.outputs[k]] = now[k];
  }

  //   let row = map n f xs in .. reduce operand row   ==>   for j < n: let y = f xs[j] in state[j] := op state[j] y
  // where nobody else wants the row. Emits the body; returns the states after such loops by those before them.
  VarMap<std::optional<Var>> emit_and_combine(Builder& out, Parts& x, const std::vector<Atom>& state) {
    VarMap<std::optional<Var>> after;
    const Uses uses(p_, x.body);
    for (auto& item : x.body.stms.take()) {
      combine_where_made(out, x, *item, state, uses, after);
      out.emit(std::move(*item));
    }
    return after;
  }
  void combine_where_made(Builder& out, const Parts& x, Stm& item, const std::vector<Atom>& state, const Uses& uses,
                          VarMap<std::optional<Var>>& after) {
    auto operands_of = [&](size_t at, const Combine& c) {
      return std::vector<Atom>(x.body.result.begin() + ptrdiff_t(at), x.body.result.begin() + ptrdiff_t(at + c.neutral.size()));
    };
    auto map = std::get_if<Screma>(&item.exp);
    if (!map || !identity_post(*map) || !map->scans.empty() || !map->post_reduces.empty()) return;
    size_t reduced = width_of(map->reduces);
    auto output = [&](const Atom& a) {                 // among the mapped results; their number if it is none
      return size_t(std::ranges::find_if(item.pattern.begin() + i64(reduced), item.pattern.end(), [&](Bind b) { return Atom(b.var) == a; }) -
                    item.pattern.begin()) - reduced;
    };
    std::vector<Into> into;
    size_t at = 0;
    for (const Combine& c : x.reduces) {
      bool fits = c.shape.size() == 1 && c.shape[0] == map->width;
      Into here{{}, {state.begin() + i64(at), state.begin() + i64(at + c.neutral.size())}, &c};
      for (const Atom& a : operands_of(at, c)) {
        here.outputs.push_back(output(a));
        fits = fits && here.outputs.back() < item.pattern.size() - reduced && uses.of(*var_of(a)) == 1;
      }
      if (fits) into.push_back(std::move(here));
      at += c.neutral.size();
    }
    if (into.empty()) return;
    for (const Into& i : into)
      for (size_t k = 0; k < i.rows.size(); k++) after[*var_of(i.rows[k])] = item.pattern[reduced + i.outputs[k]].var;
    item = looped(out, item, parts_of(item, *map), into);
  }

  // One step of an operator; what it emits is made sequential later, with the loop it stands in.
  std::vector<Atom> combined(Builder& out, const Combine& c, const std::vector<Atom>& state, const std::vector<Atom>& operands) {
    if (!c.shape.empty()) return pointwise(out, c, state, {}, operands, {}, 0);
    std::vector<Atom> args = state;
    args.insert(args.end(), operands.begin(), operands.end());
    return out.inline_call(c.op, args);
  }
};

}  // namespace

void sequentialise(Program& program, PassContext& context) {
  Sequentialise sequentialise(program, context.target);
  program.each_body([&](Body& b) { sequentialise.body(b); });
}

}  // namespace raido
