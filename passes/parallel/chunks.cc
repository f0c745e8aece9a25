// chunks.cc - segs that are more than a map, as maps over chunks of the last index.
//
// The index space of extent n is cut into k parts, k depending on sizes only: so results do not depend on how many workers
// or blocks there are. Part c covers lo .. hi - 1; or, on a device where all operators are commutative, c, c + k, c + 2k, ..,
// so that neighbouring threads read neighbouring elements.
//
//   reduce     partials = map c { reduce over lo..hi }                          then the partials are reduced in order
//              on a device, of scalars: seg grid (row < 1, c < k) { reduce over lo..hi } reduces op collective (decision 036)
//   scan       on a device, of scalars: it stays, and says collective (decision 037)
//              else totals = map c { reduce over lo..hi }, starts = exclusive scan of totals,
//              map c { scan over lo..hi that begins with starts[c] }
//   outputs    of one element for each point are scattered: with_acc without operator around the map, conflict none
//   private    an accumulator of which every part has a copy: with_acc over neutral elements inside the part; then each
//              cell of the copies is combined in order and enters the accumulator once
//
// Inside a part everything is an ordinary seg over hi - lo points, which runs sequentially. The parts of a task say that they are no lanes:
// the loop of each may run in lanes itself.
#include "passes/parallel/chunks.h"

#include <algorithm>

#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/parallel/segs.h"

namespace raido {
using namespace ir;

namespace {

class Chunks {
 public:
  Chunks(Program& p, Stm s, const std::function<const Dest*(Var)>& private_dest)
      : p_(p), s_(std::move(s)), x_(std::get<Seg>(s_.exp)), b_(p, out_), private_dest_(private_dest) {
    b_.source = s_.source;
  }

  std::vector<Stm> run() {
    size_t last = x_.index.size() - 1;
    n_ = x_.extent[last];
    outer_.assign(x_.extent.begin(), x_.extent.end() - 1);
    reduced_ = width_of(x_.reduces);
    scanned_ = width_of(x_.scans);
    post_reduced_ = width_of(x_.post_reduces);
    bool only_reduces = x_.level == SegLevel::Grid && scanned_ == 0;
    strided_ = only_reduces && all_commute(p_, x_.reduces) && all_commute(p_, x_.post_reduces);
    collective_ = only_reduces && fits_block(p_, all_reduces());
    Term n = b_.term(n_), limit = part_limit();
    if (x_.level == SegLevel::Grid) {
      parts_ = select({lt(n, limit), n, limit}).atom;
      each_ = ((n + limit - 1) / limit).atom;
    } else {
      Term each = task_part(n, limit);
      each_ = each.atom;
      parts_ = ((n + each - 1) / each).atom;
    }
    outputs_ = s_.pattern.size() - reduced_ - post_reduced_;
    if (scanned_ > 0) starts();
    main_seg();
    std::vector<Stm> result;
    for (auto& s : out_.take()) result.push_back(std::move(*s));
    for (Stm& s : result)
      if (std::holds_alternative<Seg>(s.exp) || std::holds_alternative<WithAcc>(s.exp)) s.checks = s_.checks;
    return result;
  }

 private:
  Program& p_;
  Stm s_;
  Seg& x_;
  List<Stm> out_;
  Builder b_;
  const std::function<const Dest*(Var)>& private_dest_;
  Dim n_;
  std::vector<Dim> outer_;
  Atom parts_, each_;
  size_t reduced_ = 0, scanned_ = 0, post_reduced_ = 0, outputs_ = 0;
  bool strided_ = false;               // part c: c, c + k, c + 2k, ..
  bool collective_ = false;            // one kernel combines what the parts make
  std::vector<Var> starts_;            // for each scan operand: what comes before each part

  struct Part {
    std::vector<Bind> index;           // outer ones, then the part
    std::vector<Atom> at;
    Dim length;
    Var j;                             // within the part
    Atom i;
  };

  // At most 64 parts for threads. On a device enough to fill it, rows of a segmented reduction included (1024
  // where one thread runs over the parts of a scan); a long row at least a warp, if neighbours can read neighbours. The partial
  // results are reduced or scanned once more, in fewer parts.
  Term part_limit() {
    last_ = x_.level != SegLevel::Grid || x_.parts || !outer_.empty();
    if (x_.level != SegLevel::Grid) return task_limit();
    if (x_.parts) return b_.number(Scalar::I64, *x_.parts);
    const int64_t threads = scanned_ > 0 && !scan_again() ? costs::gpu::scanned_device : collective_ ? costs::gpu::reduced_device : costs::gpu::full_device;
    Term limit = b_.number(Scalar::I64, threads), one = b_.number(Scalar::I64, 1), rows = one;
    for (const Dim& d : outer_) rows = rows * b_.term(d);
    if (outer_.empty()) return limit;
    Term least = one;
    if (strided_) least = apply(ScalarOp::max, {one, apply(ScalarOp::min, {b_.number(Scalar::I64, costs::gpu::warp), b_.term(n_) / b_.number(Scalar::I64, costs::gpu::long_row / costs::gpu::warp)})});
    Term most = apply(ScalarOp::max, {least, limit / apply(ScalarOp::max, {one, rows})});
    return collective_ ? power_below(most) : most;
  }
  // So that rows share a block without threads that have nothing to do.
  Term power_below(const Term& x) {
    Term bit = b_.number(Scalar::I64, 63) - convert(Scalar::I64, apply(ScalarOp::clz, {x}));
    return apply(ScalarOp::shl, {b_.number(Scalar::I64, 1), bit});
  }
  // Points of a part for a thread: whole groups of lanes, unless there are few. Threads then run few parts, each as fast as one thread would.
  // Points that run loops of their own, which have vectors, and nothing parallel, are lanes however few they are. Of points that run no loop there
  // are as many as another thread is worth.
  Term task_part(const Term& n, const Term& limit) {
    Term one = b_.number(Scalar::I64, 1), lanes = b_.number(Scalar::I64, costs::cpu::lanes), each = (n + limit - 1) / limit;
    if (auto work = operations()) {
      const i64 least = std::max<i64>(1, costs::cpu::part_operations / std::max<i64>(1, *work) / costs::cpu::lanes) * costs::cpu::lanes;
      return apply(ScalarOp::max, {b_.number(Scalar::I64, least), (each + lanes - 1) / lanes * lanes});
    }
    Term groups = (each + lanes - 1) / lanes * lanes, many = le(b_.number(Scalar::I64, has_loops_alone() ? costs::cpu::lanes : costs::cpu::grouped_points), n);
    return apply(ScalarOp::max, {one, select({many, groups, each})});
  }
  // Of a point; none: it has loops or calls, makes arrays, or has something parallel inside.
  std::optional<i64> operations() const {
    i64 count = 0;
    bool straight = true;
    each_stm(x_.body, [&](const Stm& s) {
      const Kind k = kind_of(s.exp);
      straight = straight && k != Kind::Loop && k != Kind::Parallel && k != Kind::Scope && k != Kind::Call && k != Kind::Make;
      auto op = std::get_if<Apply>(&s.exp);
      count += op && is_call(op->op) && is_float(elem_of(p_, op->args[0])) ? i64(costs::cpu::operations_of_call) : 1;
    });
    return straight ? std::optional(count) : std::nullopt;
  }
  bool has_loops_alone() const {
    bool loops = false, vectors = true;
    each_stm(x_.body, [&](const Stm& s) {
      loops = loops || kind_of(s.exp) == Kind::Loop;
      vectors = vectors && kind_of(s.exp) != Kind::Parallel && has_vector_form(p_, s.exp);
    });
    return loops && vectors;
  }
  bool last_ = true;                   // one thread combines the partial results

  // An operator on several arrays has no atomic form, so its copies are made whatever their size: no more of them than
  // have together four times as many cells as there are updates.
  Term task_limit() {
    Term most = b_.number(Scalar::I64, 64), one = b_.number(Scalar::I64, 1), cells = b_.number(Scalar::I64, 0);
    for (Bind x : s_.pattern) {
      auto acc = std::get_if<AccType>(&p_.type(x.var));
      const Dest* d = acc ? private_dest_(acc->token) : nullptr;
      if (!d || d->arrays.size() < 2) continue;
      Term here = one;
      for (const Dim& n : shape_of(p_.type(d->arrays[0]))) here = here * b_.term(n);
      cells = cells + here;
    }
    if (is_const(cells.atom, 0)) return most;
    Term work = b_.term(n_) * b_.number(Scalar::I64, 4), enough = work / apply(ScalarOp::max, {one, cells});
    return apply(ScalarOp::max, {one, apply(ScalarOp::min, {most, enough})});
  }

  std::vector<Combine> all_reduces() const {
    std::vector<Combine> ops;
    for (const auto* some : {&x_.reduces, &x_.post_reduces})
      for (const Combine& c : *some) ops.push_back(clone(p_, c));
    return ops;
  }

  std::vector<Dim> with_parts() const {
    std::vector<Dim> all = outer_;
    all.push_back(parts_);
    return all;
  }
  Var fresh_index(const std::string& hint) { return p_.fresh(hint, scalar_type(Scalar::I64)); }

  // Fresh indices of one part, its bounds emitted to `b`.
  Part begin_part(Builder& b, std::vector<Bind> index) {
    Part part;
    part.index = std::move(index);
    for (Bind v : part.index) part.at.push_back(v.var);
    Term c = b.term(part.index.back().var), each = b.term(each_), n = b.term(n_);
    if (strided_) {
      low_ = c.atom;
      Term rest = n - c, parts = b.term(parts_);
      part.length = ((rest + (parts - 1)) / parts).atom;
      return part;
    }
    Term lo = apply(ScalarOp::min, {c * each, n}), hi = apply(ScalarOp::min, {c * each + each, n});
    part.length = (hi - lo).atom;
    low_ = lo.atom;
    return part;
  }
  Atom low_;

  Term point(Builder& b, const Atom& lo, Var j) const {
    Term step = b.term(j);
    return b.term(lo) + (strided_ ? step * b.term(parts_) : step);
  }
  // `copy`, of a body of the seg, at outer indices `outer` and point j of the part from lo.
  Body body_at(Body copy, const std::vector<Atom>& outer, const Atom& lo, Var j) {
    Body out;
    Builder b(p_, out.stms);
    b.source = s_.source;
    Subst to;
    for (size_t d = 0; d < outer_.size(); d++) to[x_.index[d].var] = outer[d];
    to[x_.index.back().var] = point(b, lo, j).atom;
    substitute(p_, copy, to);
    b.emit_all(std::move(copy.stms));
    out.result = copy.result;
    return out;
  }
  std::vector<Bind> fresh_indices() {
    std::vector<Bind> index;
    for (size_t d = 0; d < outer_.size(); d++) index.push_back({fresh_index("i")});
    index.push_back({fresh_index("part")});
    return index;
  }

  // The totals of a scan are scanned like the whole. Otherwise, one thread runs over them.
  bool scan_again() const {
    auto scalars = [&](const Combine& c) { return std::all_of(c.neutral.begin(), c.neutral.end(), [&](const Atom& ne) { return is_scalar(p_.type(ne)); }); };
    return x_.level == SegLevel::Grid && outer_.empty() && !x_.parts && std::all_of(x_.scans.begin(), x_.scans.end(), scalars);
  }
  // What the scan with neutral element `ne` has reached before a part, if starts_ has what was reached after each.
  Atom start_of(Builder& b, Var reached, const Atom& ne, const Part& part) {
    if (!scan_again()) return b.index("start", reached, part.at);
    Term c = b.term(part.at.back()), before = b.term(b.index("start", reached, {apply(ScalarOp::max, {c - 1, b.number(Scalar::I64, 0)}).atom}));
    return select({eq(c, b.number(Scalar::I64, 0)), b.term(ne), before}).atom;
  }
  // starts_ = what the scans have reached before each part; after each, if that was a scan itself.
  void starts() {
    Seg totals{x_.level, fresh_indices(), with_parts(), {}, {}, {}, {}, {}, {}};
    Builder inner(p_, totals.body.stms);
    inner.source = s_.source;
    totals.body = inner.body([&] {
      Part part = begin_part(inner, totals.index);
      Var j = fresh_index("j");
      Body operands = body_at(clone(p_, x_.body), part.at, low_, j);
      operands.result = {operands.result.begin() + ptrdiff_t(reduced_), operands.result.begin() + ptrdiff_t(reduced_ + scanned_)};
      std::vector<Combine> ops;
      for (const Combine& c : x_.scans) ops.push_back(clone(p_, c));
      std::vector<Atom> out;
      for (Var v : inner.bind("total", Seg{SegLevel::Task, {{j}}, {part.length}, std::move(operands), std::move(ops), {}, {}, {}, {}})) out.push_back(v);
      return out;
    });
    if (x_.level == SegLevel::Task) totals.vectors = Vectors::No;
    std::vector<Var> sums = b_.bind("totals", std::move(totals));

    if (scan_again()) {
      Seg again{x_.level, {{fresh_index("part")}}, {parts_}, {}, {}, {}, {}, {}, {}};
      for (const Combine& c : x_.scans) again.scans.push_back(clone(p_, c));
      again.body = b_.body([&] {
        std::vector<Atom> loaded;
        for (Var v : sums) loaded.push_back(b_.index("total", v, {again.index[0].var}));
        return loaded;
      });
      again.parts = costs::gpu::fewer_parts;
      starts_ = b_.bind("reached", std::move(again));
      return;
    }
    // One run over the parts for each outer point: the accumulated value before the part, then the part is added.
    Seg before{x_.level, {}, outer_, {}, {}, {}, {}, {}, {}};
    if (outer_.empty()) before.extent.push_back(i64_atom(1));
    for (size_t d = 0; d < before.extent.size(); d++) before.index.push_back({fresh_index("i")});
    before.body = b_.body([&] {
      std::vector<Atom> state = neutral(b_, x_.scans), rows;
      For loop{{fresh_index("part")}, parts_, {}, state, {}};
      size_t n = state.size();
      for (size_t k = 0; k < n; k++) {
        std::vector<Dim> shape = shape_of(p_.type(state[k]));
        shape.insert(shape.begin(), parts_);
        rows.push_back(b_.bind1("starts", Scratch{elem_of(p_, state[k]), shape}));
      }
      loop.init.insert(loop.init.end(), rows.begin(), rows.end());
      for (const Atom& a : loop.init) loop.state.push_back({p_.fresh("before", p_.type(a))});
      loop.body = b_.body([&] {
        std::vector<Atom> args, now, at;
        for (size_t d = 0; d < outer_.size(); d++) at.push_back(before.index[d].var);
        at.push_back(loop.i.var);
        for (size_t k = 0; k < n; k++) now.push_back(b_.update(loop.state[n + k].var, {loop.i.var}, loop.state[k].var));
        size_t from = 0;
        std::vector<Atom> next;
        for (const Combine& c : x_.scans) {
          args.clear();
          for (size_t k = 0; k < c.neutral.size(); k++) args.push_back(loop.state[from + k].var);
          for (size_t k = 0; k < c.neutral.size(); k++) args.push_back(b_.index("total", sums[from + k], at));
          for (Atom& a : b_.inline_call(c.op, args)) next.push_back(std::move(a));
          from += c.neutral.size();
        }
        next.insert(next.end(), now.begin(), now.end());
        return next;
      });
      std::vector<Var> done = b_.bind("before", std::move(loop));
      return std::vector<Atom>(done.begin() + ptrdiff_t(n), done.end());
    });
    for (Var v : b_.bind("starts", std::move(before))) starts_.push_back(outer_.empty() ? *var_of(b_.index("starts", v, {i64_atom(0)})) : v);
  }

  std::vector<Atom> neutral(Builder& b, const std::vector<Combine>& ops) {
    std::vector<Atom> out;
    for (const Combine& c : ops)
      for (const Atom& ne : c.neutral)
        out.push_back(!c.shape.empty() ? b.replicate(c.shape, ne) : is_array(p_.type(ne)) ? Atom(b.copy(*var_of(ne))) : ne);
    return out;
  }

  // Arrays among the outputs become accumulators without operator. Accumulators are used as they are, except private ones.
  void main_seg() {
    std::vector<size_t> scattered;
    WithAcc w;
    std::vector<Var> accs;
    for (size_t k = 0; k < outputs_; k++) {
      Var v = s_.pattern[reduced_ + k].var;
      auto t = std::get_if<ArrayType>(&p_.type(v));
      if (auto acc = std::get_if<AccType>(&p_.type(v))) {
        if (const Dest* d = private_dest_(acc->token)) privates_.push_back({k, acc->token, *d, {}});
      }
      if (!t) continue;
      scattered.push_back(k);
      ArrayType copy = *t;
      Dest d{{b_.bind1(p_.hint(v), Scratch{copy.elem, copy.shape})}, int(x_.extent.size()), {}, Conflict::None};
      w.dests.push_back(std::move(d));
    }
    for (const Dest& d : w.dests) {
      w.scope.params.push_back({p_.fresh("token", CheckType{})});
      accs.push_back(p_.fresh("out", dest_type(p_, d, w.scope.params.back().var)));
    }
    for (Var a : accs) w.scope.params.push_back({a});
    for (Private& q : privates_) q.outside = free_acc(q.token);

    auto chunk_seg = [&] {
      Seg seg{x_.level, fresh_indices(), with_parts(), {}, {}, {}, {}, {}, {}};
      seg.body = b_.body([&] { return part_body(seg.index, scattered, accs); });
      if (x_.level == SegLevel::Task) seg.vectors = Vectors::No;
      if (collective_) combine_at_once(seg);
      return b_.bind("partial", std::move(seg));
    };
    std::vector<Var> made;                          // reduces, post_reduces, outputs that are no arrays, copies, scattered accumulators
    if (scattered.empty()) {
      made = chunk_seg();
    } else {
      w.scope.body = b_.body([&] {
        std::vector<Var> inside = chunk_seg();
        std::vector<Atom> out(inside.end() - ptrdiff_t(scattered.size()), inside.end());
        out.insert(out.end(), inside.begin(), inside.end() - ptrdiff_t(scattered.size()));
        return out;
      });
      std::vector<Var> all = b_.bind("partial", std::move(w));
      made.assign(all.begin() + ptrdiff_t(scattered.size()), all.end());
      for (size_t k = 0; k < scattered.size(); k++) made.push_back(all[k]);
    }
    auto name = [&](Var binder, const Atom& value) { b_.emit({{{binder}}, Identity{value}, {}, s_.source, {}}); };
    size_t plain = outputs_ - scattered.size() - privates_.size(), next = reduced_ + post_reduced_, copies = next + plain;
    size_t last = made.size() - scattered.size(), p = 0;
    for (size_t k = 0; k < outputs_; k++) {
      Var binder = s_.pattern[reduced_ + k].var;
      if (is_array(p_.type(binder))) {
        name(binder, made[last++]);
      } else if (p < privates_.size() && privates_[p].output == k) {
        size_t n = privates_[p].dest.arrays.size();
        std::vector<Var> own(made.begin() + ptrdiff_t(copies), made.begin() + ptrdiff_t(copies + n));
        copies += n;
        name(binder, combined_copies(privates_[p++], own));
      } else {
        name(binder, made[next++]);
      }
    }
    std::vector<Combine> ops = all_reduces();
    if (ops.empty()) return;
    std::vector<Var> partials(made.begin(), made.begin() + ptrdiff_t(reduced_ + post_reduced_));
    std::vector<Atom> totals = collective_ ? from_device(partials) : total(std::move(ops), partials);
    for (size_t k = 0; k < reduced_; k++) name(s_.pattern[k].var, totals[k]);
    for (size_t k = 0; k < post_reduced_; k++) name(s_.pattern[reduced_ + outputs_ + k].var, totals[reduced_ + k]);
  }

  // The parts' values are combined by the kernel that makes them. What it makes lies on the device: one row, if the seg has no others.
  void combine_at_once(Seg& seg) {
    seg.reduces = all_reduces();
    seg.collective = true;
    if (!outer_.empty()) return;
    seg.index.insert(seg.index.begin(), {fresh_index("row")});
    seg.extent.insert(seg.extent.begin(), i64_atom(1));
  }
  std::vector<Atom> from_device(const std::vector<Var>& totals) {
    std::vector<Atom> out;
    for (Var v : totals) out.push_back(outer_.empty() ? b_.index("total", v, {i64_atom(0)}) : Atom(v));
    return out;
  }

  // An accumulator of which every part has a copy.
  struct Private {
    size_t output;
    Var token;
    Dest dest;
    Var outside;                                    // the version the seg starts from
  };
  std::vector<Private> privates_;

  Var free_acc(Var token) const {
    auto is_it = [&](Var v) { auto acc = std::get_if<AccType>(&p_.type(v)); return acc && acc->token == token; };
    for (Var v : free_vars(p_, x_.body)) if (is_it(v)) return v;
    for (Var v : free_vars(p_, x_.post)) if (is_it(v)) return v;
    PANIC("a result is an accumulator that the body does not use");
  }

  // Blocks of the accumulator's rows take the copies' rows, part by part.
  Var combined_copies(const Private& q, const std::vector<Var>& copies) {
    const AccType acc = std::get<AccType>(p_.type(q.outside));
    Term rows = b_.term(acc.space[0]), most = b_.number(Scalar::I64, costs::cpu::owner_parts);
    Term each = apply(ScalarOp::max, {(rows + most - 1) / most, b_.number(Scalar::I64, 1)});
    Seg seg{SegLevel::Task, {{fresh_index("block")}}, {((rows + each - 1) / each).atom}, {}, {}, {}, {}, {}, {}};
    seg.body = b_.body([&] {
      Term lo = b_.term(seg.index[0].var) * each;
      std::vector<Dim> extents = {parts_, apply(ScalarOp::min, {each, rows - lo}).atom};
      extents.insert(extents.end(), acc.space.begin() + 1, acc.space.end());
      std::vector<Atom> at;
      auto nest = [&](auto& self, const Atom& version) -> Atom {
        if (at.size() == extents.size()) {
          std::vector<Atom> cell = {(lo + b_.term(at[1])).atom}, from = {at[0]}, values;
          cell.insert(cell.end(), at.begin() + 2, at.end());
          from.insert(from.end(), cell.begin(), cell.end());
          for (Var c : copies) values.push_back(b_.index("x", c, from));
          return b_.bind1("acc", AccUpdate{*var_of(version), cell, values, true});
        }
        For loop{{fresh_index("j")}, extents[at.size()], {{p_.fresh("acc", p_.type(version))}}, {version}, {}};
        at.push_back(loop.i.var);
        loop.body = b_.body([&] { return std::vector<Atom>{self(self, loop.state[0].var)}; });
        at.pop_back();
        return b_.bind1("acc", std::move(loop));
      };
      return std::vector<Atom>{nest(nest, q.outside)};
    });
    return b_.bind1("acc", std::move(seg));
  }

  // One part: results are reduces, post_reduces, outputs that are no arrays, copies of private accumulators, scattered accumulators.
  std::vector<Atom> part_body(const std::vector<Bind>& index, const std::vector<size_t>& scattered, const std::vector<Var>& accs) {
    Part part = begin_part(b_, index);
    Atom lo = low_;
    Var j = fresh_index("j");
    Seg inner{SegLevel::Task, {{j}}, {part.length}, body_at(clone(p_, x_.body), part.at, lo, j), {}, {}, {}, {}, {}};
    for (const Combine& c : x_.reduces) inner.reduces.push_back(clone(p_, c));
    size_t from = 0;
    for (const Combine& c : x_.scans) {
      inner.scans.push_back(clone(p_, c));
      CHECK(c.shape.empty(), "a scan of rows is cut into parts");
      for (Atom& ne : inner.scans.back().neutral) ne = start_of(b_, starts_[from++], ne, part);
    }
    for (const Combine& c : x_.post_reduces) inner.post_reduces.push_back(clone(p_, c));
    inner.post = clone(p_, x_.post);
    if (!free_vars(p_, inner.post).empty()) inner.post.body = body_at(std::move(inner.post.body), part.at, lo, j);      // it may know an index
    if (inner.post.params.empty() && inner.post.body.result.empty() && !scattered.empty()) {   // make the identity explicit
      for (size_t k = reduced_; k < inner.body.result.size(); k++) {
        inner.post.params.push_back({p_.fresh("out", p_.type(inner.body.result[k]))});
        inner.post.body.result.push_back(inner.post.params.back().var);
      }
    }
    if (!scattered.empty()) scatter(inner, part, lo, j, scattered, accs);
    std::vector<Var> made = privates_.empty() ? b_.bind("part", std::move(inner)) : with_copies(std::move(inner), scattered.size());
    size_t arrays = made.size() - reduced_ - outputs_ - post_reduced_;     // further copies of accumulators of several arrays
    size_t kept = outputs_ - scattered.size() + arrays;
    std::vector<Atom> out(made.begin(), made.begin() + ptrdiff_t(reduced_));
    out.insert(out.end(), made.end() - ptrdiff_t(post_reduced_), made.end());
    out.insert(out.end(), made.begin() + ptrdiff_t(reduced_), made.begin() + ptrdiff_t(reduced_ + kept + scattered.size()));
    return out;
  }

  // The seg of one part around fresh copies of the private accumulators. Results: reduces, outputs that are no arrays and
  // not private, the copies, scattered accumulators, post_reduces.
  std::vector<Var> with_copies(Seg inner, size_t scattered) {
    WithAcc w;
    Subst to;
    std::vector<Var> accs;
    for (const Private& q : privates_) {
      Dest d = q.dest;
      Combine c = clone(p_, *q.dest.combine);
      d.conflict = Conflict::None;
      for (size_t k = 0; k < d.arrays.size(); k++) {
        std::vector<Dim> shape = shape_of(p_.type(d.arrays[k]));
        shape.resize(shape.size() - shape_of(p_.type(c.neutral[k])).size());
        d.arrays[k] = *var_of(b_.replicate(shape, c.neutral[k]));
      }
      d.combine = std::move(c);
      w.dests.push_back(std::move(d));
    }
    for (const Dest& d : w.dests) {
      w.scope.params.push_back({p_.fresh("token", CheckType{})});
      accs.push_back(p_.fresh("own", dest_type(p_, d, w.scope.params.back().var)));
    }
    for (size_t k = 0; k < accs.size(); k++) {
      w.scope.params.push_back({accs[k]});
      to[privates_[k].token] = w.scope.params[k].var;
      to[privates_[k].outside] = accs[k];
    }
    substitute(p_, inner, to);
    size_t all = 0;
    w.scope.body = b_.body([&] {
      std::vector<Var> made = b_.bind("part", std::move(inner));
      all = made.size();
      std::vector<Atom> out, others;
      for (const Private& q : privates_) out.push_back(made[reduced_ + position(q, scattered)]);
      for (size_t k = 0; k < made.size(); k++)
        if (std::find(out.begin(), out.end(), Atom(made[k])) == out.end()) others.push_back(made[k]);
      out.insert(out.end(), others.begin(), others.end());
      return out;
    });
    size_t copies = 0;
    for (const Dest& d : w.dests) copies += d.arrays.size();
    std::vector<Var> got = b_.bind("own", std::move(w));
    std::vector<Var> out(got.begin() + ptrdiff_t(copies), got.end());
    out.insert(out.end() - ptrdiff_t(post_reduced_ + scattered), got.begin(), got.begin() + ptrdiff_t(copies));
    return out;
  }
  // The number of a private accumulator among the outputs that are no arrays.
  size_t position(const Private& q, size_t scattered) const {
    size_t n = 0;
    for (size_t k = 0; k < q.output; k++) n += scattered == 0 || !is_array(p_.type(s_.pattern[reduced_ + k].var));
    return n;
  }

  // In the post lambda each array output becomes an update of its accumulator; those outputs come last.
  void scatter(Seg& inner, const Part& part, const Atom& lo, Var j, const std::vector<size_t>& scattered, const std::vector<Var>& accs) {
    Builder post(p_, inner.post.body.stms);
    post.source = s_.source;
    const std::vector<Atom> all = inner.post.body.result;
    std::vector<Atom> kept, updated;
    std::vector<Atom> at(part.at.begin(), part.at.end() - 1);
    at.push_back(point(post, lo, j).atom);
    for (size_t k = 0, s = 0; k < outputs_; k++) {
      if (s < scattered.size() && scattered[s] == k) updated.push_back(post.bind1("out", AccUpdate{accs[s++], at, {all[k]}, true}));
      else kept.push_back(all[k]);
    }
    kept.insert(kept.end(), updated.begin(), updated.end());
    kept.insert(kept.end(), all.begin() + ptrdiff_t(outputs_), all.end());
    inner.post.body.result = std::move(kept);
  }

  // The partial results of all parts, combined in order.
  std::vector<Atom> total(std::vector<Combine> ops, const std::vector<Var>& partials) {
    auto combine = [&](Builder& b, const std::vector<Atom>& at) {
      Screma x{parts_, {}, {}, std::move(ops), {}, {}, {}};
      for (Var v : partials) {
        Var row = at.empty() ? v : *var_of(b.index(p_.hint(v), v, at));
        x.inputs.push_back(row);
        x.pre.params.push_back({p_.fresh("x", row_type(p_.type(row)))});
        x.pre.body.result.push_back(x.pre.params.back().var);
      }
      std::vector<Atom> out;
      for (Var v : b.bind("total", std::move(x))) out.push_back(v);
      return out;
    };
    bool device = x_.level == SegLevel::Grid;
    if (outer_.empty() && !device) return combine(b_, {});
    if (!last_) {
      Seg again{x_.level, {{fresh_index("part")}}, {parts_}, {}, std::move(ops), {}, {}, {}, {}};
      again.body = b_.body([&] {
        std::vector<Atom> loaded;
        for (Var v : partials) loaded.push_back(b_.index("x", v, {again.index[0].var}));
        return loaded;
      });
      again.parts = costs::gpu::fewer_parts;
      std::vector<Atom> out;
      for (Var v : b_.bind("total", std::move(again))) out.push_back(v);
      return out;
    }
    Seg seg{x_.level, {}, outer_, {}, {}, {}, {}, {}, {}};
    if (outer_.empty()) seg.extent.push_back(i64_atom(1));
    std::vector<Atom> at;
    for (size_t d = 0; d < seg.extent.size(); d++) {
      seg.index.push_back({fresh_index("i")});
      if (!outer_.empty()) at.push_back(seg.index.back().var);
    }
    seg.body = b_.body([&] { return combine(b_, at); });
    std::vector<Atom> out;
    for (Var v : b_.bind("total", std::move(seg))) out.push_back(outer_.empty() ? b_.index("total", v, {i64_atom(0)}) : Atom(v));
    return out;
  }
};

}  // namespace

std::vector<Stm> chunked(Program& p, Stm s, const std::function<const Dest*(Var)>& private_dest) {
  return Chunks(p, std::move(s), private_dest).run();
}

}  // namespace raido
