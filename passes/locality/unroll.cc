// unroll.cc - maps and reductions over a few elements inside of others become straight code, and rows of a few elements numbers.
//
//   map n \i { let d = map 3 \a b { sub [a, b] } [p, q]            map n \i { let d0 = sub [p0, q0] .. d2
//              let s = reduce 3 (+) [0] d .. }              ==>               let d = array [d0, d1, d2]
//                                                                             let s = 0 + d0 + d1 + d2 .. }
//   reduce n (+) [0] of shape [3] \i { .. in row }          ==>     reduce n (+) [0] (+) [0] (+) [0] \i { .. in row [0], row [1], row [2] }
//
// The numbers stay in registers, and the map or loop around is straight code, which vectors or threads run. Simplification reads elements of
// the literal arrays, and arrays that nobody else wants are gone. Only work on numbers is written out, up to costs::unrolled_statements of it.
// Loops over elements of small arrays become straight code, too (unroll_loops.h). So do longer sums around the place of a map, as those of
// filters: the map is a vector then.
// Where such a map is not inside of another one, a device runs it as a kernel, and a C compiler makes vectors of it. It stays.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/scalar_code.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"
#include "passes/locality/unroll_loops.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Unroll {
 public:
  Unroll(Program& p, PassContext& context) : p_(p), context_(context), forms_(p) {
    p.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) {
        if (auto x = std::get_if<Iota>(&s.exp); x && const_of(x->start) && const_of(x->step)) counts_[s.pattern[0].var] = {*const_of(x->start), const_of(x->step)->as_i64()};
        auto table = std::get_if<ArrayLit>(&s.exp);
        auto known = [&](const Atom& a) { return const_of(a) || arrays_.tables.contains(*var_of(a)); };
        if (table && std::ranges::all_of(table->elements, known)) arrays_.tables.insert(s.pattern[0].var);
        auto part = std::get_if<Index>(&s.exp);
        auto range = part ? std::get_if<Slice>(&part->at.back()) : nullptr;
        if (range && range->stride == Atom(i64_const(1))) slices_[s.pattern[0].var] = {part->array, range->start};
        if (auto shape = std::get_if<Reshape>(&s.exp); shape && shape->shape.size() == 1)
          if (auto of = slices_.find(shape->array); of != slices_.end()) slices_[s.pattern[0].var] = of->second;
      });
    });
  }

  void body(Body& b, bool inside) {
    for (Stm& s : b.stms) {
      const bool parallel = std::holds_alternative<Screma>(s.exp) || std::holds_alternative<Hist>(s.exp);
      if (inside && is_local(s)) for (Bind x : s.pattern) arrays_.local.insert(x.var);
      if (auto loop = inside ? std::get_if<For>(&s.exp) : nullptr) for (Bind x : loop->state) arrays_.local.insert(x.var);
      if (auto loop = inside ? std::get_if<While>(&s.exp) : nullptr) for (Bind x : loop->state) arrays_.local.insert(x.var);
      auto around = around_;
      if (auto x = std::get_if<Screma>(&s.exp)) note_around(*x);
      walk_parts(s, [&](Body& inner) { body(inner, inside || parallel); });
      around_ = std::move(around);
    }
    Builder builder(p_, b.stms);
    builder.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        builder.source = s->source;
        builder.checks = s->checks;
        builder.attrs = {};
        if (inside && write_out_loop(p_, context_, builder, *s, arrays_, p_.level != Ad && is_window(*s))) continue;
        if (p_.level == Ad) { builder.emit(std::move(s)); continue; }
        auto x = std::get_if<Screma>(&s->exp);
        if (!x || !(inside ? write_out(builder, *s, *x) : false)) {
          if (x && (inside || context_.target != Target::Gpu)) rows(builder, *s, *x);
          else builder.emit(std::move(s));
        }
      }
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  struct Count { Const start; i64 step; };
  std::unordered_map<Var, Count> counts_;                  // numbers from a constant on, in constant steps
  Forms forms_;
  std::unordered_map<Var, std::pair<Var, Atom>> slices_;   // the array that it is a part of, and where it begins in the last dimension
  // The innermost map or reduction around, of those that are not short: its counters, and all that it binds. Counters of short ones inside.
  struct Around { VarSet counters, bound, short_counters; } around_;
  SmallArrays arrays_;

  bool is_local(const Stm& s) const {
    if (kind_of(s.exp) != Kind::View) return kind_of(s.exp) != Kind::Constant;
    bool local = false;
    each_use(p_, s.exp, [&](Var v) { local = local || (is_array(p_.type(v)) && arrays_.local.contains(v)); });
    return local;
  }

  // ---- few elements ----

  bool write_out(Builder& b, Stm& s, Screma& x) {
    auto width = const_of(x.width);
    if (!width || width->as_i64() < 1 || !x.scans.empty() || !identity_post(x) || !x.post_reduces.empty()) return false;
    const i64 most = is_window(x) ? costs::unrolled_window : chooses(x) ? costs::unrolled_choices : only_sums(x) ? costs::unrolled_sum : costs::unrolled_width;
    if (width->as_i64() > most) return false;
    auto statements = numbers_only(x.pre.body);
    bool plain = statements && !consumes(x.pre);
    for (const Combine& c : x.reduces) {
      auto more = scalar_statements(p_, c.op.body);
      plain = plain && more && c.shape.empty() && !consumes(c.op);
      if (plain) *statements += *more;
    }
    if (plain) *statements -= counted(x).second;
    if (!plain || (*statements + x.inputs.size()) * size_t(width->as_i64()) > costs::unrolled_statements || !context_.allow()) return false;
    context_.stats.count("unroll.elements");
    std::vector<std::vector<Atom>> sums;
    for (const Combine& c : x.reduces) sums.push_back(c.neutral);
    size_t operands = 0;
    for (const Combine& c : x.reduces) operands += c.neutral.size();
    std::vector<ArrayLit> mapped(x.pre.body.result.size() - operands);
    std::vector<Atom> inputs(x.inputs.begin(), x.inputs.end());        // accumulators: as the iteration before left them
    auto token = [&](const Atom& a) -> std::optional<Var> {
      auto acc = var_of(a) ? std::get_if<AccType>(&p_.type(*var_of(a))) : nullptr;
      return acc ? std::optional(acc->token) : std::nullopt;
    };
    auto handed_on = [&](const Atom& made) { return std::ranges::find_if(inputs, [&](const Atom& a) { return token(a) == token(made); }); };
    for (i64 k = 0; k < width->as_i64(); k++) {
      std::vector<Atom> elements;
      for (const Atom& a : inputs) elements.push_back(token(a) ? a : element(b, *var_of(a), k));
      std::vector<Atom> made = b.inline_call(x.pre, elements);
      auto next = made.begin();
      for (size_t r = 0; r < sums.size(); r++) {
        std::vector<Atom> args = std::move(sums[r]);
        const size_t n = args.size();
        args.insert(args.end(), next, next + i64(n));
        next += i64(n);
        sums[r] = b.inline_call(x.reduces[r].op, args);
      }
      for (ArrayLit& lit : mapped) {
        if (token(*next)) *handed_on(*next) = *next;
        else lit.elements.push_back(*next);
        next++;
      }
    }
    auto result = s.pattern.begin();
    auto give = [&](Exp e) { b.emit({{*result++}, std::move(e), {}, s.source, {}}); };
    for (const auto& sum : sums) for (const Atom& a : sum) give(Identity{a});
    for (ArrayLit& lit : mapped) {
      if (Var v = result->var; is_acc(p_.type(v))) give(Identity{*handed_on(v)});
      else give(std::move(lit));
    }
    return true;
  }
  Atom element(Builder& b, Var array, i64 k) const {
    auto count = counts_.find(array);
    if (count == counts_.end()) return b.index(p_.hint(array), array, {i64_const(k)});
    const auto& [start, step] = count->second;
    return integer_constant(start.type, start.as_i64() + k * step);
  }
  // Whether it gives numbers only.
  static bool only_sums(const Screma& x) {
    size_t operands = 0;
    for (const Combine& c : x.reduces) operands += c.neutral.size();
    return operands > 0 && operands == x.pre.body.result.size();
  }
  // How many statements it has, if they are work on numbers and updates of accumulators.
  std::optional<size_t> numbers_only(const Body& b) const {
    size_t statements = 0;
    bool plain = true;
    each_stm(b, [&](const Stm& s) {
      statements++;
      plain = plain && (is_scalar_code(p_, s) || std::holds_alternative<AccUpdate>(s.exp));
    });
    return plain ? std::optional(statements) : std::nullopt;
  }
  static bool is_short(const Screma& x) {
    auto n = const_of(x.width);
    return n && n->as_i64() <= costs::unrolled_window;
  }
  void note_around(const Screma& x) {
    if (!is_short(x)) around_ = {{}, bound_in(x.pre.body), {}};
    for (size_t k = 0; k < x.inputs.size(); k++) {
      const Var v = x.pre.params[k].var;
      if (!is_short(x)) around_.bound.insert(v);
      if (forms_.counts(x.inputs[k])) (is_short(x) ? around_.short_counters : around_.counters).insert(v);
    }
  }
  // Whether what it reads lies beside what it reads in the next iteration of the map around, or is the same there: written out, it is a
  // vector of that map. Its inputs are counters, tables, arrays that are there before that map, and slices of those.
  bool is_window(const Screma& x) {
    if (!is_short(x)) return false;
    Window w{bound_in(x.pre.body)};
    for (Bind b : x.pre.params) w.inner.insert(b.var);
    for (Var v : x.inputs) {
      if (counts_.contains(v) || arrays_.tables.contains(v) || !around_.bound.contains(v)) continue;
      auto of = slices_.find(v);
      if (of == slices_.end() || around_.bound.contains(of->second.first)) return false;
      const Affine start = forms_.of(of->second.second);
      read_at(w, start, !changes(w, start));
    }
    look(w, x.pre.body);
    return w.beside && w.all;
  }
  // The same of a loop whose states are numbers, with the loops in it.
  bool is_window(const Stm& s) {
    auto x = std::get_if<For>(&s.exp);
    if (!x || trips(*x) > costs::unrolled_window || std::ranges::any_of(x->state, [&](Bind b) { return !is_scalar(p_.type(b.var)); })) return false;
    Window w{bound_in(s)};
    look(w, x->body);
    return w.beside && w.all;
  }
  static i64 trips(const For& x) {
    auto n = const_of(x.n);
    if (!n || n->as_i64() > costs::unrolled_window) return costs::unrolled_window + 1;
    i64 inner = 1;
    each_stm(x.body, [&](const Stm& s) { if (auto loop = std::get_if<For>(&s.exp)) inner = std::max(inner, trips(*loop)); });
    return n->as_i64() * inner;
  }
  struct Window {
    VarSet inner;                                            // what it binds
    bool beside = false, all = true;                         // one read lies beside that of the next iteration around; all do, or lie at one place
  };
  bool changes(const Window& w, const Affine& l) const {
    return any_term(l, [&](Var v) { return around_.bound.contains(v) && !w.inner.contains(v) && !around_.short_counters.contains(v); });
  }
  bool moves_on(const Affine& place) const {
    return std::ranges::any_of(place.terms, [&](const Affine::Term& t) { return t.factor == 1 && around_.counters.contains(t.var); });
  }
  void read_at(Window& w, const Affine& place, bool same) const {
    w.beside = w.beside || moves_on(place);
    w.all = w.all && (same || moves_on(place));
  }
  void look(Window& w, const Body& b) {
    each_stm(b, [&](const Stm& s) {
      forms_.define(p_, s);                                // what has been written out is new
      auto edge = std::get_if<Apply>(&s.exp);             // few places are at one
      if (edge && (stops(*edge) || turns(*edge)) && elem_of(p_, edge->args[0]) == Scalar::I64)
        for (const Atom& a : edge->args) if (moves_on(forms_.of(a))) forms_.define(s.pattern[0].var, forms_.of(a));
      auto read = std::get_if<Index>(&s.exp);
      if (!read || w.inner.contains(read->array)) return;
      bool same = true;
      for (const Selector& at : read->at) same = same && std::get_if<Atom>(&at) && !changes(w, forms_.of(std::get<Atom>(at)));
      auto last = std::get_if<Atom>(&read->at.back());
      read_at(w, last ? forms_.of(*last) : Affine(), same);
    });
  }
  static bool stops(const Apply& x) { return x.op == ScalarOp::min || x.op == ScalarOp::max; }
  // Where an array ends, not every few places.
  static bool turns(const Apply& x) {
    auto n = x.args.size() == 2 ? const_of(x.args[1]) : nullptr;
    return (x.op == ScalarOp::mod || x.op == ScalarOp::rem) && (!n || n->as_i64() > 2 * costs::unrolled_window);
  }
  // Whether it has branches, and all of them depend on the number of the element only.
  bool chooses(const Screma& x) const {
    const VarSet known = counted(x).first;
    bool any = false, all = true;
    each_stm(x.pre.body, [&](const Stm& s) {
      auto branch = std::get_if<If>(&s.exp);
      any = any || branch;
      all = all && (!branch || (var_of(branch->cond) && known.contains(*var_of(branch->cond))));
    });
    return any && all;
  }
  // What depends on the number of the element only, so that it is constant in straight code, and how many statements make it.
  std::pair<VarSet, size_t> counted(const Screma& x) const {
    VarSet known;
    size_t statements = 0;
    for (size_t k = 0; k < x.inputs.size(); k++) if (counts_.contains(x.inputs[k])) known.insert(x.pre.params[k].var);
    each_stm(x.pre.body, [&](const Stm& s) {
      bool constant = kind_of(s.exp) == Kind::Step;
      each_use(p_, s.exp, [&](Var v) { constant = constant && known.contains(v); });
      if (!constant) return;
      statements++;
      for (Bind b : s.pattern) known.insert(b.var);
    });
    return {std::move(known), statements};
  }
  bool consumes(const Lambda& f) const {
    const VarSet bound = bound_in(f.body);
    bool found = false;
    each_stm(f.body, [&](const Stm& s) { each_consumed(p_, s.exp, [&](Var v) { found = found || (!bound.contains(v) && !is_acc(p_.type(v))); }); });
    return found;
  }

  // ---- rows of few elements ----

  static std::optional<i64> few(const Combine& c) {
    auto n = c.shape.size() == 1 && c.neutral.size() == 1 ? const_of(c.shape[0]) : nullptr;
    return n && n->as_i64() >= 1 && n->as_i64() <= costs::unrolled_width ? std::optional(n->as_i64()) : std::nullopt;
  }
  void rows(Builder& b, Stm& s, Screma& x) {
    bool any = std::ranges::any_of(x.reduces, [](const Combine& c) { return few(c).has_value(); });
    if (!any || !context_.allow()) { b.emit(std::move(s)); return; }
    context_.stats.count("unroll.rows");
    std::vector<Combine> reduces;
    std::vector<Bind> pattern;
    std::vector<Atom> old = std::move(x.pre.body.result), result;
    std::vector<std::pair<Var, ArrayLit>> rows;
    Builder inside(p_, x.pre.body.stms);
    inside.source = s.source;
    size_t at = 0;
    for (Combine& c : x.reduces) {
      auto n = few(c);
      if (!n) {
        for (size_t k = 0; k < c.neutral.size(); k++) { pattern.push_back(s.pattern[at]); result.push_back(old[at++]); }
        reduces.push_back(std::move(c));
        continue;
      }
      ArrayLit row;
      for (i64 k = 0; k < *n; k++) {
        reduces.push_back({clone(p_, c.op), c.neutral, {}, c.commutative});
        pattern.push_back({p_.fresh(p_.hint(s.pattern[at].var), scalar_type(elem_of(p_, s.pattern[at].var)))});
        row.elements.push_back(pattern.back().var);
        result.push_back(inside.index(p_.hint(*var_of(old[at])), *var_of(old[at]), {i64_const(k)}));
      }
      rows.emplace_back(s.pattern[at++].var, std::move(row));
    }
    pattern.insert(pattern.end(), s.pattern.begin() + i64(at), s.pattern.end());
    result.insert(result.end(), old.begin() + i64(at), old.end());
    x.reduces = std::move(reduces);
    x.pre.body.result = std::move(result);
    s.pattern = std::move(pattern);
    b.emit(std::move(s));
    b.checks = {};
    for (auto& [v, row] : rows) b.emit({{{v}}, std::move(row), {}, b.source, {}});
  }
};

}  // namespace

void unroll(Program& program, PassContext& context) {
  Unroll pass(program, context);
  program.each_body([&](Body& b) { pass.body(b, false); });
}

}  // namespace raido
