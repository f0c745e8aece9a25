// loop_maps.cc - a loop whose iterations each have a row of their own, of every array that is its state, is a map.
//
//   for k < n (xs = a) { let i = (n - 1) - k                   map \(i, x) { let k = (n - 1) - i
//     let x = index xs [i]                         L1            ..
//     .. in update xs [i] y }                      ==>           in y } [iota n, a]
//
//   for j < n (xs = a) {                                       let row = map .. [index a [i]]
//     .. in update xs [i, j] y }                   L2  ==>     in update a [i] row
//
// The way back through a loop is often one: what it adds to the adjoint of an array is at the place that the iteration read. Rows are those
// of the first dimension whose index changes; all n of them have to be there. Nothing else may go from one iteration to the next, but for
// accumulators on devices: there the updates of a loop are those of one thread. Arrays that an iteration makes have the size of a row: the
// iterations of a map may run at once, and then they are as large as what the loop updates.
//
// The first iteration that fails says so. A loop that goes backwards and may fail is a map in its own order, whose results are turned:
//
//   for k < n (xs = a) { let i = (n - 1) - k                   let ys = map \k { let i = (n - 1) - k  let x = index a [i]
//     let x = index xs [i] .. assert ..            L3  ==>       .. assert .. in y } [iota n]
//     .. in update xs [i] y }                                  map \i { in index ys [(n - 1) - i] } [iota n]
#include <algorithm>

#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/transform.h"
#include "compiler/ir/types.h"
#include "passes/pass.h"

namespace raido {
namespace {

using namespace ir;

class LoopMaps {
 public:
  LoopMaps(Program& p, PassContext& context) : p_(p), context_(context), forms_(p) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto loop = std::get_if<For>(&s.exp);
      return loop && convert(b, s, *loop, results);
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  const Forms forms_;

  // The row of an iteration that goes backwards.
  Affine from_last(const For& x) const { return forms_.of(x.n) - Affine(1) - Affine(x.i.var); }
  // Where an iteration has its rows: after indices that are the same in all iterations, forwards or backwards.
  struct Rows {
    std::vector<Atom> outer;
    bool back;
    std::vector<Var> checks;                                   // that those indices are inside: they stand before the loop
    bool is_at(const Rows& other) const { return outer == other.outer && back == other.back; }
  };
  std::optional<Rows> rows_of(const For& x, const VarSet& inside, const std::vector<Selector>& at) const {
    Rows rows;
    for (const Selector& selector : at) {
      auto a = std::get_if<Atom>(&selector);
      if (!a) return {};
      Affine form = forms_.of(*a);
      rows.back = form == from_last(x);
      if (rows.back || form == Affine(x.i.var)) return rows;
      if (auto v = var_of(*a); v && inside.contains(*v)) return {};
      rows.outer.push_back(*a);
    }
    return {};
  }
  // The array of an access, and its selectors.
  static std::pair<const Var*, const std::vector<Selector>*> access_of(const Exp& e) {
    if (auto x = std::get_if<Index>(&e)) return {&x->array, &x->at};
    if (auto x = std::get_if<Update>(&e)) return {&x->array, &x->at};
    return {};
  }

  bool is_acc(const For& x, size_t k) const { return ir::is_acc(p_.type(x.state[k].var)); }
  struct Plan {
    std::vector<Rows> rows;                                    // of each state, none of an accumulator
    bool back = false, turned = false;                         // turned: iterations are in the order of the loop, rows are not (L3)
  };
  // The rows of each state, if that is all that iterations have of it.
  std::optional<Plan> independent(const Stm& s, const For& x) const {
    if (x.state.empty() || !s.attrs.empty() || x.any_order) return {};
    VarSet inside = bound_in(s.exp), versions;
    std::vector<Var> made;                                     // arrays, and they are no rows so far
    std::vector<std::optional<Rows>> rows(x.state.size());
    VarMap<size_t> number;                                     // a version of a state -> the state + 1
    for (size_t k = 0; k < x.state.size(); k++) {
      if (is_acc(x, k) && context_.target == Target::Gpu) continue;
      if (!is_array(p_.type(x.state[k].var))) return {};
      number[x.state[k].var] = k + 1;
      versions.insert(x.state[k].var);
    }
    for (const Stm& inner : x.body.stms) {
      size_t used = 0;
      each_use(p_, inner, [&](Var v) { used += versions.contains(v); });
      if (used == 0) {
        const bool makes = !is_view(inner.exp) && !std::holds_alternative<Iota>(inner.exp) && std::ranges::any_of(inner.pattern, [&](Bind b) { return is_array(p_.type(b.var)); });
        if (makes && inner.pattern.size() > 1) return {};
        if (makes) made.push_back(inner.pattern[0].var);
        continue;
      }
      auto [array, at] = access_of(inner.exp);
      if (used != 1 || !array || !versions.contains(*array)) return {};
      const size_t k = number[*array];
      auto here = rows_of(x, inside, *at);
      if (!here || (rows[k - 1] && !rows[k - 1]->is_at(*here))) return {};
      if (!rows[k - 1]) rows[k - 1] = here;
      if (!here->outer.empty())
        for (Var v : inner.checks) {
          if (inside.contains(v)) return {};
          rows[k - 1]->checks.push_back(v);
        }
      if (auto update = std::get_if<Update>(&inner.exp)) {
        number[inner.pattern[0].var] = k;
        versions.insert(inner.pattern[0].var);
        if (auto v = var_of(update->value); v && at->size() == here->outer.size() + 1) std::erase(made, *v);
      }
    }
    for (Var v : made) {
      auto is_row = [&](size_t k) {
        std::vector<Dim> shape = shape_of(p_.type(x.state[k].var));
        shape.erase(shape.begin(), shape.begin() + (rows[k] ? i64(rows[k]->outer.size()) + 1 : isize(shape)));
        return shape_of(p_.type(v)) == shape;
      };
      bool fits = false;
      for (size_t k = 0; k < rows.size(); k++) fits = fits || is_row(k);
      if (!fits) return {};
    }
    auto first = std::ranges::find_if(rows, [](const auto& r) { return r.has_value(); });
    if (first == rows.end()) return {};
    Plan plan{{}, (*first)->back, false};
    each_stm(x.body, [&](const Stm& inner) { plan.turned = plan.turned || (plan.back && std::holds_alternative<Assert>(inner.exp)); });
    for (size_t k = 0; k < x.state.size(); k++) {
      if (is_acc(x, k)) { plan.rows.push_back({}); continue; }
      auto result = var_of(x.body.result[k]);
      if (!rows[k] || !result || number.at(*result) != k + 1 || rows[k]->back != plan.back) return {};
      const std::vector<Dim> shape = shape_of(p_.type(x.state[k].var));
      if (shape[rows[k]->outer.size()] != x.n || (plan.turned && shape.size() > rows[k]->outer.size() + 1)) return {};
      plan.rows.push_back(std::move(*rows[k]));
    }
    if (plan.turned && context_.target != Target::Gpu) return {};    // a processor runs the loop as fast as it is
    return plan;
  }

  static std::vector<Var> checks_of(const Stm& s, const Rows& rows) {
    std::vector<Var> checks = s.checks;
    for (Var v : rows.checks) if (std::ranges::find(checks, v) == checks.end()) checks.push_back(v);
    return checks;
  }
  bool convert(Builder& b, Stm& s, For& x, Subst& results) {
    auto plan = independent(s, x);
    if (!plan || !context_.allow()) return false;
    b.checks = s.checks;
    Builder::Params params{{p_.hint(x.i.var), scalar_type(Scalar::I64)}};
    std::vector<Var> inputs{b.iota(x.n)}, arrays;
    for (size_t k = 0; k < x.state.size(); k++) {
      Var array = *var_of(x.init[k]);
      b.checks = checks_of(s, plan->rows[k]);
      if (!plan->rows[k].outer.empty()) array = *var_of(b.index(p_.hint(array), array, plan->rows[k].outer));
      arrays.push_back(array);
      if (plan->turned && !is_acc(x, k)) continue;
      inputs.push_back(array);
      const Type& t = p_.type(array);
      params.push_back({p_.hint(x.state[k].var), is_acc(x, k) ? t : row_type(t)});
    }
    Atom last = plan->back ? Atom(b.bind1("last", Apply{ScalarOp::sub, {x.n, i64_const(1)}})) : Atom(i64_const(0));
    Lambda f = b.lambda(params, [&](const std::vector<Var>& row) { return iteration(b, x, *plan, last, arrays, row); });
    b.checks = s.checks;
    std::vector<Var> out = b.map("rows", x.n, std::move(f), inputs);
    for (size_t k = 0; k < x.state.size(); k++) {
      if (plan->turned && !is_acc(x, k)) out[k] = turned(b, x.n, last, out[k]);
      p_.vars[out[k].index].hint = p_.hint(s.pattern[k].var);
      b.checks = checks_of(s, plan->rows[k]);
      if (!plan->rows[k].outer.empty()) out[k] = b.update(*var_of(x.init[k]), plan->rows[k].outer, out[k]);
      results.emplace(s.pattern[k].var, out[k]);
    }
    const bool outermost = std::ranges::all_of(plan->rows, [](const Rows& r) { return r.outer.empty(); });
    context_.stats.count(plan->turned ? "loop_maps.L3" : outermost ? "loop_maps.L1" : "loop_maps.L2");
    return true;
  }
  Var turned(Builder& b, const Dim& n, const Atom& last, Var numbers) {
    Lambda f = b.lambda({{"i", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& i) {
      Var from = b.bind1("from", Apply{ScalarOp::sub, {last, i[0]}});
      return std::vector<Atom>{b.index(p_.hint(numbers), numbers, {from})};
    });
    return b.map("turned", n, std::move(f), {b.iota(n)})[0];
  }
  // The statements of an iteration on its rows; `row`: the number of the iteration, and what the map gives it of each state. Turned rows it
  // reads in `arrays`. Returns the rows as they are then.
  std::vector<Atom> iteration(Builder& b, For& x, const Plan& plan, const Atom& last, const std::vector<Var>& arrays, const std::vector<Var>& row) {
    b.checks.clear();
    const Var other = plan.back ? b.bind1("from_last", Apply{ScalarOp::sub, {last, row[0]}}) : row[0];
    const Var place = plan.turned ? other : row[0];            // of the rows
    b.emit({{x.i}, Identity{plan.turned ? row[0] : other}, {}, b.source, {}});
    VarMap<size_t> number;
    std::vector<Atom> now;
    Subst accs;
    for (size_t k = 0, given = 1; k < plan.rows.size(); k++) {
      if (is_acc(x, k)) {
        accs.emplace(x.state[k].var, row[given]);
        now.push_back(row[given++]);
        continue;
      }
      number[x.state[k].var] = k + 1;
      now.push_back(plan.turned ? b.index(p_.hint(x.state[k].var), arrays[k], {place}) : Atom(row[given++]));
    }
    substitute(p_, x.body, accs);
    const std::vector<Atom> before = now;
    for (auto& s : x.body.stms.take()) {
      auto [array, at] = access_of(s->exp);
      const size_t k = array ? number.at(*array) : 0;
      if (k == 0) {
        if (plan.back && is_step(s->exp) && forms_.of(s->pattern[0].var) == from_last(x)) s->exp = Identity{place};
        b.emit(std::move(s));
        continue;
      }
      const Rows& rows = plan.rows[k - 1];
      const std::vector<Selector> inner(at->begin() + i64(rows.outer.size()) + 1, at->end());
      b.checks = s->checks;
      if (auto update = std::get_if<Update>(&s->exp)) {
        number[s->pattern[0].var] = k;
        // The array has the old row as well, where it is not replaced.
        if (!inner.empty() && now[k - 1] == before[k - 1] && !rows.outer.empty()) now[k - 1] = b.copy(*var_of(before[k - 1]));
        now[k - 1] = inner.empty() ? update->value : Atom(b.bind1(p_.hint(*var_of(before[k - 1])), Update{*var_of(now[k - 1]), inner, update->value}));
      } else if (inner.empty()) {
        b.emit({s->pattern, Identity{now[k - 1]}, {}, s->source, {}});
      } else {
        b.emit({s->pattern, Index{*var_of(now[k - 1]), inner}, s->checks, s->source, {}});
      }
      b.checks.clear();
    }
    for (size_t k = 0; k < now.size(); k++) if (is_acc(x, k)) now[k] = x.body.result[k];
    return now;
  }
};

}  // namespace

void loop_maps(ir::Program& program, PassContext& context) {
  LoopMaps maps(program, context);
  program.each_body([&](ir::Body& b) { maps.body(b); });
}

}  // namespace raido
