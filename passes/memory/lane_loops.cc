// lane_loops.cc - see lane_loops.h.
#include "passes/memory/lane_loops.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/calling.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/visit.h"
#include "passes/memory/far_reads.h"
#include "passes/memory/lane_sums.h"
#include "passes/memory/loop_latency.h"

namespace raido {

using namespace ir;

// One loop that might be taken.
class LaneLoops::Candidate {
 public:
  // `own`: blocks of which each iteration may have one for itself.
  Candidate(const Program& p, const Uses& uses, Var i, const Dim& n, const Body& body, const std::vector<Var>& own)
      : p_(p), uses_(uses), i_(i), n_(n), body_(body), sums_(p, uses, body) {
    const VarSet inside = bound_in(body);
    for (const Stm& s : body.stms) {                       // what is the same in all iterations is checked before them (backends/kernel/checks.h)
      auto check = std::get_if<Assert>(&s.exp);
      auto cond = check ? var_of(check->cond) : nullptr;
      has_checks_ = has_checks_ || (cond && inside.contains(*cond));
    }
    has_own_ = !own.empty();
    for (Var v : own) own_.insert(v);
  }

  bool fits(const For& x) { return states(x) && fits(); }
  // The task stores the numbers that its points make, after everything else. A row lies in its place already.
  bool fits(const Stm& s, const Seg& x) {
    if (x.level != SegLevel::Task || !x.reduces.empty() || !x.scans.empty() || !x.post_reduces.empty() || !x.dests.empty()) return false;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      auto made = std::get_if<ArrayType>(&p_.type(s.pattern[k].var));
      auto result = var_of(x.body.result[k]);
      auto row = result ? std::get_if<ArrayType>(&p_.type(*result)) : nullptr;
      if (!made || (row && row->place->block != made->place->block)) return false;
      if (row) row_blocks_.insert(row->place->block);
      stored_.push_back(made);
    }
    return fits() && std::ranges::all_of(x.body.result, [&](const Atom& a) { return is_scalar(p_.type(a)) || is_row_of(a); });
  }
  const std::vector<const ArrayType*>& stored() const { return stored_; }
  struct Read { const ArrayType* array; bool own; };       // own: at the index of the iteration
  const std::vector<Read>& reads() const { return reads_; }
  const std::vector<const ArrayType*>& sums() const { return sums_.places(); }
  bool has_rows() const { return has_rows_; }
  bool runs_alone() const { return runs_alone_; }
  bool interleaved() const { return interleaved_; }
  // Empty if lanes gain however far apart their rows lie.
  std::vector<Distance> distances() const { return gains_by_waits_ ? distances_ : std::vector<Distance>{}; }
  // Empty if lanes gain however many iterations the loops inside have.
  std::vector<Trips> most_trips() const {
    std::vector<Trips> most;
    if (most_trips_) for (const Dim& n : inner_trips_) most.push_back({n, *most_trips_});
    return most;
  }
  // Empty if lanes gain however few iterations the loops inside have.
  std::vector<Trips> trips() const { return interleaved_ ? waiting_trips_ : gains_by_waits_ ? trips_ : std::vector<Trips>{}; }

 private:
  const Program& p_;
  const Uses& uses_;
  Var i_;
  const Dim& n_;
  const Body& body_;
  size_t last_part_ = 0, last_check_ = 0;      // statements with control structures, checks
  size_t first_store_ = SIZE_MAX, at_ = 0;     // of the body; the statement of it at hand
  bool has_checks_ = false, has_own_ = false;
  bool calls_in_branches_ = false;             // of mathematical functions, where no comparison with the counter chooses: C compilers split such loops
  bool by_data_ = false;                       // elements decide whether an iteration runs this
  VarSet by_place_;                            // comparisons with the counter
  bool check_inside_ = false;                  // of a loop or a branch, and lanes may differ in it
  std::vector<const ArrayType*> stored_;
  std::vector<Read> reads_;
  VarSet updates_;                             // what the stores make
  bool has_rows_ = false;
  VarSet row_blocks_, rows_;                   // blocks of results that are rows; rows of the iteration, which it makes there
  Forms forms_;
  VarSet jumps_;                               // what does not move by a fixed number from lane to lane
  VarSet own_;
  LaneSums sums_;
  bool sums_apart_ = false;                    // lanes add to elements that lie apart
  bool far_vectors_ = false;                   // there is one that they make vectors of, of elements that lie apart
  bool loops_ = false, inside_ = false;        // loops_: there is one that C compilers make no vectors of; this is in one
  bool straight_ = true;                       // there is no loop inside
  bool vectors_ = false, scalar_ = false;       // of innermost loops: C compilers make vectors of one; of one they do not
  bool gains_by_waits_ = false;                // not by what they do, but since iterations inside wait for each other
  std::vector<Distance> distances_;            // from what one lane reads or stores to what the next one does
  std::vector<Trips> trips_;                   // of the loops inside whose iterations wait
  bool idles_ = false, interleaved_ = false;   // a processor does little else while it waits for iterations of a loop inside; so it runs a few of these loops
  std::vector<Trips> waiting_trips_;           // of such loops
  bool all_alone_ = true, runs_alone_ = false;   // each loop inside is a sum as vectors; and the lanes are for what is around them
  bool diverged_ = false;                      // lanes may differ in whether they run this
  size_t inner_loops_ = 0;                     // how many loops are inside
  bool uneven_ = false;                        // lanes may differ in how often they run one of them, or one is in another
  std::vector<Dim> inner_trips_;               // how many iterations these loops have, if that is no constant
  std::optional<i64> most_trips_;              // lanes gain up to so many of these iterations
  struct Work {
    size_t far = 0, far_stores = 0, operations = 0;
    size_t waits = 0;                          // operations that lanes do while iterations wait for each other
    bool scalar = false;                       // some of it has no vectors
    // A store far apart is one without lanes, too: only the number must come out of its vector.
    bool gains(size_t more = 0) const { return !scalar && (2 * far + far_stores) * costs::cpu::operations_for_gather <= 2 * (operations + more); }
  };
  Work inner_, all_, around_;                  // of the loops inside; of everything; of what is in no loop inside

  bool fits() {
    if (auto n = const_of(n_); n && n->as_i64() < costs::cpu::lanes) return false;
    if (!body(body_, true) || !checks_first()) return false;
    if (gains()) return true;
    most_trips_ = most_if_narrow();
    return most_trips_.has_value();
  }
  bool checks_first() const {
    return !check_inside_ || (!has_rows_ && first_store_ >= last_check_ && (sums_.places().empty() || sums_.first_use() > last_check_));
  }
  // C compilers make no vectors of loops that may leave early, as checks do, nor of those that call a function in some iterations.
  bool gains() {
    bool beside_inside = vectors_ && !scalar_;              // elements lie side by side along the loops inside, and apart from lane to lane
    if (beside_inside && (has_rows_ || sums_apart_)) return false;
    bool nearer = far_vectors_ && inner_.far == 0 && inner_.far_stores == 0;
    if (loops_ || nearer ? inner_.gains() : straight_ && (has_checks_ || calls_in_branches_) && all_.gains()) return true;
    const bool interleaves = idles_ && !has_checks_ && sums_.places().empty();
    if (!(interleaves && inner_.far_stores > 0) && loops_ && inner_.gains(inner_.waits) && may_lie_apart()) return gains_by_waits_ = true;
    if (interleaves) {
      from_outside(waiting_trips_);
      return interleaved_ = true;
    }
    runs_alone_ = !straight_ && all_alone_ && !has_rows_ && !has_own_ && around_.operations >= costs::cpu::operations_of_call && around_.gains();
    return runs_alone_;
  }
  // Loops of a few iterations, as over the columns of a narrow matrix, cost more to begin and end than vectors of theirs save. Up to so many
  // iterations lanes gain, although their elements lie apart.
  std::optional<i64> most_if_narrow() const {
    const VarSet inside = bound_in(body_);
    if (uneven_ || inner_trips_.empty() || all_.scalar || std::ranges::any_of(inner_trips_, [&](const Dim& n) { return inside.contains(*var_of(n)); })) return {};
    const i64 dear = i64(all_.far * costs::cpu::operations_for_gather + all_.far_stores * costs::cpu::operations_for_scatter) - i64(all_.operations);
    const i64 most = dear > 0 ? std::min(costs::cpu::narrow_trips, i64(costs::cpu::operations_of_loop * inner_loops_) / dear) : costs::cpu::narrow_trips;
    return most > 1 ? std::optional(most) : std::nullopt;
  }
  // Whether no rows of lanes surely push each other out of a cache. Some do for certain sizes only.
  bool may_lie_apart() {
    VarSet inside;
    each_bind(body_, [&](Var v) { inside.insert(v); });
    for (const ArrayType* a : stored_)
      if (a->shape.size() > 1) distances_.push_back({a->place->layout.strides[0], i64(bytes_of(a->elem))});
    std::erase_if(distances_, [&](const Distance& d) { auto v = var_of(d.elements); return v && inside.contains(*v); });
    from_outside(trips_);
    bool meet = std::ranges::any_of(distances_, [&](const Distance& d) { auto n = const_of(d.elements); return n && n->as_i64() * d.bytes % costs::cpu::lane_distance == 0; });
    std::erase_if(distances_, [&](const Distance& d) { return const_of(d.elements) != nullptr; });
    return !meet;
  }
  // Those that are known before the loop.
  void from_outside(std::vector<Trips>& trips) const {
    VarSet inside;
    each_bind(body_, [&](Var v) { inside.insert(v); });
    std::erase_if(trips, [&](const Trips& t) { return inside.contains(*var_of(t.n)); });
  }
  void count(auto f) {
    f(all_);
    if (inside_) f(inner_);
    else f(around_);
  }
  // Each array of the state gets the iteration's own element or row, after all checks; each number is combined in any order, after all parts.
  bool states(const For& x) {
    FlatMap<Var, size_t> made;                             // by which statement
    for (size_t k = 0; k < body_.stms.size(); k++) {
      for (Bind b : body_.stms[k].pattern) made[b.var] = k;
      Kind kind = kind_of(body_.stms[k].exp);
      if (kind == Kind::Check || kind == Kind::Loop || kind == Kind::Branch) last_part_ = k;
      if (kind == Kind::Check) last_check_ = k;
    }
    const FlatMap<Var, size_t> reads = own_reads();
    size_t number = 0;
    for (size_t k = 0; k < x.state.size(); k++) {
      Var v = x.state[k].var;
      auto r = var_of(body_.result[k]);
      const size_t* found = r ? made.find(*r) : nullptr;
      const size_t* own = reads.find(v);
      if (is_array(p_.type(v)) && may_sum(x, v) && sums_.follow(v, x.body.result[k])) continue;
      if (!found || uses_.of(v) != 1 + (own ? *own : 0) || uses_.of(*r) != 1) return false;
      const size_t at = *found;
      const Exp& e = body_.stms[at].exp;
      if (is_scalar(p_.type(v))) {
        if (!x.any_order) return false;
        auto op = std::get_if<Apply>(&e);
        if (!op || op->op != (*x.any_order)[number++] || std::ranges::find(op->args, Atom(v)) == op->args.end() || at <= last_part_) return false;
        continue;
      }
      auto update = std::get_if<Update>(&e);
      if (!update || update->array != v || update->at.size() != 1 || update->at[0] != Selector(Atom(i_)) || at < last_check_) return false;
      if (update->in_place) {
        if (own) return false;
        row_blocks_.insert(std::get<ArrayType>(p_.type(v)).place->block);
      } else if (!is_scalar(p_.type(update->value))) {
        return false;
      }
      first_store_ = std::min(first_store_, at);
      updates_.insert(*r);
      stored_.push_back(&std::get<ArrayType>(p_.type(v)));
    }
    return sums_alone() && (sums_.places().empty() || !has_checks_ || sums_.first_use() > last_check_);
  }
  // How often the iteration's own element of an array is read, before it is stored.
  FlatMap<Var, size_t> own_reads() const {
    FlatMap<Var, size_t> reads;
    each_stm(body_, [&](const Stm& s) {
      auto read = std::get_if<Index>(&s.exp);
      if (read && read->at.size() == 1 && read->at[0] == Selector(Atom(i_))) reads[read->array]++;
    });
    return reads;
  }
  // Sums of integers have any order.
  bool may_sum(const For& x, Var v) const { return x.sums || x.any_order || !is_float(elem_of(p_.type(v))); }
  // Blocks of sums hold nothing else in the loop.
  bool sums_alone() const {
    VarSet blocks;
    for (const ArrayType* sum : sums_.places()) {
      if (blocks.contains(sum->place->block)) return false;
      blocks.insert(sum->place->block);
    }
    bool alone = true;
    each_bind(body_, [&](Var v) {
      auto a = std::get_if<ArrayType>(&p_.type(v));
      alone = alone && (!a || !a->place || sums_.contains(v) || !blocks.contains(a->place->block));
    });
    return alone;
  }

  bool body(const Body& b, bool top) {
    for (size_t k = 0; k < b.stms.size(); k++) {
      if (top) at_ = k;
      if (!statement(b.stms[k], top)) return false;
    }
    return true;
  }
  bool statement(const Stm& s, bool top) {
    if (has_attr(s.attrs, "trace")) return false;
    switch (kind_of(s.exp)) {
      case Kind::Step: operation(s); return !std::holds_alternative<Tunable>(s.exp);
      case Kind::View: if (s.pattern.size() == 1 && is_scalar(p_.type(s.pattern[0].var))) operation(s); return true;
      case Kind::Check:
        if (!top && (diverged_ || !is_uniform(std::get<Assert>(s.exp)))) check_inside_ = has_checks_ = true, last_check_ = std::max(last_check_, at_);
        return !has_rows_;
      case Kind::Read: read(s); return true;
      case Kind::Write: return (top && last_write(s)) || sums_.contains(s.pattern[0].var) || row_write(s) || own_write(s);
      case Kind::Make: return row_make(s) || own_make(s);
      case Kind::Branch: {
        const If& x = std::get<If>(s.exp);
        for (Bind b : s.pattern) jumps_.insert(b.var);
        const bool apart = moves(x.cond) != 0;
        bool before = std::exchange(diverged_, diverged_ || apart), data = std::exchange(by_data_, by_data_ || (apart && !by_place_.contains(*var_of(x.cond))));
        bool fits = all_scalars(s.pattern) && body(x.then_, false) && body(x.else_, false);
        diverged_ = before;
        by_data_ = data;
        return fits;
      }
      case Kind::Loop: all_alone_ = all_alone_ && top; return loop(s);
      case Kind::Constant: case Kind::Parallel: case Kind::Scope: case Kind::Operator: case Kind::Call: case Kind::Block: return false;
    }
    return false;
  }
  bool all_scalars(const std::vector<Bind>& bs) const {
    return std::ranges::all_of(bs, [&](Bind b) { return is_scalar(p_.type(b.var)) || is_own(b.var) || is_row_of(b.var) || sums_.contains(b.var); });
  }
  bool is_uniform(const Atom& a) const { return moves(a) == 0; }
  bool is_uniform(const Assert& x) const { return is_uniform(x.cond) && std::ranges::all_of(x.args, [&](const Atom& a) { return is_uniform(a); }); }

  // ---- rows of results, which iterations make where they will lie ----

  bool is_row_of(const Atom& a) const { auto v = var_of(a); return v && rows_.contains(*v); }
  // The end of a result, with a number or with a row.
  bool last_write(const Stm& s) {
    if (!updates_.contains(s.pattern[0].var)) return false;
    const Update& x = std::get<Update>(s.exp);
    return !x.in_place || is_row_of(x.value);
  }
  bool row_make(const Stm& s) {
    auto a = std::get_if<ArrayType>(&p_.type(s.pattern[0].var));
    if (!a || !a->place || !row_blocks_.contains(a->place->block)) return false;
    if (auto x = std::get_if<ArrayLit>(&s.exp)) {
      for (const Atom& e : x->elements) {
        if (var_of(e) && !is_scalar(p_.type(*var_of(e))) && !is_row_of(e)) return false;
        count([](Work& w) { w.far_stores++; });
      }
    } else if (auto copied = std::get_if<Copy>(&s.exp); copied ? in_rows(s.pattern[0].var, copied->array) : is_filled(s)) {
      if (copied) whole_read(copied->array);
      count([&](Work& w) { w.far += copied ? 1 : 0, w.far_stores++; });
    } else if (!std::holds_alternative<Scratch>(s.exp)) {
      return false;
    }
    rows_.insert(s.pattern[0].var);
    return has_rows_ = true;
  }
  bool row_write(const Stm& s) {
    const Update* x = std::get_if<Update>(&s.exp);
    if (!x || !is_row_of(x->array)) return false;
    auto value = var_of(x->value);
    if (value && !is_scalar(p_.type(*value)) && !(x->in_place && is_row_of(*value))) return false;
    rows_.insert(s.pattern[0].var);
    if (!x->in_place) count([](Work& w) { w.far_stores++; });
    return true;
  }

  // ---- arrays of one iteration ----

  bool is_own(const Atom& a) const {
    auto v = var_of(a);
    auto array = v ? std::get_if<ArrayType>(&p_.type(*v)) : nullptr;
    return array && array->place && own_.contains(array->place->block);
  }
  // Loops over all elements of both are the same in all lanes, and no transposition: both have the elements of a row side by side, or few.
  bool in_rows(Var to, Var from) const {
    auto shape = shape_of(p_.type(to));
    auto beside = [&](Var v) {
      const std::vector<Atom>& strides = std::get<ArrayType>(p_.type(v)).place->layout.strides;
      return std::ranges::find(strides, Atom(i64_const(1))) == strides.end() - 1;
    };
    auto is_few = [&](const Atom& n) { return const_of(n) && const_of(n)->as_i64() < costs::cpu::least_block; };
    return std::ranges::all_of(shape, [&](const Atom& n) { return is_uniform(n); }) &&
           (shape.size() == 1 || std::ranges::all_of(shape, is_few) || (beside(to) && beside(from)));
  }
  void whole_read(Var v) {
    if (!is_own(v) && !is_row_of(v)) reads_.push_back({&std::get<ArrayType>(p_.type(v)), false});
  }
  bool own_write(const Stm& s) {
    const Update& x = std::get<Update>(s.exp);
    if (!is_own(x.array)) return false;
    auto value = var_of(x.value);
    if (x.in_place || !value || is_scalar(p_.type(*value))) return true;
    whole_read(*value);
    return in_rows(*value, x.array);
  }
  bool own_make(const Stm& s) {
    Var v = s.pattern[0].var;
    if (!is_own(v)) return false;
    if (std::holds_alternative<Scratch>(s.exp)) return true;
    if (auto x = std::get_if<Copy>(&s.exp)) { whole_read(x->array); return in_rows(v, x->array); }
    if (auto x = std::get_if<ArrayLit>(&s.exp)) {                // rows lie in it already
      for (size_t k = 0; k < x->elements.size(); k++) if (!is_scalar(p_.type(x->elements[k])) && (x->in_place.empty() || !x->in_place[k])) return false;
      return true;
    }
    return is_filled(s);
  }
  // With numbers, by loops that are the same in all lanes.
  bool is_filled(const Stm& s) const {
    auto x = std::get_if<Replicate>(&s.exp);
    bool of_number = x && (!var_of(x->value) || is_scalar(p_.type(*var_of(x->value))));
    return (of_number || std::holds_alternative<Iota>(s.exp)) && std::ranges::all_of(shape_of(p_.type(s.pattern[0].var)), [&](const Atom& n) { return is_uniform(n); });
  }

  bool loop(const Stm& s) {
    auto counted = std::get_if<For>(&s.exp);
    auto loop = std::get_if<While>(&s.exp);
    const std::vector<Bind>& state = counted ? counted->state : loop->state;
    const std::vector<Atom>& init = counted ? counted->init : loop->init;
    for (size_t k = 0; k < state.size(); k++) {
      if (!is_row_of(init[k])) continue;
      rows_.insert(state[k].var);
      if (loop) rows_.insert(loop->cond.params[k].var);
    }
    if (!all_scalars(state)) return false;
    straight_ = false;
    bool apart = !counted || !is_uniform(counted->n);
    inner_loops_++;
    uneven_ = uneven_ || apart || inside_;
    if (!apart && !const_of(counted->n) && std::ranges::find(inner_trips_, counted->n) == inner_trips_.end()) inner_trips_.push_back(counted->n);
    if (apart && std::ranges::any_of(state, [&](Bind b) { return sums_.contains(b.var); })) return false;
    for (Bind b : state) jumps_.insert(b.var);
    for (Bind b : s.pattern) jumps_.insert(b.var);
    if (counted && apart) jumps_.insert(counted->i.var);
    if (loop) for (Bind b : loop->cond.params) jumps_.insert(b.var);
    auto n = counted ? const_of(counted->n) : nullptr;
    bool mixes = counted && combines(*counted);
    loops_ = loops_ || !mixes || reads_far_apart(p_, *counted);
    far_vectors_ = far_vectors_ || (mixes && reads_any_far(p_, *counted));
    bool adds = std::ranges::all_of(state, [&](Bind b) { return sums_.contains(b.var); });
    all_alone_ = all_alone_ && counted && !apart && (adds || (mixes && sums_floats(*counted))) && is_innermost(counted->body) && has_vectors(*counted);
    bool diverged = std::exchange(diverged_, diverged_ || apart), before = std::exchange(inside_, true);
    bool fits = (counted || body(loop->cond.body, false)) && body(counted ? counted->body : loop->body, false);
    if (counted && !apart && is_innermost(counted->body)) {
      const size_t latency = loop_latency(p_, *counted);
      const i64 least = latency > 0 && !chooses(*counted) ? costs::cpu::waiting_cycles / i64(latency) : 0;
      if (!n || n->as_i64() >= least) inner_.waits += costs::cpu::operations_of_cycle * latency;
      if (least > 0 && !n) trips_.push_back({counted->n, least});
      const size_t operations = operations_in(counted->body);
      if (latency > 0 && !diverged && !has_vectors(*counted) && operations <= costs::cpu::interleaved_operations * latency) {
        const i64 enough = costs::cpu::interleaved_cycles / i64(latency);
        idles_ = idles_ || !n || n->as_i64() >= enough;
        if (!n) waiting_trips_.push_back({counted->n, enough});
      }
    }
    const Body& steps = counted ? counted->body : loop->body;
    const bool vectors = counted && has_vectors(*counted);
    if (!vectors && is_innermost(steps) && branches(steps)) count([](Work& w) { w.operations += costs::cpu::operations_of_guess; });
    if (!(n && n->as_i64() <= costs::cpu::unrolled) && is_innermost(steps)) (vectors ? vectors_ : scalar_) = true;
    diverged_ = diverged;
    inside_ = before;
    for (size_t k = 0; k < state.size() && fits; k++) {
      if (!is_row_of(state[k].var)) continue;
      fits = is_row_of((counted ? counted->body : loop->body).result[k]);
      rows_.insert(s.pattern[k].var);
    }
    return fits;
  }

  // Whether what it hands on is chosen by data. A processor that takes the choice for a branch guesses it, and begins the next loop with a wrong guess.
  static bool chooses(const For& x) {
    bool found = false;
    for (const Stm& s : x.body.stms)
      if (auto op = std::get_if<Apply>(&s.exp)) found = found || (op->op == ScalarOp::select && std::ranges::count(x.body.result, Atom(s.pattern[0].var)) > 0);
    return found;
  }
  // Whether a branch by data decides which number it hands on, as in a binary search.
  bool branches(const Body& b) const {
    bool found = false;
    for (const Stm& s : b.stms) {
      auto choice = std::get_if<If>(&s.exp);
      const bool by_data = choice && moves(choice->cond) != 0 && !by_place_.contains(*var_of(choice->cond));
      found = found || (by_data && std::ranges::any_of(s.pattern, [&](Bind x) { return is_scalar(p_.type(x.var)) && std::ranges::count(b.result, Atom(x.var)) > 0; }));
    }
    return found;
  }
  std::optional<i64> moves(const Atom& a) const {
    if (const_of(a)) return 0;
    return stride(forms_.of(a), i_, [&](Var v) { return jumps_.contains(v); });
  }
  // Whether iterations may be combined in any order. C compilers know that of integers, if these lie side by side.
  bool combines(const For& x) const {
    if (may_mix(x)) return true;
    if (reads_any_far(p_, x)) return false;
    Definitions made;
    made.add_all(x.body);
    auto combined = [&](size_t k) {
      const Var v = x.state[k].var;
      const Var* next = var_of(x.body.result[k]);
      auto op = next ? made.get<Apply>(*next) : nullptr;
      if (!op || !is_scalar(p_.type(v)) || !is_integer(elem_of(p_.type(v)))) return false;
      return is_commutative(op->op, elem_of(p_, op->args[0])) && std::ranges::count(op->args, Atom(v)) == 1 && count_uses(p_, x.body, v) == 1;
    };
    for (size_t k = 0; k < x.state.size(); k++) if (!combined(k)) return false;
    return !x.state.empty();
  }
  bool sums_floats(const For& x) const {
    return !x.state.empty() && std::ranges::all_of(x.state, [&](Bind b) { return is_scalar(p_.type(b.var)) && is_float(elem_of(p_.type(b.var))); }) &&
           std::ranges::all_of(*x.any_order, [](ScalarOp op) { return op == ScalarOp::add; });
  }
  size_t operations_in(const Body& b) const {
    size_t count = 0;
    each_stm(b, [&](const Stm& s) {
      auto op = std::get_if<Apply>(&s.exp);
      const bool floats = op && is_float(elem_of(p_, op->args[0]));
      const bool extremum = floats && (op->op == ScalarOp::min || op->op == ScalarOp::max);
      count += floats && is_call(op->op) ? costs::cpu::operations_of_call : extremum ? costs::cpu::operations_of_extremum : 1;
    });
    return count;
  }
  static bool is_innermost(const Body& b) {
    bool found = false;
    each_stm(b, [&](const Stm& s) { found = found || kind_of(s.exp) == Kind::Loop; });
    return !found;
  }
  // Its elements lie side by side, and no number goes from one iteration to the next in an order.
  bool has_vectors(const For& x) const {
    bool numbers = std::ranges::any_of(x.state, [&](Bind b) { return is_scalar(p_.type(b.var)); }), beside = false;
    const bool in_any_order = (x.sums && x.any_order) || combines(x);      // of sums strips are made
    if ((numbers && !in_any_order) || reads_far_apart(p_, x)) return false;
    auto is_beside = [&](Var array, const std::vector<Selector>& at) {
      auto a = std::get_if<ArrayType>(&p_.type(array));
      auto stride = a && a->place && at.size() == a->shape.size() ? const_of(a->place->layout.strides.back()) : nullptr;
      auto index = std::get_if<Atom>(&at.back());
      return stride && stride->as_i64() == 1 && index && forms_.of(*index).factor(x.i.var) == 1;
    };
    for (const Stm& s : x.body.stms) {
      if (auto read = std::get_if<Index>(&s.exp)) beside = beside || is_beside(read->array, read->at);
      if (auto write = std::get_if<Update>(&s.exp)) beside = beside || is_beside(write->array, write->at);
    }
    return beside;
  }
  void operation(const Stm& s) {
    auto op = std::get_if<Apply>(&s.exp);
    bool call = op && is_call(op->op) && is_float(elem_of(p_, op->args[0]));
    count([&](Work& w) { w.operations += call ? costs::cpu::operations_of_call : 1; });
    calls_in_branches_ = calls_in_branches_ || (call && by_data_);
    Var v = s.pattern[0].var;
    forms_.define(p_, s);
    if (op && (op->op == ScalarOp::lt || op->op == ScalarOp::le) && std::ranges::all_of(op->args, [&](const Atom& a) { return moves(a).has_value(); })) by_place_.insert(v);
    bool fixed = op ? std::ranges::all_of(op->args, [&](const Atom& a) { return moves(a) == 0; })
                    : std::holds_alternative<Convert>(s.exp) && moves(std::get<Convert>(s.exp).value) == 0;
    if (!fixed && !has_vector_form(p_, s.exp)) count([](Work& w) { w.scalar = true; });
    if (!fixed && forms_.of(v) == Affine(v)) jumps_.insert(v);
  }
  void read(const Stm& s) {
    const Index& x = std::get<Index>(s.exp);
    const ArrayType& a = std::get<ArrayType>(p_.type(x.array));
    Var v = s.pattern[0].var;
    bool own = is_own(x.array) || is_row_of(x.array);
    if (!own && !sums_.contains(x.array)) reads_.push_back({&a, x.at.size() == 1 && x.at[0] == Selector(Atom(i_))});
    if (!is_scalar(p_.type(v))) {                         // a view
      if (is_row_of(x.array)) rows_.insert(v);
      return;
    }
    std::optional<i64> by = moves(a.place->layout.offset);
    std::optional<Distance> distance;
    for (size_t d = 0; d < x.at.size(); d++) {
      auto step = moves(std::get<Atom>(x.at[d]));
      auto apart = const_of(a.place->layout.strides[d]);
      if (step == 0) continue;
      if (step && !own) distance = {a.place->layout.strides[d], *step * i64(bytes_of(a.elem))};
      by = by && step && apart ? std::optional(*by + *step * apart->as_i64()) : std::nullopt;
    }
    if (by != 0 || own) jumps_.insert(v);
    if (by == 0 || (by == 1 && !own)) return;
    if (distance) distances_.push_back(*distance);
    count([](Work& w) { w.far++; });
    sums_apart_ = sums_apart_ || sums_.contains(x.array);
  }
};

std::optional<LaneLoops::Blocks> LaneLoops::take(const Stm& s, const std::vector<Var>& allocs) const {
  auto loop = std::get_if<For>(&s.exp);
  auto task = std::get_if<Seg>(&s.exp);
  if (!loop && (!task || task->index.size() != 1 || task->vectors == Vectors::No)) return {};
  Blocks blocks;
  blocks.own = loop ? own_blocks(loop->body, allocs) : own_blocks(task->body, blocks_of(task->workspaces));
  Candidate c = loop ? Candidate(p_, uses_, loop->i.var, loop->n, loop->body, blocks.own) : Candidate(p_, uses_, task->index[0].var, task->extent[0], task->body, blocks.own);
  if (!(loop ? c.fits(*loop) : c.fits(s, *task)) || !is_apart(c)) return {};
  blocks.most_trips = c.most_trips();
  if ((c.has_rows() || !blocks.most_trips.empty()) && takes_any(loop ? loop->body : task->body)) return {};   // lanes inside have elements side by side
  blocks.alone = c.runs_alone();
  blocks.interleaved = c.interleaved();
  blocks.distances = c.distances();
  blocks.trips = c.trips();
  for (const ArrayType* sum : c.sums()) blocks.sums.push_back(sum->place->block);
  return blocks;
}
std::vector<Var> LaneLoops::blocks_of(const std::vector<Workspace>& workspaces) {
  std::vector<Var> blocks;
  for (const Workspace& w : workspaces) blocks.push_back(w.block.var);
  return blocks;
}
bool LaneLoops::is_alloc(const Stm& s) {
  auto alloc = std::get_if<Alloc>(&s.exp);
  return alloc && alloc->space == Space::Host;
}
bool LaneLoops::takes_any(const Body& b) const {
  bool found = false;
  std::vector<Var> allocs;
  for (const Stm& s : b.stms) {
    if (is_alloc(s)) allocs.push_back(s.pattern[0].var);
    auto blocks = found ? std::nullopt : take(s, allocs);
    found = found || (blocks && blocks->most_trips.empty());
    walk_parts(s, [&](const Body& inner) { found = found || takes_any(inner); });
  }
  return found;
}
// All arrays in such a block are bound in the body: nothing comes from another iteration, nor from before, and nothing is left for later.
// They have one type of elements, so no two lanes meet.
std::vector<Var> LaneLoops::own_blocks(const Body& body, const std::vector<Var>& allocs) const {
  std::unordered_map<Var, Scalar> inside;
  VarSet mixed;
  each_bind(body, [&](Var v) {
    auto a = std::get_if<ArrayType>(&p_.type(v));
    if (!a || !a->place) return;
    auto [known, is_new] = inside.try_emplace(a->place->block, a->elem);
    if (!is_new && known->second != a->elem) mixed.insert(a->place->block);
  });
  FlatMap<Var, size_t> uses;                                // in the body
  for (const auto& [block, elem] : inside) uses[block] = 0;
  each_use(p_, body, [&](Var v) { if (size_t* n = uses.find(v)) ++*n; });
  std::vector<Var> own;
  for (Var v : allocs) {
    if (!inside.contains(v) || mixed.contains(v) || aliases_.may_be_others(v)) continue;
    if (*uses.find(v) == uses_.of(v)) own.push_back(v);
  }
  return own;
}
bool LaneLoops::is_apart(const Candidate& c) const {
  for (const Candidate::Read& r : c.reads()) {
    Var block = r.array->place->block;
    for (const ArrayType* s : c.stored()) {
      bool own = r.own && same_place(*r.array->place, *s->place);
      if (!own && aliases_.may_be_one(block, s->place->block)) return false;
    }
    for (const ArrayType* s : c.sums()) if (aliases_.may_be_one(block, s->place->block)) return false;
  }
  return true;
}

}  // namespace raido
