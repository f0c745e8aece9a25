// filters.cc - one thread, or one kernel of a device, filters and partitions in one pass.
//
// On processors:
//
//   let ranks, keep = screma n \x -> (select keep 1 0, keep) scans (+)      let k, ys = for i < n (count = 0, ys = scratch [n]):
//   let k = min n ranks[n - 1] (0 if n is 0)                                  ys[count] := x; count := count + select keep 1 0
//   let ys = with_acc none [[k]] \acc -> map n \keep rank x acc ->    ==>   let ys = ys[:k]                                         F1
//              upd acc [if keep then rank - 1 else -1] [x]
//
// So prelude/soacs.fut defines them: each element that is kept has a rank, and its place follows from that. The loop writes every number,
// kept or not, since the next one overwrites it, and there is no branch to guess; of rows it writes those that are kept. In a partition the
// others have the place k + i - rank: the loop collects them in an array of their own, from which they are copied to the end.
//
// Several threads need the ranks, and read and write four times as much. Where the code may run on them, both versions stay, and the
// program chooses when it runs: few threads are slower than one if the elements are chosen by a few operations.
//
// On devices each thread that knows the rank of an element stores it. The scan stays one, and its `post` does what the scatter did; so
// each element is read once. What it makes has room for all elements, since their number is known at the end only:
//
//   let total, ys = with_acc none [scratch [1], scratch [n]] \t acc ->
//     screma n \x t acc -> (select keep 1 0, keep, x, t, acc) scans (+)                                                              F2
//       post \rank keep x t acc -> (upd t [if i = n - 1 then 0 else -1] [rank], upd acc [if keep then rank - 1 else -1] [x])
//   let ys = ys[:total[0]]
//
// The others of a partition go to an array of their own, at i - rank. This is done for scalars that are chosen by scalar code; rows are
// scattered in a kernel of their own.
//
// If what is kept is only reduced, nothing is filtered, on any target and before derivatives (`filter_sums`):
//
//   let s = reduce k op [ne] (\y -> f y) ys[:k]      ==>     let s = reduce n op [ne] (\keep x -> if keep then f x else ne) keep xs          F3
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"
#include "passes/parallel/one_thread.h"
#include "passes/parallel/regular.h"
#include "passes/parallel/segs.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// A filter or partition: three statements of a body.
struct Found {
  size_t scan, count, scatter;             // their numbers
  Var ranks, keep, size;
  bool rest;                               // others than those that are kept have a place, too
  std::vector<Atom> values;                // as in the lambda of the map in the scatter
  const Screma* map;                       // that map
};

class Filters {
 public:
  Filters(Program& p, PassContext& c) : p_(p), c_(c), made_(p) {}

  // `alone`: one thread runs this body.
  void body(Body& whole, bool alone) {
    for (Stm& s : whole.stms) {
      one_thread_.note(s);
      auto choice = std::get_if<If>(&s.exp);
      if (choice && one_thread_.chooses(*choice)) {
        body(choice->then_, true);
        continue;                          // the other version is for several
      }
      bool inside = alone || kind_of(s.exp) == Kind::Parallel;
      walk_parts(s, [&](Body& inner) { body(inner, inside); });
    }
    if (alone && c_.target == Target::Gpu) return;
    for (auto found = find(whole); found && c_.allow(); found = find(whole)) {
      rewrite(whole, *found, alone);
      made_ = Definitions(p_);             // statements have moved
      c_.stats.count(found->rest ? "filters.partition" : "filters.filter");
    }
  }

  // Filters whose elements are only reduced.
  void sums(Body& whole) {
    for (Stm& s : whole.stms) walk_parts(s, [&](Body& inner) { sums(inner); });
    for (auto f = find(whole); f; f = find(whole, f->scatter + 1)) {
      const std::vector<Stm*> reductions = f->rest ? std::vector<Stm*>{} : reductions_of(whole, *f);
      if (reductions.empty() || !c_.allow()) continue;
      c_.stats.count("filters.F3");
      for (Stm* s : reductions) reduce_all(*s, whole.stms[f->scatter], *f);
    }
  }

 private:
  Program& p_;
  PassContext& c_;
  Definitions made_;
  OneThread one_thread_;
  struct Parts { Var whole; Atom size; Var kept, others; };
  std::vector<Parts> separate_;  // a partition on a device -> arrays that begin with its parts

  // ---- what is one ----

  std::optional<Found> find(const Body& b, size_t from = 0) const {
    for (size_t k = from; k < b.stms.size(); k++) {
      auto w = std::get_if<WithAcc>(&b.stms[k].exp);
      if (!w) continue;
      std::optional<Found> found = scatter(*w);
      if (!found) continue;
      FlatMap<Var, size_t> at;                                // the statement that binds a variable
      for (size_t j = 0; j < k; j++) for (Bind v : b.stms[j].pattern) at[v.var] = j;
      auto scan = at.find(found->ranks), count = at.find(found->size);
      if (!scan || !count) continue;
      found->scatter = k;
      found->scan = *scan;
      found->count = *count;
      if (fits(b, *found)) return found;
    }
    return {};
  }
  // The scatter and the places in it.
  std::optional<Found> scatter(const WithAcc& w) const {
    const List<Stm>& stms = w.scope.body.stms;
    if (w.dests.size() != 1 || w.dests[0].combine || w.dests[0].rank != 1 || stms.size() != 1 || w.scope.body.result.size() != 1) return {};
    auto map = std::get_if<Screma>(&stms[0].exp);
    if (!map || !is_map(*map) || !stms[0].checks.empty() || map->pre.body.stms.size() < 2) return {};
    const List<Stm>& inner = map->pre.body.stms;
    const Stm &place = inner[inner.size() - 2], &last = inner[inner.size() - 1];
    auto upd = std::get_if<AccUpdate>(&last.exp);
    for (size_t k = 0; k + 2 < inner.size(); k++) if (!std::holds_alternative<Apply>(inner[k].exp)) return {};
    if (!upd || upd->at.size() != 1 || place.pattern.size() != 1 || upd->at[0] != Atom(place.pattern[0].var) || !last.checks.empty()) return {};
    auto [cond, yes, no] = choice_of(place);
    auto first = made_.get<Apply>(yes);                       // rank - 1
    if (!first || first->op != ScalarOp::add) return {};
    size_t one = is_const(first->args[0], -1) ? 0 : 1;
    if (!is_const(first->args[one], -1)) return {};
    auto ranks = input_of(*map, first->args[1 - one]), keep = input_of(*map, cond);
    const Stm* scan = ranks ? made_.of(*ranks) : nullptr;
    if (!scan || !keep || made_.of(*keep) != scan) return {};
    const Dim length = shape_of(p_.type(w.dests[0].arrays[0]))[0];
    bool rest = !is_const(no, -1);
    const Var* size = rest ? rest_place(*map, no, first->args[1 - one]) : var_of(length);
    if (!size || (rest && length != map->width)) return {};
    Found found{0, 0, 0, *ranks, *keep, *size, rest, upd->values, map};
    auto screma = std::get_if<Screma>(&scan->exp);
    if (!screma || !is_flag(*screma, number_of(*scan, *keep))) return {};
    return found;
  }
  // The array that the parameter of the map stands for.
  static const Var* input_of(const Screma& map, const Atom& a) {
    for (size_t k = 0; k < map.inputs.size(); k++) if (a == Atom(map.pre.params[k].var)) return &map.inputs[k];
    return nullptr;
  }
  struct Choice { Atom cond, yes, no; };
  static Choice choice_of(const Stm& s) {
    if (auto op = std::get_if<Apply>(&s.exp); op && op->op == ScalarOp::select) return {op->args[0], op->args[1], op->args[2]};
    if (auto x = std::get_if<If>(&s.exp)) return {x->cond, x->then_.result[0], x->else_.result[0]};
    return {bool_const(false), i64_const(0), i64_const(0)};
  }
  // size + i - rank: the size.
  const Var* rest_place(const Screma& map, const Atom& place, const Atom& rank) const {
    auto difference = made_.get<Apply>(place);
    if (!difference || difference->op != ScalarOp::sub || difference->args[1] != rank) return nullptr;
    auto sum = made_.get<Apply>(difference->args[0]);
    if (!sum || sum->op != ScalarOp::add) return nullptr;
    for (size_t k : {0, 1})
      if (auto i = input_of(map, sum->args[k]); i && is_counter(*i)) return var_of(sum->args[1 - k]);
    return nullptr;
  }
  bool is_counter(Var array) const {
    auto x = made_.get<Iota>(array);
    return x && is_const(x->start, 0) && is_const(x->step, 1);
  }
  // A scan that adds 1 for each element whose flag, result `keep`, is set, and does nothing else than mapping.
  bool is_flag(const Screma& x, size_t keep) const {
    if (!x.reduces.empty() || x.scans.size() != 1 || !identity_post(x) || !x.post_reduces.empty()) return false;
    if (scalar_operator(p_, x.scans[0]) != ScalarOp::add || !is_const(x.scans[0].neutral[0], 0)) return false;
    if (std::ranges::any_of(x.inputs, [&](Var v) { return !is_array(p_.type(v)); })) return false;
    auto add = made_.get<Apply>(x.pre.body.result[0]);
    return add && add->op == ScalarOp::select && is_const(add->args[1], 1) && is_const(add->args[2], 0) && add->args[0] == x.pre.body.result[keep];
  }
  // The size is the last rank; nobody else reads the ranks, and what the scatter reads is there before the scan.
  bool fits(const Body& b, const Found& f) const {
    const Stm &scan = b.stms[f.scan], &count = b.stms[f.count], &scatter = b.stms[f.scatter];
    const Dim n = std::get<Screma>(scan.exp).width;
    if (c_.target == Target::Gpu && !fits_kernel(scan, f)) return false;
    if (f.count < f.scan || f.scatter < f.count || f.map->width != n || !is_last_rank(count, f.ranks, n) || count_uses(p_, b, f.ranks) != 2) return false;
    if (std::ranges::any_of(scan.pattern, [&](Bind v) { return !is_array(p_.type(v.var)); })) return false;
    VarSet late;
    for (size_t k = f.scan; k < b.stms.size(); k++) for (Bind v : b.stms[k].pattern) late.insert(v.var);
    auto is_there = [&](Var v) { return !late.contains(v) || binds(scan, v) || is_counter(v); };
    const VarSet inner = bound_in(f.map->pre.body);
    bool there = std::ranges::none_of(scatter.checks, [&](Var v) { return late.contains(v); });
    for (const Atom& a : f.values) {
      const Var *input = input_of(*f.map, a), *v = input ? input : var_of(a);
      there = there && (!v || (is_there(*v) && (input || (!binds(scan, *v) && !inner.contains(*v)))));
    }
    return there;
  }
  // Threads keep scalars while they scan.
  bool fits_kernel(const Stm& scan, const Found& f) const {
    const auto& x = std::get<Screma>(scan.exp);
    for (const Atom& a : f.values) if (!is_scalar(p_.type(a))) return false;
    for (const Atom& a : x.pre.body.result) if (!is_scalar(p_.type(a))) return false;
    return makes_only_scalars(p_, x.pre.body);
  }
  bool is_last_rank(const Stm& s, Var ranks, const Dim& n) const {
    if (auto x = std::get_if<If>(&s.exp)) {
      auto empty = made_.get<Apply>(x->cond);
      if (!empty || empty->op != ScalarOp::eq || x->then_.result.size() != 1 || !is_const(x->then_.result[0], 0)) return false;
      if (!(is_const(empty->args[0], 0) && empty->args[1] == n) && !(is_const(empty->args[1], 0) && empty->args[0] == n)) return false;
      const Stm* made = made_.of(x->else_.result[0]);
      return made && is_last_rank(*made, ranks, n);
    }
    auto least = std::get_if<Apply>(&s.exp);
    if (!least || least->op != ScalarOp::min) return false;
    for (size_t k : {0, 1}) {
      auto read = made_.get<Index>(least->args[k]);
      if (read && read->array == ranks && read->at.size() == 1 && least->args[1 - k] == n) return is_before(std::get<Atom>(read->at[0]), n);
    }
    return false;
  }
  bool is_before(const Atom& a, const Dim& n) const {         // a is n - 1
    if (auto c = const_of(a), d = const_of(n); c && d) return c->as_i64() == d->as_i64() - 1;
    auto sum = made_.get<Apply>(a);
    return sum && sum->op == ScalarOp::add && ((sum->args[0] == n && is_const(sum->args[1], -1)) || (sum->args[1] == n && is_const(sum->args[0], -1)));
  }

  // ---- reductions of what is kept ----

  // What uses the elements that are kept, if all of that are reductions of them in this body. Else nothing.
  std::vector<Stm*> reductions_of(Body& b, const Found& f) const {
    const std::vector<Bind>& kept = b.stms[f.scatter].pattern;
    auto is_kept = [&](Var v) { return std::ranges::any_of(kept, [&](Bind x) { return x.var == v; }); };
    std::vector<Stm*> found;
    size_t uses = 0, inputs = 0;
    each_use(p_, b, [&](Var v) { uses += is_kept(v); });
    for (size_t k = f.scatter + 1; k < b.stms.size(); k++) {
      auto x = std::get_if<Screma>(&b.stms[k].exp);
      if (!x || std::ranges::none_of(x->inputs, is_kept)) continue;
      auto is_number = [&](Bind v) { return is_scalar(p_.type(v.var)); };
      const bool reduces = x->scans.empty() && x->post_reduces.empty() && identity_post(*x) && x->pre.body.result.size() == width_of(x->reduces);
      if (!reduces || !std::ranges::all_of(x->inputs, is_kept) || !std::ranges::all_of(b.stms[k].pattern, is_number) || !std::ranges::all_of(x->pre.params, is_number)) return {};
      inputs += x->inputs.size();
      found.push_back(&b.stms[k]);
    }
    return uses == inputs ? found : std::vector<Stm*>{};
  }
  void reduce_all(Stm& s, const Stm& scatter, const Found& f) {
    Screma& x = std::get<Screma>(s.exp);
    Screma all{f.map->width, {f.keep}, {}, std::move(x.reduces), {}, {}, {}};
    all.ordered = x.ordered;
    const Var keep = p_.fresh("keep", scalar_type(Scalar::Bool));
    all.pre.params.push_back({keep});
    Subst values;
    for (size_t k = 0; k < x.inputs.size(); k++) {
      const Var param = x.pre.params[k].var;
      size_t number = 0;
      while (scatter.pattern[number].var != x.inputs[k]) number++;
      if (auto input = input_of(*f.map, f.values[number])) {
        all.inputs.push_back(*input);
        all.pre.params.push_back({param});
      } else {
        values.emplace(param, f.values[number]);
      }
    }
    substitute(p_, x.pre.body, values);
    If choice{keep, std::move(x.pre.body), {}};
    std::vector<std::string> hints;
    for (const Combine& c : all.reduces) choice.else_.result.insert(choice.else_.result.end(), c.neutral.begin(), c.neutral.end());
    hints.assign(choice.else_.result.size(), "kept");
    Builder b(p_, all.pre.body.stms);
    b.source = s.source;
    for (Var v : b.bind(hints, std::move(choice))) all.pre.body.result.push_back(v);
    s.exp = std::move(all);
  }

  // ---- what becomes of it ----

  void rewrite(Body& b, const Found& f, bool alone) {
    auto old = std::exchange(b.stms, {}).take();
    Stm &scan = *old[f.scan], &count = *old[f.count], &scatter = *old[f.scatter];
    std::vector<Bind> results = count.pattern;              // the size, the scattered arrays, what the scan mapped
    results.insert(results.end(), scatter.pattern.begin(), scatter.pattern.end());
    results.insert(results.end(), scan.pattern.begin() + 1, scan.pattern.end());
    Builder out(p_, b.stms);
    for (size_t k = 0; k < old.size(); k++) {
      if (k == f.scan) {
        out.source = scatter.source;
        if (c_.target == Target::Gpu) one_kernel(out, f, scan, scatter, results);
        else if (alone || c_.target != Target::Multicore) one_pass(out, f, scan, scatter, results);
        else choose(out, f, scan, count, scatter, results);
      } else if (k != f.count && k != f.scatter) {
        auto read = std::get_if<Index>(&old[k]->exp);
        if (read && read->array == f.ranks) *old[k] = {old[k]->pattern, Identity{results[0].var}, {}, old[k]->source, {}};
        b.stms.push_back(std::move(old[k]));
      }
    }
    for (const Parts& parts : separate_) keep_separate(b, parts);
    separate_.clear();
  }
  //   let s = update ys [size +: n - size] others[:n - size]                       let yes = ys[:size]
  //   let yes = s[:size]   let no = s[size +: m]   and s is not used again   ==>   let no = others[:m]
  // The update, which nobody needs then, would have consumed `ys`.
  void keep_separate(Body& b, const Parts& parts) {
    std::vector<Index*> slices;
    Stm* update = nullptr;
    for (Stm& s : b.stms) {
      if (binds(s, parts.whole)) update = &s;
      auto x = std::get_if<Index>(&s.exp);
      if (!x || x->array != parts.whole || x->at.size() != 1) continue;
      auto slice = std::get_if<Slice>(&x->at[0]);
      if (!slice || !is_const(slice->stride, 1)) continue;
      if (slice->start == parts.size || (is_const(slice->start, 0) && slice->count == parts.size)) slices.push_back(x);
    }
    if (!update || count_uses(p_, b, parts.whole) != slices.size()) return;
    for (Index* x : slices) {
      Slice& slice = std::get<Slice>(x->at[0]);
      x->array = slice.start == parts.size ? parts.others : parts.kept;
      slice.start = i64_const(0);
    }
    b.stms.erase(*update);
  }
  // A few operations for each element: then memory is what a filter waits for.
  static bool is_light(const Body& b) {
    for (const Stm& s : b.stms) {
      auto op = std::get_if<Apply>(&s.exp);
      if (op ? is_costly(op->op) : !std::holds_alternative<Index>(s.exp) && !std::holds_alternative<Convert>(s.exp)) return false;
    }
    return b.stms.size() <= costs::cpu::light_operations;
  }
  void choose(Builder& out, const Found& f, Stm& scan, const Stm& count, Stm& scatter, const std::vector<Bind>& results) {
    Body ranked;
    Builder inner(p_, ranked.stms);
    inner.source = out.source;
    inner.emit(scan);
    const Term n = inner.term(std::get<Screma>(scan.exp).width), empty = eq(n, inner.number(Scalar::I64, 0));
    Body none, some = inner.body([&] {
      Atom kept = inner.index("rank", f.ranks, {(n - 1).atom});
      return std::vector<Atom>{inner.bind1("kept", Apply{ScalarOp::min, {n.atom, kept}})};
    });
    none.result = {i64_const(0)};
    inner.emit({count.pattern, If{empty.atom, std::move(none), std::move(some)}, {}, out.source, {}});
    Stm last = scatter;
    for (Var& v : std::get<WithAcc>(last.exp).dests[0].arrays) v = inner.bind1(p_.hint(v), Scratch{elem_of(p_.type(v)), shape_of(p_.type(v))});
    for (Var& v : std::get<Screma>(std::get<WithAcc>(last.exp).scope.body.stms[0].exp).inputs)
      if (is_counter(v)) v = inner.bind1(p_.hint(v), *made_.get<Iota>(v));             // it may be made after this
    inner.emit(std::move(last));
    for (Bind v : results) ranked.result.push_back(v.var);
    Body several = clone(p_, ranked);
    std::vector<Bind> here = results;
    Subst names;
    for (Bind& v : here) v.var = p_.fresh(p_.hint(v.var), p_.type(v.var));
    for (size_t k = 0; k < here.size(); k++) names.emplace(results[k].var, here[k].var);
    for (Bind v : here) substitute(p_, p_.vars[v.var.index].type, names);
    Atom cond = one_thread(out, is_light(std::get<Screma>(scan.exp).pre.body) ? costs::cpu::filter_threads : 1);
    Body one = out.body([&] {
      one_pass(out, f, scan, scatter, here);
      std::vector<Atom> made;
      for (Bind v : here) made.push_back(v.var);
      return made;
    });
    out.emit({results, If{cond, std::move(one), std::move(several)}, {}, out.source, {}});
  }

  // A scope without statements, with an accumulator for what is kept, one for the others of a partition, and one for the last rank.
  WithAcc room_for_all(Builder& out, const Found& f, const Dim& n, const std::vector<Bind>& results) {
    WithAcc w;
    auto scratch = [&](Var like) { return out.bind1(p_.hint(like), Scratch{elem_of(p_.type(like)), {n}}); };
    for (size_t part = 0; part < (f.rest ? 2 : 1); part++) {
      Dest d;
      for (size_t k = 0; k < f.values.size(); k++) d.arrays.push_back(scratch(results[1 + k].var));
      d.conflict = Conflict::None;                  // each point has a cell of its own
      w.dests.push_back(std::move(d));
    }
    w.dests.emplace_back().arrays = {out.bind1("total", Scratch{Scalar::I64, {i64_const(1)}})};
    w.dests.back().conflict = Conflict::None;
    std::vector<Bind> accs;
    for (const Dest& d : w.dests) {
      w.scope.params.push_back({p_.fresh("token", CheckType{})});
      accs.push_back({p_.fresh("acc", dest_type(p_, d, w.scope.params.back().var))});
    }
    w.scope.params.insert(w.scope.params.end(), accs.begin(), accs.end());
    return w;
  }
  // A scan that scatters in its `post`: what is kept, the others of a partition, and the last rank.
  void one_kernel(Builder& out, const Found& f, Stm& scan, const Stm& scatter, const std::vector<Bind>& results) {
    Screma x = std::move(std::get<Screma>(scan.exp));
    const Dim n = x.width;
    const size_t arrays = f.values.size(), mapped = scan.pattern.size() - 1;
    Atom keep, rank;
    auto goes_on = [&](const Atom& inner, const std::string& hint) {
      x.post.params.push_back({p_.fresh(hint, p_.type(inner))});
      return Atom(x.post.params.back().var);
    };
    for (size_t k = 0; k <= mapped; k++) {
      Atom here = goes_on(x.pre.body.result[k], p_.hint(scan.pattern[k].var));
      if (k == 0) rank = here;
      else x.post.body.result.push_back(here);
      if (scan.pattern[k].var == f.keep) keep = here;
    }
    auto input = [&](Var v) {                       // its element, or the accumulator, in `post`
      auto known = std::ranges::find(x.inputs, v);
      size_t k = size_t(known - x.inputs.begin());
      if (known == x.inputs.end()) {
        x.inputs.push_back(v);
        x.pre.params.push_back({p_.fresh(p_.hint(v), is_acc(p_.type(v)) ? p_.type(v) : row_type(p_.type(v)))});
      }
      Var element = x.pre.params[k].var;
      x.pre.body.result.push_back(element);
      return goes_on(element, p_.hint(v));
    };
    const Atom i = input(out.iota(n));
    std::vector<Atom> values;
    for (const Atom& a : f.values) {
      auto array = input_of(*f.map, a);
      if (!array) values.push_back(a);
      else if (is_counter(*array)) values.push_back(i);
      else if (binds(scan, *array)) values.push_back(x.post.params[number_of(scan, *array)].var);
      else values.push_back(input(*array));
    }

    WithAcc w = room_for_all(out, f, n, results);
    std::vector<Atom> accs;
    for (size_t k = 0; k < w.dests.size(); k++) accs.push_back(input(w.scope.params[w.dests.size() + k].var));
    Builder post(p_, x.post.body.stms);
    post.source = out.source;
    const Term none = post.number(Scalar::I64, -1), ranked = post.term(rank), at = post.term(i), kept = post.term(keep);
    const Term place = select({kept, ranked - 1, none});
    x.post.body.result.push_back(post.bind1("acc", AccUpdate{*var_of(accs[0]), {place.atom}, values}));
    if (f.rest) {
      const Term other = select({kept, none, at - ranked});
      x.post.body.result.push_back(post.bind1("acc", AccUpdate{*var_of(accs[1]), {other.atom}, values}));
    }
    const Term last = eq(at, post.term(n) - 1), cell = select({last, post.number(Scalar::I64, 0), none});
    x.post.body.result.push_back(post.bind1("acc", AccUpdate{*var_of(accs.back()), {cell.atom}, {rank}}));

    // The scan gives what it mapped and the accumulators; the scope these first.
    Stm inside{{}, {}, {}, out.source, scan.attrs};
    std::vector<Bind> made;                                   // of the with_acc
    for (const Dest& d : w.dests) for (Var v : d.arrays) made.push_back({p_.fresh(p_.hint(v), p_.type(v))});
    for (const Atom& a : x.post.body.result) {
      Type t = is_acc(p_.type(a)) ? p_.type(a) : lifted(n, p_.type(a));
      inside.pattern.push_back({p_.fresh("made", std::move(t))});
    }
    for (size_t k = 0; k < accs.size(); k++) w.scope.body.result.push_back(inside.pattern[mapped + k].var);
    for (size_t k = 0; k < mapped; k++) {
      w.scope.body.result.push_back(inside.pattern[k].var);
      made.push_back(results[1 + arrays + k]);
    }
    inside.checks = scan.checks;
    inside.exp = std::move(x);
    w.scope.body.stms.push_back(std::move(inside));
    std::vector<Var> checks = scan.checks;
    checks.insert(checks.end(), scatter.checks.begin(), scatter.checks.end());
    out.emit({made, std::move(w), checks, out.source, {}});
    size_and_front(out, f, n, made, results);
  }
  // From the arrays of one_kernel with room for all: the size, which is the last rank, and what is in front of each.
  void size_and_front(Builder& out, const Found& f, const Dim& n, const std::vector<Bind>& made, const std::vector<Bind>& results) {
    const size_t arrays = f.values.size();
    const Term count = out.term(n), empty = eq(count, out.number(Scalar::I64, 0));
    Body nothing, some = out.body([&] {
      Atom all = out.index("total", made[arrays * (f.rest ? 2 : 1)].var, {i64_const(0)});
      return std::vector<Atom>{out.bind1("kept", Apply{ScalarOp::min, {n, all}})};
    });
    nothing.result = {i64_const(0)};
    out.emit({{results[0]}, If{empty.atom, std::move(nothing), std::move(some)}, {}, out.source, {}});
    const Atom size = results[0].var;
    for (size_t k = 0; k < arrays; k++) {
      Var front = made[k].var;
      if (!f.rest) {
        out.emit({{results[1 + k]}, Index{front, {Slice{i64_const(0), size, i64_const(1)}}}, {}, out.source, {}});
        continue;
      }
      const Atom others = (out.term(n) - out.term(size)).atom;
      separate_.push_back({results[1 + k].var, size, front, made[arrays + k].var});
      Var end = out.slice(p_.hint(front), made[arrays + k].var, {i64_const(0), others, i64_const(1)});
      out.emit({{results[1 + k]}, Update{front, {Slice{size, others, i64_const(1)}}, end}, {}, out.source, {}});
    }
  }

  // A loop that binds `results`. Its state: how many elements are kept; the arrays of these; those of the others; what the scan mapped.
  void one_pass(Builder& out, const Found& f, Stm& scan, const Stm& scatter, const std::vector<Bind>& results) {
    auto& x = std::get<Screma>(scan.exp);
    const Dim n = x.width;
    out.checks = scan.checks;
    out.checks.insert(out.checks.end(), scatter.checks.begin(), scatter.checks.end());
    size_t arrays = f.values.size(), mapped = results.size() - 1 - arrays;
    For loop{{p_.fresh("i", scalar_type(Scalar::I64))}, n, {}, {}, {}};
    std::vector<Bind> pattern;
    auto add_state = [&](Bind result, Atom init) {
      loop.state.push_back({p_.fresh(p_.hint(result.var), p_.type(init))});
      loop.init.push_back(init);
      pattern.push_back(result);
    };
    auto scratch = [&](Var like) {
      std::vector<Dim> shape = shape_of(p_.type(like));
      shape[0] = n;
      return out.bind1(p_.hint(like), Scratch{elem_of(p_.type(like)), std::move(shape)});
    };
    add_state({p_.fresh("count", scalar_type(Scalar::I64))}, i64_const(0));
    for (size_t part = 0; part < (f.rest ? 2 : 1); part++)
      for (size_t k = 0; k < arrays; k++) {
        Var init = scratch(results[1 + k].var);
        add_state({p_.fresh(p_.hint(init), p_.type(init))}, init);
      }
    for (size_t k = 0; k < mapped; k++) add_state(results[1 + arrays + k], scratch(results[1 + arrays + k].var));
    auto state = [&](size_t k) { return loop.state[k].var; };
    const std::vector<Var> checks = std::exchange(out.checks, {});
    loop.body = out.body([&] {
      Atom i = loop.i.var;
      std::vector<Atom> elements, next;
      for (size_t k = 0; k < x.inputs.size(); k++) elements.push_back(out.index(p_.hint(x.pre.params[k].var), x.inputs[k], {i}));
      std::vector<Atom> made = out.inline_once(std::move(x.pre), elements), values;
      for (const Atom& a : f.values) values.push_back(element(out, f, scan, x, a, i, elements, made));
      Atom keep = made[number_of(scan, f.keep)];
      Term count = out.term(state(0));
      next.push_back((count + out.term(made[0])).atom);
      Atom place[] = {count.atom, f.rest ? (out.term(i) - count).atom : i64_const(0)};
      for (size_t part = 0; part < (f.rest ? 2 : 1); part++)
        for (size_t k = 0; k < arrays; k++) next.push_back(stored(out, state(1 + part * arrays + k), place[part], values[k], keep, part == 0));
      for (size_t k = 0; k < mapped; k++) next.push_back(out.update(state(loop.state.size() - mapped + k), {i}, made[1 + k]));
      return next;
    });
    out.emit({pattern, std::move(loop), checks, out.source, scan.attrs});
    out.emit({{results[0]}, Apply{ScalarOp::min, {n, pattern[0].var}}, {}, out.source, {}});
    Atom size = results[0].var;
    for (size_t k = 0; k < arrays; k++) {
      Var kept = pattern[1 + k].var;
      Slice front{i64_const(0), size, i64_const(1)};
      if (!f.rest) {
        out.emit({{results[1 + k]}, Index{kept, {front}}, {}, out.source, {}});
      } else {
        Atom others = (out.term(n) - out.term(size)).atom;
        Var end = out.slice(p_.hint(kept), pattern[1 + arrays + k].var, {i64_const(0), others, i64_const(1)});
        out.emit({{results[1 + k]}, Update{kept, {Slice{size, others, i64_const(1)}}, end}, {}, out.source, {}});
      }
    }
  }
  // A number is written in any case: if it is not kept, the next one overwrites it, or it lies after the last.
  Atom stored(Builder& out, Var array, const Atom& place, const Atom& value, const Atom& keep, bool where_kept) {
    if (!is_array(p_.type(value))) return out.update(array, {place}, value);
    Body write = out.body([&] { return std::vector<Atom>{out.update(array, {place}, value)}; }), leave;
    leave.result = {array};
    return out.bind1(p_.hint(array), where_kept ? If{keep, std::move(write), std::move(leave)} : If{keep, std::move(leave), std::move(write)});
  }
  // Of the value that the scatter writes: the element that the loop has, or reads.
  Atom element(Builder& out, const Found& f, const Stm& scan, const Screma& x, const Atom& value, const Atom& i, const std::vector<Atom>& elements,
               const std::vector<Atom>& made) {
    auto input = input_of(*f.map, value);
    if (!input) return value;
    if (is_counter(*input)) return i;
    if (binds(scan, *input)) return made[number_of(scan, *input)];
    auto known = std::ranges::find(x.inputs, *input);
    if (known != x.inputs.end()) return elements[size_t(known - x.inputs.begin())];
    return out.index(p_.hint(*input), *input, {i});
  }
};

}  // namespace

void filter_sums(Program& program, PassContext& context) {
  Filters pass(program, context);
  program.each_body([&](Body& b) { pass.sums(b); });
}
void filters(Program& program, PassContext& context) {
  Filters pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
