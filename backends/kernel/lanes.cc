// lanes.cc - several iterations of a loop at once, though they run inner loops of their own.
//
//   for i in from .. to { A; while (c) B; C }
//     ==>
//   for (base = from; base + W <= to; base += W) {
//     for l < W { A; on[l] = c; active += on[l]; }                       i = base + l
//     while (active > few) { active = 0; for l < W { if on[l]: B; on[l] &= c; active += on[l]; } }
//     for l < W if on[l] while (c) B;                                    the last lanes one after the other
//     for l < W { C }
//   }
//   for i in base .. to { A; while (c) B; C }
//
// If all lanes run the loops inside as often, the last iterations run side by side, too, under a mask, unless they are few.
//
// C compilers make vector code of straight loops only. Here a loop with loops inside becomes straight loops over W lanes, one for each part
// between the control structures. What a lane keeps from one part to another lies in an array of W elements. Indices that move by a fixed
// number from lane to lane are computed again in each part. So the C compiler sees them lie side by side. Names that are equal in
// all lanes stay single variables, and so do loops and branches that depend only on such names. Others run under a mask: each
// assignment keeps the old value in lanes that are not on. Scalar operations are total, so lanes that are not on may compute; they
// never read memory. A branch with loops is left out if no lane is on.
//
// Few iterations may run `interleaved`: their parts are written out, in scalar code, so that a processor computes some while others wait. Branches
// stay branches then. Loops inside whose iterations do not wait run for one lane after the other. Lanes that read far apart do not pay for some
// distances. So such a loop follows them (decision 067). It takes all iterations for these distances, and the last ones for others.
//
// A loop inside may be marked `alone` if its own iterations are vectors, as those of the product of two rows are. The lanes run such a loop
// one after the other. They run what comes before and after it side by side.
//
// Memory of its own has an element for each lane beside the same one of the others. What the lanes add to one element of an array
// is summed up first.
//
//   own[e] = x;  acc[e] += y;    ==>    for l < W { own[e * W + l] = x; s += y; }  acc[e] += s;      floats: terms[l] = y, summed in halves
//   acc[e + i] += y;             ==>    for l < W { y_l[l] = y; }  for l < W acc[e + base + l] += y_l[l];
//
// A check that fails in some lane stops the loop before anything is stored. The loop after it then finds the first failing iteration in
// order. The caller has marked a loop only if such checks stand before its stores. No iteration of it reads what another
// one writes (passes/memory/lane_loops.h). So checks of the body itself come first, with what they need. A comparison of such indices
// holds in all lanes if it does in the first and in the last one, and nothing overflows between. What follows a check inside of loops or
// branches runs if all lanes pass it. A loop with such checks has all its iterations in lanes, to the last one. A check that is the same in
// all lanes stops the program at once. Reduced names are combined in the order of the lanes.
#include "backends/kernel/lanes.h"

#include <algorithm>

#include "backends/kernel/lane_ends.h"
#include "backends/kernel/lane_indices.h"
#include "backends/kernel/lane_memory.h"
#include "backends/kernel/lane_names.h"
#include "backends/kernel/lane_parts.h"
#include "backends/kernel/sums.h"
#include "backends/kernel/walk.h"
#include "compiler/base/match.h"
#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

// How many iterations of the loop run at once.
int64_t width_of(const For& x) { return x.interleaved ? costs::cpu::interleaved : costs::cpu::lanes; }

class LaneLoop {
 public:
  LaneLoop(Module& m, const For& loop, bool last_group)
      : m_(m), loop_(loop), width_(width_of(loop)), has_last_(last_group && !loop.interleaved), lane_(m.name("lane", Scalar::I64)), names_(m, loop.i, lane_, loop.reduced) {}

  // What stands in the place of the loop.
  Block run() {
    const Block body = loop_.group ? with_lane_memory(m_, *loop_.group, lane_, width_, loop_.body) : loop_.body;
    names_.find(body);
    assigned_names(body, assigned_);
    indices_.emplace(m_, loop_.i, lane_, names_.varying, names_.reduced, assigned_);
    indices_->find(body);
    base_ = m_.name("base", Scalar::I64);
    parts_.emplace(m_, *indices_, names_.varying, LaneParts::Group{loop_.i, lane_, base_}, width_);
    if (!loop_.interleaved) widen();
    look_at(body);

    go_ = m_.name("go", Scalar::Bool);
    bound_ = m_.number(width_);
    first_ = {m_.var(base_), m_.number(0)};
    end_ = {m_.add(m_.var(base_), m_.number(width_ - 1)), m_.number(width_ - 1)};
    Block group, tail;
    next_ = m_.add(m_.var(base_), m_.number(width_));
    in(group, [&] { top(body, {}); });
    parts_->keep(group);
    const ExprId left = m_.prim(ScalarOp::sub, {loop_.to, m_.var(base_)});
    const LaneEnds ends{m_, names_, *indices_, width_};
    if (has_last_ && ends.run_together(body)) {
      last_group(tail, body, left);
      parts_->keep(tail);
    }

    Block out;
    out.push_back({Declare{base_, loop_.from}});
    if (half_) {
      ExprId zero = m_.expr({Cast{m_.expr({Hardware{Builtin::Zero}, Scalar::I64})}, Scalar::F64});
      out.push_back({Declare{*half_, m_.prim(ScalarOp::add, {zero, m_.constant(raido::constant(Scalar::F64, 0.5))})}});
    }
    out.push_back({Declare{go_, loop_.group ? loop_.group->when : m_.constant(bool_const(true))}});
    parts_->declare_arrays(out);
    ExprId whole = has_iterations(m_, base_, width_, loop_.to);
    out.push_back({While{{}, m_.prim(ScalarOp::and_, {m_.var(go_), whole}), std::move(group)}});
    const int64_t least = ends.least(body);
    const bool few = !tail.empty() && !loop_.group && least == costs::cpu::least_lanes;
    if (!tail.empty()) {
      // SSE has no loads under a mask.
      ExprId masks = m_.prim(ScalarOp::le, {m_.number(4), m_.expr({Hardware{Builtin::VectorLanes, 8}, Scalar::I64})});
      ExprId enough = m_.prim(ScalarOp::le, {m_.number(least), left});
      out.push_back({If{m_.prim(ScalarOp::and_, {masks, m_.prim(ScalarOp::and_, {m_.var(go_), enough})}), std::move(tail), {}}});
    }
    For rest = last_iterations(m_, loop_, base_);
    rest.spmd = rest.interleaved = false;
    rest.group.reset();
    rest.few = few;
    if (tail.empty() && ends.may_interleave(loop_)) {
      rest.spmd = rest.interleaved = true;
      for (Stm& s : LaneLoop(m_, rest, false).run()) out.push_back(std::move(s));
    } else {
      out.push_back({std::move(rest)});
    }
    return out;
  }

 private:
  Module& m_;
  const For& loop_;
  const int64_t width_;
  const bool has_last_;
  const Name lane_;
  LaneNames names_;
  Name base_, go_;                     // go_: no check has failed yet
  std::optional<Name> half_;           // 0.5, which the C compiler does not know
  ExprId bound_, next_;                // how many lanes there are; where the next group begins
  LaneIndices::At first_, end_;        // the lanes at both ends, as far as they have iterations
  IdSet<Name> assigned_;
  std::optional<LaneIndices> indices_;
  std::optional<LaneParts> parts_;
  IdSet<Name> loaded_;                 // memory that the body reads
  size_t far_stores_ = 0;              // of the body, where no two lanes are neighbours
  bool last_ = false;                  // in the last group: as many as are left, and more up to a whole vector

  void look_at(const Block& b) {
    auto look = [&](ExprId e) {
      any_part(m_, e, [&](ExprId part) {
        if (auto load = std::get_if<Load>(&m_.exprs[part.index].node)) loaded_.insert(load->memory);
        return false;
      });
    };
    for (const Stm& s : b) {
      match(s.node, [&](const Declare& x) { if (x.init) look(*x.init); }, [&](const Assign& x) { look(x.value); },
            [&](const Store& x) { look(x.index); look(x.value); far_stores_ += is_far(x); }, [&](const Atomic& x) { loaded_.insert(x.memory); look(x.index); look(x.value); },
            [&](const If& x) { look(x.cond); }, [&](const While& x) { look(x.cond); }, [&](const For& x) { look(x.from); look(x.to); }, [](const auto&) {});   // others read nothing
      each_body(s, [&](const Block& inner) { look_at(inner); });
    }
  }
  bool is_far(const Store& x) const { return names_.varies(x.index) && indices_->stride(x.index) != 1; }

  // ---- parts ----

  // The lanes that are on, and the condition that was the last one to choose them.
  struct On { Name lanes; ExprId cond; size_t depth; };
  using Mask = std::optional<On>;      // none: all
  struct Part { Block body; std::vector<Reduced> reduced; Block after; std::vector<For> updates; bool stores = false; };   // stores: the last of updates
  Block* out_ = nullptr;
  Part part_;                          // what the lanes do next; begins after everything in *out_
  IdMap<Name, size_t> depth_;          // the depth of the mask under which a name is declared

  template <class F> void in(Block& b, F fill) {
    Block* saved = std::exchange(out_, &b);
    fill();
    flush();
    out_ = saved;
  }
  void add(Stm s) { part_.body.push_back(std::move(s)); }
  void flush() {
    Part p = std::exchange(part_, {});
    if (!p.body.empty()) emit_part(std::move(p.body), std::move(p.reduced), true);
    for (Stm& s : p.after) out_->push_back(std::move(s));
    for (For& x : p.updates) emit_part(std::move(x.body), {}, x.lanes, !x.lanes);
  }
  // `side_by_side`: no control structure inside. `apart`: stores that processors make sooner one by one than as a vector of places.
  void emit_part(Block body, std::vector<Reduced> reduced, bool side_by_side, bool apart = false) {
    Name l = m_.name("l", Scalar::I64);
    For lanes{l, m_.number(0), bound_, std::move(body)};
    lanes.unrolled = loop_.interleaved && side_by_side;
    if (!loop_.interleaved) {
      lanes.reduced = std::move(reduced);
      lanes.lanes = side_by_side;
      lanes.scattered = apart;
    }
    parts_->add(l);
    out_->push_back({std::move(lanes)});
  }

  void last_group(Block& out, const Block& body, ExprId left) {
    last_ = true;
    const int64_t vector = width_ / 4;
    Name bound = m_.name("bound", Scalar::I64), valid = m_.name("valid", Scalar::Bool);
    ExprId up = m_.prim(ScalarOp::and_, {m_.add(left, m_.number(vector - 1)), m_.number(-vector)});
    in(out, [&] {
      out_->push_back({Declare{bound, up}});
      bound_ = m_.var(bound);
      end_ = {m_.add(loop_.to, m_.number(-1)), m_.add(left, m_.number(-1))};
      names_.varying.insert(valid);
      add({Declare{valid, m_.prim(ScalarOp::lt, {m_.var(lane_), left})}});
      flush();                                   // GCC would cut a part in two where it sees this comparison
      next_ = loop_.to;
      top(body, On{valid, m_.var(valid), 1});
    });
  }

  // The body of the loop itself: the only one that checks and stores. What follows a check runs if it holds in all lanes.
  void top(const Block& whole, const Mask& on) {
    const Block b = checks_first(whole);
    std::optional<ExprId> holds;                 // all checks up to here, between which nothing is read
    for (size_t k = 0; k < b.size(); k++) {
      const Stm& s = b[k];
      if (names_.is_check(s)) {
        ExprId cond = std::get<If>(s.node).cond;
        holds = both(holds, cond);
        continue;
      }
      auto d = std::get_if<Declare>(&s.node);
      if (!holds || (d && d->init && !names_.is_load(*d->init) && !combines(*d->init))) {
        auto reduce = std::get_if<Assign>(&s.node);
        reduce && names_.reduced.contains(reduce->var) ? combine(*reduce, on) : statement(s, on);
        if (names_.may_fail_inside(s, on.has_value())) return if_all_go([&] { top(rest(b, k + 1), on); });
        continue;
      }
      return checked(*holds, on, [&] { top(rest(b, k), on); });
    }
    if (holds) return checked(*holds, on, [&] { top({}, on); });
    flush();
    out_->push_back({Assign{base_, next_}});
  }
  // It is part of what lanes combine, and stands with the assignment to that.
  bool combines(ExprId e) const {
    return any_part(m_, e, [&](ExprId part) {
      auto n = std::get_if<Name>(&m_.exprs[part.index].node);
      return n && names_.reduced.contains(*n);
    });
  }
  ExprId both(std::optional<ExprId> a, ExprId b) { return a ? m_.prim(ScalarOp::and_, {*a, b}) : b; }
  static Block part(const Block& b, size_t from, size_t to) {
    Block out;
    for (; from < to; from++) out.push_back(b[from]);
    return out;
  }
  static Block rest(const Block& b, size_t from) { return part(b, from, b.size()); }
  template <class F> void checked(ExprId holds, const Mask& on, F rest) {
    std::optional<ExprId> all, each;             // of all lanes at once; of each lane by itself
    std::vector<ExprId> parts{holds};
    while (!parts.empty()) {
      ExprId part = parts.back();
      parts.pop_back();
      auto op = std::get_if<Prim>(&m_.exprs[part.index].node);
      if (indices_->is_comparison(part)) all = both(all, indices_->in_all_lanes(part, first_, end_));
      else if (op && op->op == ScalarOp::and_) parts.insert(parts.end(), op->args.rbegin(), op->args.rend());
      else each = both(each, part);
    }
    if (each) {
      Name failing = counter("failing");
      ExprId fails = m_.prim(ScalarOp::not_, {*each});
      count(failing, on ? m_.prim(ScalarOp::and_, {m_.var(on->lanes), fails}) : fails);
      all = both(all, m_.prim(ScalarOp::eq, {m_.var(failing), zero(Scalar::I32)}));
    }
    flush();
    Block then, stop;
    in(then, rest);
    stop.push_back({Assign{go_, m_.constant(bool_const(false))}});
    out_->push_back({If{*all, std::move(then), std::move(stop)}});
  }
  template <class F> void if_all_go(F rest) {
    flush();
    Block then;
    in(then, rest);
    out_->push_back({If{m_.var(go_), std::move(then), {}}});
  }
  // Checks with what they need, then all the rest; the block as it is where they need more than declarations.
  Block checks_first(const Block& b) const {
    size_t end = b.size();
    while (end > 0 && !names_.is_check(b[end - 1])) end--;
    std::vector<bool> early(b.size());
    IdSet<Name> needed;
    for (size_t k = end; k-- > 0;) {
      auto d = std::get_if<Declare>(&b[k].node);
      if (!names_.is_check(b[k]) && !d) return b;
      early[k] = !d || needed.contains(d->var);
      Block one;
      one.push_back(b[k]);
      if (early[k]) for (Name n : free_names(m_, one)) needed.insert(n);
    }
    Block out;
    for (bool first : {true, false})
      for (size_t k = 0; k < b.size(); k++) if (early[k] == first) out.push_back(b[k]);
    return out;
  }
  void combine(const Assign& x, const Mask& on) {
    for (const Reduced& r : loop_.reduced)
      if (r.var == x.var) part_.reduced.push_back(r);
    add({Assign{x.var, on ? m_.prim(ScalarOp::select, {m_.var(on->lanes), x.value, m_.var(x.var)}) : x.value}});
  }

  // A number of lanes, which parts add to.
  Name counter(const char* hint) {
    Name n = m_.name(hint, Scalar::I32);
    names_.reduced.insert(n);
    out_->push_back({Declare{n, zero(Scalar::I32)}});
    return n;
  }
  void count(Name n, ExprId on) {
    add({Assign{n, m_.add(m_.var(n), m_.expr({Cast{on}, Scalar::I32}))}});
    part_.reduced.push_back({n, ScalarOp::add});
  }
  ExprId zero(Scalar t) { return m_.constant(raido::constant(t, 0)); }

  On masked(Mask on, ExprId cond, const char* hint) {
    Name n = m_.name(hint, Scalar::Bool);
    names_.varying.insert(n);
    add({Declare{n, on ? m_.prim(ScalarOp::and_, {m_.var(on->lanes), cond}) : cond}});
    return {n, cond, depth(on) + 1};
  }
  static size_t depth(const Mask& on) { return on ? on->depth : 0; }
  // var := value in the lanes that are on. Where the name is declared under the mask, the other lanes do not look at it.
  void set(Name var, ExprId value, const Mask& on) {
    size_t chosen = depth(on) - depth_[var];
    if (chosen == 0 && !names_.is_load(value)) return add({Assign{var, value}});
    if (!on) return add({Assign{var, value}});
    if (!names_.is_load(value)) {
      ExprId where = chosen == 1 ? on->cond : m_.var(on->lanes);
      return add({Assign{var, m_.prim(ScalarOp::select, {where, value, m_.var(var)})}});
    }
    Block read;
    read.push_back({Assign{var, value}});
    add({If{m_.var(on->lanes), std::move(read), {}}});
  }

  void block(const Block& b, const Mask& on) { block(b, on, [] {}); }
  // And `after` that, if no check fails.
  template <class F> void block(const Block& b, const Mask& on, F after) {
    for (size_t k = 0; k < b.size(); k++) {
      if (names_.is_check(b[k]) && names_.may_fail(b[k], on.has_value())) return checked(std::get<If>(b[k].node).cond, on, [&] { block(rest(b, k + 1), on, after); });
      statement(b[k], on);
      if (names_.may_fail_inside(b[k], on.has_value())) return if_all_go([&] { block(rest(b, k + 1), on, after); });
    }
    after();
  }
  void statement(const Stm& s, const Mask& on) {
    match(s.node,
      [&](const Declare& x) { declare(x, on); },
      [&](const Assign& x) {
        if (names_.varying.contains(x.var)) return set(x.var, x.value, on);
        flush();                                             // the part may read the old value
        out_->push_back(s);
      },
      [&](const Store& x) {
        if (!loop_.interleaved && far_stores_ >= costs::cpu::stores_apart && is_far(x) && !loaded_.contains(x.memory)) return store_apart(x, on);
        Block store;
        store.push_back(s);
        if (on) add({If{m_.var(on->lanes), std::move(store), {}}});
        else add(s);
      },
      [&](const Atomic& x) { sum(x, on); },
      [&](const Fail&) { out_->push_back(s); },              // in all lanes
      [&](const For& x) { x.alone || (loop_.interleaved && !waits(m_, names_, x)) ? alone(x, on) : names_.varies(x.from) || names_.varies(x.to) ? counted(x, on) : uniform(x, on); },
      [&](const While& x) { loop_.interleaved ? alone(x, on) : names_.varies(x.cond) ? diverging(x, on) : uniform(x, on); },
      [&](const If& x) { loop_.interleaved && !names_.has_loop(x.then_) && !names_.has_loop(x.else_) ? add(s) : names_.varies(x.cond) ? branch(x, on) : uniform(x, on); },
      [](const auto&) { PANIC("a statement that does not run in lanes"); });
  }
  // Rows of numbers: one lane after the other stores its own after the part. A vector of places takes as long or longer, and with many of them
  // GCC makes no vectors of the part.
  void store_apart(Store x, const Mask& on) {
    auto changes = [&](ExprId e) { return any_part(m_, e, [&](ExprId part) { auto n = std::get_if<Name>(&m_.exprs[part.index].node); return n && assigned_.contains(*n); }); };
    if (changes(x.value)) {                        // before the stores
      Name kept = m_.name("kept", m_.exprs[x.value.index].type);
      names_.varying.insert(kept);
      add({Declare{kept, x.value}});
      x.value = m_.var(kept);
    }
    Block one;
    one.push_back({x});
    if (!part_.stores) part_.updates.push_back({lane_, m_.number(0), bound_, {}});
    part_.stores = true;
    Block& stores = part_.updates.back().body;
    If* last = on && !stores.empty() ? std::get_if<If>(&stores[stores.size() - 1].node) : nullptr;
    if (!on) stores.push_back({x});
    else if (last && last->cond == m_.var(on->lanes)) last->then_.push_back({x});
    else stores.push_back({If{m_.var(on->lanes), std::move(one), {}}});
    if (changes(x.index)) flush();
  }
  void declare(const Declare& x, const Mask& on) {
    if (indices_->value(x.var)) return;
    if (!names_.varying.contains(x.var)) { out_->push_back({x}); return; }
    bool read = x.init && names_.is_load(*x.init) && on;
    depth_[x.var] = depth(on);
    add({Declare{x.var, x.init && !read ? usual(*x.init, on) : zero(m_.names[x.var.index].type)}});
    if (read) set(x.var, *x.init, on);
  }
  // A function, in lanes that are not on, of numbers for which it is a finite number: vector functions take long for others. GCC would take the
  // function of a constant out of the loop, and choose the result instead.
  ExprId usual(ExprId e, const Mask& on) {
    auto function = std::get_if<Prim>(&m_.exprs[e.index].node);
    if (!on || !function || !is_call(function->op)) return e;
    Prim call = *function;
    for (ExprId& arg : call.args) {
      const Scalar t = m_.exprs[arg.index].type;
      if (!is_float(t)) continue;
      if (!half_) half_ = m_.name("half", Scalar::F64);
      ExprId finite = m_.expr({Cast{m_.var(*half_)}, t});
      if (call.op == ScalarOp::acosh) finite = m_.prim(ScalarOp::add, {finite, m_.constant(raido::constant(t, 1))});
      arg = m_.prim(ScalarOp::select, {m_.var(on->lanes), arg, finite});
    }
    return m_.prim(call.op, call.args);
  }
  // Its iterations are vectors in each lane, or lanes run it in different ways.
  template <class Loop> void alone(const Loop& x, const Mask& on) {
    flush();
    Block one, each;
    one.push_back({x});
    if constexpr (std::is_same_v<Loop, For>) std::get<For>(one.begin()->node).alone = false;
    if (on) each.push_back({If{m_.var(on->lanes), std::move(one), {}}});
    emit_part(on ? std::move(each) : std::move(one), {}, false);
  }
  void uniform(const For& x, const Mask& on) {
    flush();
    For loop{x.i, x.from, x.to, {}};
    in(loop.body, [&] {
      if (names_.may_fail(x.body, on.has_value())) if_all_go([&] { block(x.body, on); });
      else block(x.body, on);
    });
    out_->push_back({std::move(loop)});
  }
  void uniform(const While& x, const Mask& on) {
    flush();
    While loop{{}, if_going(x, x.cond, on.has_value()), {}};
    in(loop.test, [&] { block(x.test, on); });
    in(loop.body, [&] { block(x.body, on); });
    out_->push_back({std::move(loop)});
  }
  // A loop ends if a check fails.
  bool fails_inside(const While& x, bool some) const { return names_.may_fail(x.test, some) || names_.may_fail(x.body, some); }
  ExprId if_going(const While& x, ExprId cond, bool some) { return fails_inside(x, some) ? m_.prim(ScalarOp::and_, {m_.var(go_), cond}) : cond; }
  void uniform(const If& x, const Mask& on) {
    flush();
    If parts{x.cond, {}, {}};
    in(parts.then_, [&] { block(x.then_, on); });
    in(parts.else_, [&] { block(x.else_, on); });
    out_->push_back({std::move(parts)});
  }
  // What both sides assign at their ends is chosen once.
  void branch(const If& x, const Mask& on) {
    const std::vector<Assign> yes = last_assignments(x.then_), no = last_assignments(x.else_);
    bool choose = !reads_own(yes) && !reads_own(no) && !names_.is_left_out(x.then_) && !names_.is_left_out(x.else_);
    std::vector<std::pair<Name, ExprId>> chosen;
    auto side = [&](const Block& b, const std::vector<Assign>& mine, const std::vector<Assign>& other, bool first, ExprId cond, const char* hint) {
      if (b.empty()) return;
      if (names_.is_left_out(b)) return side_if_taken(b, on, cond, hint);
      On mask = masked(on, cond, hint);
      for (size_t k = 0; k < b.size() - mine.size(); k++) statement(b[k], mask);
      for (const Assign& a : mine) {
        auto twin = std::ranges::find(other, a.var, &Assign::var);
        if (!choose || twin == other.end() || names_.is_load(a.value) || names_.is_load(twin->value)) set(a.var, a.value, mask);
        else if (first) chosen.push_back({a.var, m_.prim(ScalarOp::select, {x.cond, a.value, twin->value})});
      }
    };
    side(x.then_, yes, no, true, x.cond, "then");
    side(x.else_, no, yes, false, m_.prim(ScalarOp::not_, {x.cond}), "else");
    for (auto& [var, value] : chosen) set(var, value, on);
  }
  void side_if_taken(const Block& b, const Mask& on, ExprId cond, const char* hint) {
    Name active = counter("active");
    On mask = masked(on, cond, hint);
    count(active, m_.var(mask.lanes));
    flush();
    // GCC moves a call to where only one side of a choice needs it, and then it is no vector. So the choices are another part.
    const size_t choices = names_.calls(b) ? b.size() - last_assignments(b).size() : b.size();
    Block taken;
    in(taken, [&] {
      block(part(b, 0, choices), mask, [&] {
        if (choices < b.size()) flush();
        block(part(b, choices, b.size()), mask);
      });
    });
    out_->push_back({If{m_.prim(ScalarOp::lt, {zero(Scalar::I32), m_.var(active)}), std::move(taken), {}}});
  }
  static std::vector<Assign> last_assignments(const Block& b) {
    std::vector<Assign> out;
    for (const Stm& s : b)
      if (auto a = std::get_if<Assign>(&s.node)) out.push_back(*a);
      else out.clear();
    return out;
  }
  // Whether one of these assignments reads what one of them assigns.
  bool reads_own(const std::vector<Assign>& assigns) const {
    Block values;
    for (const Assign& a : assigns) values.push_back({Declare{base_, a.value}});
    auto read = free_names(m_, values);
    return std::ranges::any_of(assigns, [&](const Assign& a) { return std::ranges::find(read, a.var) != read.end(); });
  }
  // Each lane has its own number of iterations.
  void counted(const For& x, const Mask& on) {
    depth_[x.i] = depth(on);
    assigned_.insert(x.i);
    add({Declare{x.i, x.from}});
    While loop{{}, m_.prim(ScalarOp::lt, {m_.var(x.i), x.to}), x.body};
    loop.body.push_back({Assign{x.i, m_.add(m_.var(x.i), m_.number(1))}});
    diverging(loop, on);
  }
  void diverging(const While& x, const Mask& on) {
    Name active = counter("active");
    block(x.test, on, [&] {
      On running = masked(on, x.cond, "on");
      const Name run = running.lanes;
      assigned_.insert(run);
      running.cond = m_.var(run);
      count(active, m_.var(run));
      flush();
      const int64_t few = fails_inside(x, true) ? 0 : costs::cpu::few_lanes;
      While loop{{}, if_going(x, m_.prim(ScalarOp::lt, {m_.constant(integer_constant(Scalar::I32, few)), m_.var(active)}), true), {}};
      loop.body.push_back({Assign{active, zero(Scalar::I32)}});
      Block step = x.body;
      for (const Stm& s : x.test) step.push_back(s);
      in(loop.body, [&] {
        block(step, running, [&] {
          if (!part_.updates.empty()) flush();               // they are of the lanes that were on
          add({Assign{run, m_.prim(ScalarOp::and_, {m_.var(run), x.cond})}});
          count(active, m_.var(run));
        });
      });
      out_->push_back({std::move(loop)});
      if (few == 0) return;
      Block last, one;
      one.push_back({x});
      last.push_back({If{m_.var(run), std::move(one), {}}});
      emit_part(std::move(last), {}, false);
    });
  }

  // ---- sums ----

  // The sums of a part are added after it.
  void sum(const Atomic& x, const Mask& on) {
    Scalar t = m_.exprs[x.value.index].type;
    Name old = m_.name("old", t);
    auto add_to = [&](Block& b, ExprId value) {
      b.push_back({Declare{old, m_.expr({Load{x.memory, x.index}, t})}});
      b.push_back({Store{x.memory, x.index, m_.add(m_.var(old), value)}});
    };
    if (names_.varies(x.index)) {
      Block one, each;
      add_to(one, x.value);
      if (on) each.push_back({If{m_.var(on->lanes), std::move(one), {}}});
      For update{lane_, m_.number(0), bound_, on ? std::move(each) : std::move(one)};
      update.lanes = indices_->stride(x.index).value_or(0) != 0;        // no two lanes meet; else one lane after the other
      bool waits = std::ranges::none_of(free_names(m_, update.body), [&](Name n) { return assigned_.contains(n); });
      part_.updates.push_back(std::move(update));
      part_.stores = false;
      if (!waits) flush();
      return;
    }
    if (!last_ && (t == Scalar::F32 || t == Scalar::F64)) return sum_floats(x, on, t, add_to);
    Name s = m_.name("sum", t);
    names_.reduced.insert(s);
    out_->push_back({Declare{s, zero(t)}});
    add({Assign{s, m_.add(m_.var(s), on ? m_.prim(ScalarOp::select, {m_.var(on->lanes), x.value, zero(t)}) : x.value)}});
    part_.reduced.push_back({s, ScalarOp::add});
    add_to(part_.after, m_.var(s));
  }

  // C compilers add up the floats of a vector one after the other.
  void sum_floats(const Atomic& x, const Mask& on, Scalar t, const auto& add_to) {
    Name terms = m_.name("terms", t);
    out_->push_back({DeclareArray{terms, {m_.number(width_)}}});
    add({Store{terms, m_.var(lane_), on ? m_.prim(ScalarOp::select, {m_.var(on->lanes), x.value, zero(t)}) : x.value}});
    add_to(part_.after, sum_in_halves(m_, part_.after, terms, width_));
  }

  // Of numbers of 8 and of 64 bits together C compilers make no vectors.
  void widen() {
    auto any = [&](auto f) {
      for (Name n : names_.marked()) if (parts_->is_own(n)) f(m_.names[n.index]);
    };
    bool beside = false;
    any([&](const NameInfo& i) { beside = beside || bytes_of(i.type) == 8; });
    any([&](NameInfo& i) { i.wide = beside && is_integer(i.type) && bytes_of(i.type) == 1; });
  }
};

}  // namespace

void run_in_lanes(Module& m, Block& b, bool last_groups) {
  Block out;
  auto inside = [&](Block& body) { run_in_lanes(m, body, last_groups); };
  for (Stm& s : b) {
    match(s.node, [&](For& x) { if (!x.spmd) inside(x.body); }, [&](While& x) { inside(x.test); inside(x.body); },
          [&](If& x) { inside(x.then_); inside(x.else_); },
          [&](ParallelFor& x) {
            for (const Stm& part : x.body)
              if (auto lanes = std::get_if<For>(&part.node); lanes && lanes->spmd) x.grain = width_of(*lanes);
            inside(x.body);
          }, [](auto&) {});   // others have no bodies
    auto loop = std::get_if<For>(&s.node);
    if (!loop || !loop->spmd) { out.push_back(std::move(s)); continue; }
    for (Stm& r : LaneLoop(m, *loop, last_groups).run()) out.push_back(std::move(r));
  }
  b = std::move(out);
}

}  // namespace raido::kir
