// carry.cc - an element that one iteration stores and the next one reads is a number of the loop's state.
//
//                                                a = if 0 < n { as[0] } else { 0 }
//   for i < n (s = as) {                         for i < n (s = as, x = a) {
//     x = s[i]; y = f x                  ==>       y = f x
//     s' = s with [i + 1] = y                      s' = s with [i + 1] = y
//     in s'                                        in s', y
//   }                                            }                                                                                          R1
//
// A branch may read the element as well. Then the first iteration need not read it. Before the loop there is such an element only where its index is
// one of the array.
// So recurrences, eliminations and sums that are stored as they go wait for a register, not for the memory where the number has just gone. C compilers
// do this in a loop alone. Several such loops that run interleaved (passes/memory/lane_loops.h) store in places that they cannot tell apart.
#include <algorithm>

#include "compiler/ir/analysis/affine_code.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// An element of an array of the state: its index in each dimension.
using Cell = std::vector<Affine>;

// What a loop does with one array of its state.
class Carried {
 public:
  Carried(const Program& p, const For& x, size_t state) : x_(x), inside_(bound_in(x.body)) {
    inside_.insert(x.i.var);
    for (Bind b : x.state) inside_.insert(b.var);
    Var version = x.state[state].var;
    for (const Stm& s : x.body.stms) {
      look_for_reads(p, s, version, false);
      auto update = std::get_if<Update>(&s.exp);
      if (!update || update->array != version || !is_scalar(p.type(update->value))) continue;
      auto cell = this->cell(update->at);
      if (!cell) return;                                   // it may be any element
      stores_.push_back({*cell, update->value});
      version = s.pattern[0].var;
    }
    known_ = x.body.result[state] == Atom(version);
  }

  struct Found { const Stm* read; Cell first; bool maybe; Atom next; };
  // A read of what the iteration before stored last at this place, where nothing else was stored since. `first`: the element that the first
  // iteration reads, or `maybe` does not read; `next`: what an iteration leaves for the next one.
  std::optional<Found> find() const {
    if (!known_) return {};
    for (const Read& r : reads_) {
      auto elsewhere = [&](const Cell& c) { return differ(c, r.cell); };
      if (!std::all_of(stores_.begin(), stores_.begin() + ptrdiff_t(r.stores), [&](const Stored& s) { return elsewhere(s.cell); })) continue;
      for (size_t k = stores_.size(); k-- > 0;) {
        const Cell before = in_iteration_before(stores_[k].cell);
        if (before == r.cell) return Found{r.stm, in_first(r.cell), r.in_branch, stores_[k].value};
        if (!elsewhere(before)) break;
      }
    }
    return {};
  }

 private:
  struct Stored { Cell cell; Atom value; };
  struct Read { const Stm* stm; Cell cell; size_t stores; bool in_branch; };   // stores: of the same iteration, before it
  const For& x_;
  VarSet inside_;                                          // what iterations bind
  Forms forms_;
  std::vector<Stored> stores_;
  std::vector<Read> reads_;
  bool known_ = false;                                     // nothing else changes the array

  void look_for_reads(const Program& p, const Stm& s, Var array, bool in_branch) {
    forms_.define(p, s);
    if (auto branch = std::get_if<If>(&s.exp))
      for (const Body* b : {&branch->then_, &branch->else_})
        for (const Stm& inner : b->stms) look_for_reads(p, inner, array, true);
    auto read = std::get_if<Index>(&s.exp);
    if (!read || read->array != array || !s.checks.empty() || !is_scalar(p.type(s.pattern[0].var))) return;
    if (auto cell = this->cell(read->at)) reads_.push_back({&s, *cell, stores_.size(), in_branch});
  }
  // None: what it depends on changes in another way than by the counter, or it is no single element.
  std::optional<Cell> cell(const std::vector<Selector>& at) const {
    Cell cell;
    for (const Selector& s : at) {
      auto index = std::get_if<Atom>(&s);
      if (!index) return {};
      cell.push_back(forms_.of(*index));
      if (any_term(cell.back(), [&](Var v) { return v != x_.i.var && inside_.contains(v); })) return {};
    }
    return cell;
  }
  Cell in_iteration_before(Cell c) const {
    for (Affine& a : c) a.add(Affine(a.factor(x_.i.var)), -1);
    return c;
  }
  Cell in_first(Cell c) const {
    for (Affine& a : c) a = a.without(x_.i.var);
    return c;
  }
  static bool differ(const Cell& a, const Cell& b) {
    for (size_t d = 0; d < a.size(); d++)
      if (Affine difference = a[d] - b[d]; difference.is_constant() && difference.constant != 0) return true;
    return false;
  }
};

class Carry {
 public:
  Carry(Program& p, PassContext& c) : p_(p), c_(c) {}
  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      if (auto x = std::get_if<For>(&s.exp); x && !x->any_order && !x->budget && !x->slots) while (carry(b, s, *x)) {}
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& c_;

  static void leave_out(Body& from, const Stm* s) {
    from.stms.filter_backwards([&](Stm& inner) {
      if (auto branch = std::get_if<If>(&inner.exp)) leave_out(branch->then_, s), leave_out(branch->else_, s);
      return &inner != s;
    });
  }
  bool carry(Builder& b, Stm& s, For& x) {
    for (size_t k = 0; k < x.state.size(); k++) {
      if (!is_array(p_.type(x.state[k].var))) continue;
      auto found = Carried(p_, x, k).find();
      if (!found || !c_.allow()) continue;
      const Var read = found->read->pattern[0].var;
      const Type number = p_.type(read);
      b.checks = s.checks;
      std::vector<Atom> at;
      for (const Affine& a : found->first) at.push_back(code_of(b, a).atom);
      const Term zero = b.number(Scalar::I64, 0);
      Term reads = lt(zero, b.term(x.n));
      for (size_t d = 0; d < at.size() && found->maybe; d++)
        for (const Term& within : {le(zero, b.term(at[d])), lt(b.term(at[d]), b.term(shape_of(p_.type(*var_of(x.init[k])))[d]))})
          reads = apply(ScalarOp::and_, {reads, within});
      Body runs = b.body([&] { return std::vector<Atom>{b.index(p_.hint(read), *var_of(x.init[k]), at)}; });
      Body none;
      none.result = {b.zero(number)};
      const Var first = b.bind1(p_.hint(read), If{reads.atom, std::move(runs), std::move(none)});
      const Var state = p_.fresh(p_.hint(read), number);
      x.state.push_back({state});
      x.init.push_back(first);
      x.body.result.push_back(found->next);
      s.pattern.push_back({p_.fresh(p_.hint(read), number)});
      leave_out(x.body, found->read);
      Subst same;
      same.emplace(read, state);
      substitute(p_, x.body, same);
      c_.stats.count("carry.R1");
      return true;
    }
    return false;
  }
};

}  // namespace

void carry(Program& program, PassContext& context) {
  program.each_body([&](Body& b) { Carry(program, context).body(b); });
}

}  // namespace raido
