// interchange.cc - the order of a map and the reduction inside it, on processors.
//
//   map n (\column -> reduce m (+) 0 (map2 (*) x column)) (transpose a)
//   ==> reduce m (map2 (+)) (replicate n 0) (map2 (\x row -> map (x *) row) x a)
//
// The elements of one reduction may lie a row apart, but those of neighbouring reductions side by side. There the iterations
// of the map become the inner ones: memory is read in order, and by the vector. Every sum is still taken from its first to
// its last element. A row of partial results takes the place of one; of a wide map, strips are done one after the other, so
// that it stays in the cache. What stands before the reduction (views, arithmetic) is done again for each of its elements,
// but for numbers, which are kept; what stands after it becomes a map of its own. A row that is made beside the sum, one element for each of
// its elements, becomes a column of what the outer operation makes. So the adjoint of a column that was normalised lies as its matrix does.
//
// Rows of a few elements are not worth a loop. Where the program shows only at run time how many there are, both orders are there; on several threads, and
// inside of other operations, there is only the new one.
//
// Accumulators pass through: their updates may come in any order.
//
// Threads share an outermost map by its strips, whose width depends on their number. Of a map that is not wider than one strip they share
// the rows instead: it becomes one reduction of rows, whose partial results are rows. They also share the rows if all that a map does is
// updates whose places do not depend on its index: each row has places of its own. Other updates, and rows beside sums, stay inside the
// outermost map where there are several threads.
//
//   map n f   ==>   with_acc (map strips \s -> f exchanged over n' iterations from s * n', each stored in its place)
#include <algorithm>
#include <deque>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "passes/parallel/column_scans.h"
#include "passes/parallel/one_thread.h"
#include "passes/parallel/reads.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Interchange {
 public:
  Interchange(Program& p, PassContext& context) : p_(p), context_(context) {}

  // `inside`: of a parallel operation.
  // `many`: there is more than one thread.
  void body(Body& whole, bool inside, bool many = false) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto map = std::get_if<Screma>(&s.exp);
      if (map && !(many && !inside) && is_scan_of_columns(p_, *map, views_) && context_.allow()) return by_rows(b, s, results, inside), true;
      if (Screma* reduce = map && (inside || context_.target == Target::Sequential) ? gainful(*map, Rows::Beside) : nullptr) {
        std::vector<Var> made = !inside && may_be_narrow(s) ? unless_narrow(b, s, *map, *reduce) : one_after_the_other(b, s, std::move(*map), *reduce);
        for (size_t k = 0; k < made.size(); k++) results.emplace(s.pattern[k].var, made[k]);
        return true;
      }
      if (map && !inside && context_.target == Target::Multicore && shared(b, s, results, many)) return true;
      one_thread_.note(s);
      if (std::holds_alternative<Permute>(s.exp) || std::holds_alternative<Index>(s.exp) || std::holds_alternative<Iota>(s.exp))
        kept_.push_back(s.exp), views_[s.pattern[0].var] = &kept_.back();
      inner(s, inside, many);
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  std::deque<Exp> kept_;
  VarMap<const Exp*> views_;                             // what makes an array, if that is a view or an iota
  VarSet narrow_;                                        // sizes that are at most a strip

  OneThread one_thread_;

  // Whether the inner operation may make a row of each column: not at all, beside a reduction, or alone.
  enum class Rows : uint8_t { None, Beside, Alone };

  void inner(Stm& s, bool inside, bool many) {
    if (auto choice = std::get_if<If>(&s.exp); choice && one_thread_.chooses(*choice)) {
      body(choice->then_, true);                         // one thread has no outermost map to keep
      body(choice->else_, inside, true);
      return;
    }
    bool parallel = std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp);
    walk_parts(s, [&](Body& part) { body(part, inside || parallel, many); });
  }
  // A few columns stay as they are, and so do the outermost columns of several threads.
  void by_rows(Builder& b, Stm& s, Subst& results, bool inside) {
    Screma& map = std::get<Screma>(s.exp);
    context_.stats.count("interchange.scan");
    Term wide = lt(b.term(i64_const(costs::cpu::unrolled)), b.term(map.width));
    if (!inside && context_.target == Target::Multicore) wide = and_(wide, b.term(one_thread(b)));
    auto rows = [&] { return scan_of_rows(b, map); };
    auto columns = [&] {
      std::vector<Var> turned;
      for (Var v : kept(b, s)) turned.push_back(b.copy(b.permute(v, {1, 0})));     // both sides lie in rows
      return turned;
    };
    std::vector<Var> made = const_of(wide.atom) ? rows() : choice(b, wide.atom, rows, columns);
    for (size_t k = 0; k < made.size(); k++) results.emplace(s.pattern[k].var, b.permute(made[k], {1, 0}));
  }
  std::vector<Var> one_after_the_other(Builder& b, const Stm& s, Screma map, Screma& reduce) {
    return is_narrow(map.width) ? exchanged(b, std::move(map), reduce) : in_strips(b, s, std::move(map), reduce);
  }

  // ---- an outermost map, which threads share ----

  bool shared(Builder& b, Stm& s, Subst& results, bool many) {
    Stm copy = s;
    copy.exp = clone(p_, s.exp);
    Screma& map = std::get<Screma>(copy.exp);
    Screma* reduce = gainful(map, Rows::None);
    const bool beside = !reduce;
    if (beside) reduce = many ? nullptr : gainful(map, Rows::Beside);
    if (!reduce) return false;
    std::vector<Var> now;
    if (!beside && std::ranges::none_of(s.pattern, [&](Bind v) { return is_acc(v.var); })) now = strips_or_rows(b, s, copy, *reduce, many);
    else if (!beside && updates_rows(map, *reduce)) now = exchanged(b, std::move(map), *reduce);
    else if (many) return false;
    else now = choice(b, one_thread(b), [&] { return one_after_the_other(b, copy, std::move(map), *reduce); }, [&] { return kept(b, s); });
    for (size_t k = 0; k < now.size(); k++) {
      p_.vars[now[k].index].hint = p_.hint(s.pattern[k].var);
      results.emplace(s.pattern[k].var, now[k]);
    }
    return true;
  }
  bool updates_rows(const Screma& map, const Screma& reduce) {
    Reads reads(p_, views_);
    return is_map(reduce) && reads.gain(map, reduce, reduce) && reads.updates_rows();
  }
  template <class Then, class Else> std::vector<Var> choice(Builder& b, const Atom& cond, Then then_, Else else_) {
    auto body = [&](auto& fill) {
      return b.body([&] {
        std::vector<Var> made = fill();
        return std::vector<Atom>(made.begin(), made.end());
      });
    };
    Body one = body(then_), other = body(else_);
    return b.bind("y", If{cond, std::move(one), std::move(other)});
  }
  std::vector<Var> kept(Builder& b, Stm& s) {
    inner(s, false, true);
    return b.bind("y", std::move(s.exp));
  }
  // `copy`: of s, with the reduction.
  std::vector<Var> strips_or_rows(Builder& b, Stm& s, Stm& copy, Screma& reduce, bool many) {
    Screma& map = std::get<Screma>(copy.exp);
    auto number = [&](int64_t n) { return b.term(i64_const(n)); };
    Term n = b.term(map.width), rows = b.term(reduce.width), size = number(costs::cpu::thread_strip);
    Term several = lt(number(costs::cpu::strip), n), few = lt(rows, number(costs::cpu::grouped_points)), wide = or_(several, few);
    Term parts = threads(b) * number(costs::cpu::thread_strips), part = (n + parts - 1) / parts;
    Term width = apply(ScalarOp::max, {size, apply(ScalarOp::min, {number(costs::cpu::strip), (part + (costs::cpu::thread_strip - 1)) / size * size})});
    if (!many) {
      Term alone = b.term(one_thread(b));
      wide = or_(alone, wide);
      width = select({alone, number(costs::cpu::strip), width});
    }
    auto in_strips = [&](Stm& from, Screma& inner) { return shared_strips(b, from, std::move(std::get<Screma>(from.exp)), inner, width); };
    auto in_rows = [&](Stm& from, Screma& inner) { return exchanged(b, std::move(std::get<Screma>(from.exp)), inner); };
    if (auto known = const_of(wide.atom)) return known->as_i64() != 0 ? in_strips(copy, reduce) : in_rows(copy, reduce);
    Screma& other = std::get<Screma>(s.exp);
    return choice(b, wide.atom, [&] { return in_strips(copy, reduce); }, [&] { return in_rows(s, *reduction_in(other, Rows::None)); });
  }
  std::vector<Var> shared_strips(Builder& b, const Stm& s, Screma map, Screma& reduce, const Term& size) {
    Term n = b.term(map.width);
    WithAcc w;
    Builder::Params accs;
    for (Bind v : s.pattern) {
      w.dests.push_back({{b.bind1("d", Scratch{elem_of(p_, v.var), shape_of(p_.type(v.var))})}, 1, {}, Conflict::None});
      w.scope.params.push_back({p_.fresh("token", CheckType{})});
      accs.push_back({p_.hint(v.var), dest_type(p_, w.dests.back(), w.scope.params.back().var)});
    }
    std::vector<Var> outer, strips = {b.iota(((n + size - 1) / size).atom)};
    for (auto& [hint, type] : accs) outer.push_back(p_.fresh(hint, type));
    for (Var v : outer) w.scope.params.push_back({v});
    strips.insert(strips.end(), outer.begin(), outer.end());
    w.scope.body = b.body([&] {
      Builder::Params params = accs;
      params.insert(params.begin(), {"s", scalar_type(Scalar::I64)});
      Lambda strip = b.lambda(params, [&](const std::vector<Var>& at) {
        Term start = b.term(at[0]) * size;
        narrow_part(b, map, start, apply(ScalarOp::min, {size, n - start}));
        const Dim count = map.width;
        std::vector<Var> inputs = exchanged(b, std::move(map), reduce);
        inputs.insert(inputs.begin(), b.iota(count));
        inputs.insert(inputs.end(), at.begin() + 1, at.end());
        Builder::Params elements = {{"i", scalar_type(Scalar::I64)}};
        for (size_t k = 1; k < inputs.size(); k++) elements.push_back({"x", k <= accs.size() ? row_type(p_.type(inputs[k])) : p_.type(inputs[k])});
        Lambda store = b.lambda(elements, [&](const std::vector<Var>& x) {
          std::vector<Atom> out;
          for (size_t k = 1; k <= accs.size(); k++) out.push_back(b.bind1("acc", AccUpdate{x[accs.size() + k], {(start + b.term(x[0])).atom}, {x[k]}, true}));
          return out;
        });
        std::vector<Var> done = b.map("acc", count, std::move(store), inputs);
        return std::vector<Atom>(done.begin(), done.end());
      });
      Dim count = shape_of(p_.type(strips[0]))[0];
      std::vector<Var> done = b.map("acc", count, std::move(strip), strips);
      return std::vector<Atom>(done.begin(), done.end());
    });
    return b.bind("d", std::move(w));
  }
  bool is_narrow(const Dim& n) const {
    auto c = const_of(n);
    return c ? c->as_i64() <= costs::cpu::strip : narrow_.contains(*var_of(n));
  }
  bool is_acc(Var v) const { return ir::is_acc(p_.type(v)); }
  bool is_row(Var v) const { return is_array(p_.type(v)) && shape_of(p_.type(v)).size() == 1; }

  // A matrix would lie in another order in either version.
  bool may_be_narrow(const Stm& s) const {
    return var_of(std::get<Screma>(s.exp).width) && count_statements(s.exp) <= costs::cpu::narrow_statements &&
           std::ranges::all_of(s.pattern, [&](Bind y) { return is_row(y.var) || is_acc(y.var); });
  }
  // Rows of a few elements are dearer than the elements of each reduction one after the other, though these lie apart.
  std::vector<Var> unless_narrow(Builder& b, Stm& s, Screma& map, Screma& reduce) {
    Body as_it_is;
    as_it_is.stms.push_back(s);
    for (Bind y : s.pattern) as_it_is.result.push_back(y.var);
    as_it_is = clone(p_, as_it_is);
    const Term wide = le(b.number(Scalar::I64, double(costs::cpu::wide_rows)), b.term(map.width));
    std::vector<std::string> hints;
    for (Bind y : s.pattern) hints.push_back(p_.hint(y.var));
    Body rows = b.body([&] {
      const std::vector<Var> made = one_after_the_other(b, s, std::move(map), reduce);
      return std::vector<Atom>(made.begin(), made.end());
    });
    return b.bind(hints, If{wide.atom, std::move(rows), std::move(as_it_is)});
  }
  // The reduction in a map that had better be outside.
  Screma* gainful(Screma& map, Rows rows) {
    Screma* reduce = reduction_in(map, rows);
    if (!reduce) return nullptr;
    bool gain = Reads(p_, views_).gain(map, *reduce, *reduce);
    if (!gain) reduce = updates_apart(map, *reduce);
    if (!reduce || !context_.allow()) return nullptr;
    context_.stats.count(gain ? "interchange.map" : "interchange.updates");
    return reduce;
  }

  // let a', b' = map (\.. -> upd a .., upd b ..)   ==>   let a' = map (\.. -> upd a ..) ; let b' = map (\.. -> upd b ..)
  //
  // Where some of the updates inside the map around gain, and others do not. The first of the two, or nothing.
  Screma* updates_apart(Screma& map, const Screma& updates) {
    size_t n = updates.pre.body.result.size();
    bool fine = is_map(updates) && n >= 2;
    each_stm(updates.pre.body, [&](const Stm& s) {
      auto op = std::get_if<Apply>(&s.exp);
      fine = fine && !(op && is_call(op->op));
    });
    if (!fine) return nullptr;
    std::vector<bool> gains(n);
    for (size_t k = 0; k < n; k++) {
      std::vector<bool> one(n);
      one[k] = true;
      auto part = only(updates, one);
      if (!part) return nullptr;
      gains[k] = Reads(p_, views_).gain(map, updates, *part);
    }
    i64 gaining_ones = std::ranges::count(gains, true);
    if (gaining_ones == 0 || gaining_ones == i64(n)) return nullptr;
    Screma* first = nullptr;
    List<Stm> stms;
    for (auto& s : map.pre.body.stms.take()) {
      if (std::get_if<Screma>(&s->exp) != &updates) { stms.push_back(std::move(s)); continue; }
      for (bool gaining : {true, false}) {
        std::vector<bool> which;
        Stm part = *s;
        part.pattern.clear();
        for (size_t k = 0; k < n; k++) {
          which.push_back(gains[k] == gaining);
          if (which[k]) part.pattern.push_back(s->pattern[k]);
        }
        part.exp = *only(std::get<Screma>(s->exp), which);
        stms.push_back(std::move(part));
        if (gaining) first = &std::get<Screma>(stms.back().exp);
      }
    }
    map.pre.body.stms = std::move(stms);
    return first;
  }
  // The part of a map that makes these of its results, all of them accumulators; nothing if it is not a part of its own.
  std::optional<Screma> only(const Screma& x, const std::vector<bool>& which) {
    Screma part = x;
    auto keep = [](auto& items, const std::vector<bool>& what) {
      size_t k = 0;
      std::erase_if(items, [&](auto&) { return !what[k++]; });
    };
    keep(part.pre.body.result, which);
    keep_needed(p_, part.pre.body);
    const Uses live(p_, part.pre.body);
    std::vector<bool> needed;
    i64 accs = 0;
    for (Bind y : part.pre.params) {
      needed.push_back(live.of(y.var) > 0);
      accs += needed.back() && is_acc(y.var);
    }
    if (accs != isize(part.pre.body.result)) return {};
    keep(part.pre.params, needed);
    keep(part.inputs, needed);
    return clone(p_, part);
  }

  // The first operation in a map that is more than arithmetic, if it reduces to scalars or makes rows of them and could be outside.
  Screma* reduction_in(Screma& map, Rows rows) {
    if (!is_map(map) || (const_of(map.width) && const_of(map.width)->as_i64() < costs::cpu::inner_trips)) return nullptr;
    const VarSet own = bound_in(map.pre);
    auto outside = [&](const Atom& a) { auto v = var_of(a); return !v || !own.contains(*v); };
    VarSet given, elements;                              // parameters of the map: accumulators, others
    for (Bind x : map.pre.params) (is_acc(x.var) ? given : elements).insert(x.var);
    bool whole = true;                                   // nothing but arrays and accumulators is made, of rows that stay as they are
    for (const Atom& a : map.pre.body.result) whole = whole && !(var_of(a) && is_check(p_.type(*var_of(a))));
    each_stm(map.pre.body, [&](const Stm& s) { each_consumed(p_, s.exp, [&](Var v) { whole = whole && !elements.contains(v); }); });
    if (!whole) return nullptr;
    for (Stm& s : map.pre.body.stms) {
      if (!s.checks.empty()) return nullptr;             // after it may stand anything
      auto x = std::get_if<Screma>(&s.exp);
      if (!x) {
        if (!is_step(s.exp) && !is_view(s.exp)) return nullptr;
        continue;
      }
      bool fine = identity_post(*x) && x->scans.empty() && x->post_reduces.empty() && outside(x->width);
      bool number = rows == Rows::Alone;
      for (Bind y : s.pattern) number = number || is_scalar(p_.type(y.var));
      for (Bind y : s.pattern) fine = fine && (is_scalar(p_.type(y.var)) || is_acc(y.var) || (rows != Rows::None && number && is_row(y.var)));
      for (Var v : x->inputs) fine = fine && (!is_acc(v) || given.contains(v));
      for (const Combine& c : x->reduces) {
        fine = fine && c.shape.empty() && std::ranges::all_of(c.neutral, outside);
        for (Bind y : c.op.params) fine = fine && is_scalar(p_.type(y.var));
        for (const Stm& inner : c.op.body.stms) fine = fine && std::holds_alternative<Apply>(inner.exp);
        for (Var v : free_vars(p_, c.op)) fine = fine && outside(v);
      }
      for (Var v : free_vars(p_, x->pre)) fine = fine && !is_acc(v);
      each_stm(x->pre.body, [&](const Stm& inner) { fine = fine && inner.checks.empty() && !std::holds_alternative<Assert>(inner.exp); });
      if (!fine || s.pattern.empty()) return nullptr;
      return x;
    }
    return nullptr;
  }

  // A map taken apart at the reduction in it.
  struct Exchange {
    Builder& b;
    Screma map, reduce = {};
    std::vector<Bind> made = {};                         // what the reduction makes for one iteration of the map
    List<Stm> before = {}, after = {};
    VarSet own = {};                                     // parameters of the map, and what stands before the reduction
    VarMap<size_t> acc_of = {};                          // parameters of the map that are accumulators: place + 1
  };

  // The map with the reduction around it. Its results.
  std::vector<Var> exchanged(Builder& b, Screma map, Screma& reduce_in_map) {
    Exchange x{b, std::move(map)};
    take_apart(x, reduce_in_map);
    std::vector<Var> made = reduced(x);
    for (size_t k = 0; k < made.size(); k++) if (is_row(x.made[k].var)) made[k] = turned(b, made[k]);
    return with_results(x, made);
  }
  // Columns in the place of rows: where they lie does not change.
  Var turned(Builder& b, Var rows) {
    Permute columns{rows, {1, 0}};
    kept_.push_back(columns);
    Var v = b.bind1(p_.hint(rows), std::move(columns));
    views_[v] = &kept_.back();
    return v;
  }
  void take_apart(Exchange& x, const Screma& reduce_in_map) {
    for (auto& s : x.map.pre.body.stms.take()) {
      if (x.made.empty() && std::get_if<Screma>(&s->exp) == &reduce_in_map) {
        x.made = s->pattern;
        x.reduce = std::move(std::get<Screma>(s->exp));
      } else {
        (x.made.empty() ? x.before : x.after).push_back(std::move(s));
      }
    }
    computed_once(x.b, x.map, x.before, x.reduce);
    for (Bind y : x.map.pre.params) x.own.insert(y.var);
    for (const Stm& s : x.before) for (Bind y : s.pattern) x.own.insert(y.var);
    for (size_t k = 0; k < x.map.inputs.size(); k++) if (is_acc(x.map.pre.params[k].var)) x.acc_of[x.map.pre.params[k].var] = k + 1;
  }

  // The reduction of all rows side by side, with a map inside it.
  std::vector<Var> reduced(Exchange& x) {
    Builder& b = x.b;
    Lambda one;                                          // one element of each of the reductions side by side
    std::vector<Var> arrays, outer_accs;                 // inputs of the map inside; accumulators from outside
    for (size_t k = 0; k < x.map.inputs.size(); k++)
      if (!x.acc_of[x.map.pre.params[k].var]) {
        one.params.push_back(x.map.pre.params[k]);
        arrays.push_back(x.map.inputs[k]);
      }
    Builder::Params params;
    std::vector<Var> inputs;
    auto add = [&](Var like, Var input) {
      params.push_back({p_.hint(like), p_.type(like)});
      inputs.push_back(input);
    };
    params.push_back({"i", scalar_type(Scalar::I64)});
    inputs.push_back(b.iota(x.reduce.width));
    for (size_t k = 0; k < x.reduce.inputs.size(); k++) {
      Var v = x.reduce.inputs[k];
      if (size_t at = x.acc_of[v]) {
        one.params.push_back(x.reduce.pre.params[k]);
        outer_accs.push_back(x.map.inputs[at - 1]);
      } else if (!x.own.contains(v)) {
        add(x.reduce.pre.params[k].var, v);
      }
    }
    for (Var v : outer_accs) add(v, v);
    Screma around;
    around.width = x.reduce.width;
    around.pre = b.lambda(params, [&](const std::vector<Var>& outer) {
      size_t accs_from = fill_element(x, one, outer);
      std::vector<Var> from = arrays;
      from.insert(from.end(), outer.begin() + i64(accs_from), outer.end());
      std::vector<Var> rows = b.map("row", x.map.width, clone(p_, one), from);
      return std::vector<Atom>(rows.begin(), rows.end());
    });
    around.inputs = std::move(inputs);
    for (Combine& c : x.reduce.reduces) {
      c.shape = {x.map.width};
      around.reduces.push_back(std::move(c));
    }
    body(around.pre.body, true);
    return b.bind("t", std::move(around));
  }
  // The body for one element: what stood before the reduction, reads of the map's own rows, and the reduction's. `outer`: the index, the
  // elements of other rows, the accumulators, whose place is returned.
  size_t fill_element(Exchange& x, Lambda& one, const std::vector<Var>& outer) {
    size_t next = 1;
    Subst elements;
    one.body = x.b.body([&] {
      for (const Stm& s : x.before) x.b.emit(s);
      for (size_t k = 0; k < x.reduce.inputs.size(); k++) {
        Var v = x.reduce.inputs[k], element = x.reduce.pre.params[k].var;
        if (x.acc_of[v]) continue;
        if (!x.own.contains(v)) { elements.emplace(element, outer[next++]); continue; }
        Stm read;
        read.pattern = {{element}};
        read.exp = Index{v, {Selector(Atom(outer[0]))}};
        x.b.emit(std::move(read));
      }
      for (auto& s : x.reduce.pre.body.stms.take()) x.b.emit(std::move(s));
      return x.reduce.pre.body.result;
    });
    substitute(p_, one, elements);
    return next;
  }

  // What the map does with the results: a map of its own, in which more may be exchanged.
  std::vector<Var> with_results(Exchange& x, const std::vector<Var>& rows) {
    VarMap<Var> result;
    for (size_t k = 0; k < x.made.size(); k++) result[x.made[k].var] = rows[k];
    bool direct = x.after.empty();
    for (const Atom& a : x.map.pre.body.result) direct = direct && var_of(a) && (result[*var_of(a)].valid());
    if (direct) {
      std::vector<Var> out;
      for (const Atom& a : x.map.pre.body.result) out.push_back(result[*var_of(a)]);
      return out;
    }
    Lambda last;
    std::vector<Var> from;
    VarSet passed;
    for (Var v : x.reduce.inputs) if (x.acc_of[v]) passed.insert(v);
    for (size_t k = 0; k < x.map.inputs.size(); k++) {
      if (passed.contains(x.map.pre.params[k].var)) continue;
      last.params.push_back(x.map.pre.params[k]);
      from.push_back(x.map.inputs[k]);
    }
    for (size_t k = 0; k < x.made.size(); k++) {
      last.params.push_back(x.made[k]);
      from.push_back(rows[k]);
    }
    last.body.stms = std::move(x.before);
    for (auto& s : x.after.take()) last.body.stms.push_back(std::move(s));
    last.body.result = std::move(x.map.pre.body.result);
    Screma rest{x.map.width, std::move(from), std::move(last), {}, {}, {}, {}};
    if (Screma* next = gainful(rest, Rows::Alone)) return exchanged(x.b, std::move(rest), *next);
    body(rest.pre.body, true);
    return x.b.bind("d", std::move(rest));
  }

  // Numbers that stand before the reduction and that its elements need are kept, one for each iteration of the map, which gets them
  // as inputs.
  void computed_once(Builder& b, Screma& map, List<Stm>& before, const Screma& reduce) {
    VarSet used;
    std::vector<Var> numbers;
    for (Var v : free_vars(p_, reduce.pre)) used.insert(v);
    for (const Stm& s : before) {
      if (s.pattern.size() != 1) continue;
      Var v = s.pattern[0].var;
      if (used.contains(v) && is_scalar(p_.type(v)) && is_float(elem_of(p_, v))) numbers.push_back(v);
    }
    if (numbers.empty()) return;
    Lambda first;
    std::vector<Var> from;
    for (size_t k = 0; k < map.inputs.size(); k++) {
      if (is_acc(map.inputs[k])) continue;
      first.params.push_back(map.pre.params[k]);
      from.push_back(map.inputs[k]);
    }
    first.body.stms = before;
    first.body.result.assign(numbers.begin(), numbers.end());
    std::vector<Var> kept = b.map("d", map.width, clone(p_, first), from);
    before.filter_backwards([&](Stm& s) { return std::ranges::none_of(numbers, [&](Var v) { return binds(s, v); }); });
    for (size_t k = 0; k < numbers.size(); k++) {
      map.pre.params.push_back({numbers[k]});
      map.inputs.push_back(kept[k]);
    }
  }

  // The same for parts of at most costs::cpu::strip iterations.
  std::vector<Var> in_strips(Builder& b, const Stm& s, Screma map, Screma& reduce) {
    Term n = b.term(map.width), size = b.term(i64_const(costs::cpu::strip));
    const bool rows = makes_rows(map, reduce);             // then matrices are made by rows, too
    auto is_turned = [&](Var v) { return rows && is_array(p_.type(v)) && shape_of(p_.type(v)).size() == 2; };
    For loop;
    loop.i = {p_.fresh("s", scalar_type(Scalar::I64))};
    loop.n = ((n + (costs::cpu::strip - 1)) / size).atom;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      Var v = s.pattern[k].var;
      Atom init;
      if (is_acc(v)) {
        Var param = *var_of(map.pre.body.result[k]);     // some version of it
        init = outside(map, param);
      } else {
        std::vector<Dim> shape = shape_of(p_.type(v));
        if (is_turned(v)) std::swap(shape[0], shape[1]);
        init = b.bind1("d", Scratch{elem_of(p_, v), shape});
      }
      loop.init.push_back(init);
      loop.state.push_back({p_.fresh(p_.hint(v), p_.type(*var_of(init)))});
    }
    loop.body = b.body([&] {
      Term start = b.term(loop.i.var) * size;
      Slice part = narrow_part(b, map, start, apply(ScalarOp::min, {size, n - start}));
      for (Var& v : map.inputs)
        for (size_t j = 0; j < loop.init.size(); j++) if (loop.init[j] == Atom(v)) { v = loop.state[j].var; break; }
      std::vector<Var> made = exchanged(b, std::move(map), reduce);
      std::vector<Atom> out;
      for (size_t k = 0; k < made.size(); k++) {
        std::vector<Selector> at = {Selector(part)};
        if (is_turned(s.pattern[k].var)) {
          made[k] = turned(b, made[k]);
          at.insert(at.begin(), Selector(Slice{i64_const(0), shape_of(p_.type(made[k]))[0], i64_const(1)}));
        }
        out.push_back(is_acc(made[k]) ? Atom(made[k]) : Atom(b.bind1("d", Update{loop.state[k].var, at, made[k]})));
      }
      return out;
    });
    std::vector<Var> made = b.bind("d", std::move(loop));
    for (size_t k = 0; k < made.size(); k++) if (is_turned(s.pattern[k].var)) made[k] = turned(b, made[k]);
    return made;
  }
  bool makes_rows(const Screma& map, const Screma& reduce) const {
    for (const Stm& s : map.pre.body.stms)
      if (std::get_if<Screma>(&s.exp) == &reduce) return std::ranges::any_of(s.pattern, [&](Bind x) { return is_row(x.var); });
    return false;
  }
  // The part of the map that has `count` iterations, at most a strip, from start.
  Slice narrow_part(Builder& b, Screma& map, const Term& start, const Term& count) {
    if (auto v = var_of(count.atom)) narrow_.insert(*v);
    Slice part{start.atom, count.atom, i64_const(1)};
    for (Var& v : map.inputs) {
      if (!is_array(p_.type(v))) continue;
      Var whole = v;
      v = b.slice(p_.hint(v), v, part);
      note_part(v, whole, part);
    }
    map.width = count.atom;
    return part;
  }
  void note_part(Var v, Var whole, const Slice& part) {
    const Exp* made = views_[whole];
    auto iota = made ? std::get_if<Iota>(made) : nullptr;
    if (iota) kept_.push_back(Iota{part.count, iota->start, iota->step});
    else kept_.push_back(Index{whole, {Selector(part)}});
    views_[v] = &kept_.back();
  }
  // The accumulator that a map was given and of which `version` is one.
  Var outside(const Screma& map, Var version) const {
    const AccType& t = std::get<AccType>(p_.type(version));
    for (Var v : map.inputs)
      if (auto acc = std::get_if<AccType>(&p_.type(v)); acc && acc->token == t.token) return v;
    PANIC("no accumulator for `{}`", p_.hint(version));
  }
};

}  // namespace

void interchange(Program& program, PassContext& context) {
  Interchange pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
