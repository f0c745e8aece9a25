// unroll_loops.cc - see unroll_loops.h.
//
//   for i < 2 (xs: [3] = ys) {                         let a = index ys [0] .. let xs1 = update ys [1] c
//     let j = add [i, 1]                               let a' = index xs1 [1] .. let xs2 = update xs1 [2] c'
//     let a = index xs [i]              ==>
//     .. in update xs [j] c
//   }
//
// `numbers` then makes the array numbers, in registers. This is what sorting networks, small matrices, and steps of integrators are written
// as. First the iterations are counted with the constants that are known in each, since the iterations of a loop inside may depend on them.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/scalar_code.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/types.h"
#include "passes/locality/unroll_loops.h"

namespace raido {
using namespace ir;
namespace {

using Constants = std::unordered_map<Var, Const>;

std::optional<Const> value_of(const Constants& known, const Atom& a) {
  if (auto c = const_of(a)) return *c;
  auto found = known.find(*var_of(a));
  return found == known.end() ? std::nullopt : std::optional(found->second);
}
// The constant that the statement makes of constants; of an assertion, its condition. A value that waits for a proof is known after that.
std::optional<Const> result_of(const Program& p, const Constants& known, const Stm& s) {
  if (std::ranges::any_of(s.checks, [&](Var c) { return !known.contains(c); })) return {};
  return match(s.exp,
    [&](const Assert& x) -> std::optional<Const> {
      auto c = value_of(known, x.cond);
      return c && c->bits ? c : std::nullopt;
    },
    [&](const Apply& x) -> std::optional<Const> {
      std::vector<Const> args;
      for (const Atom& a : x.args) {
        auto c = value_of(known, a);
        if (!c) return {};
        args.push_back(*c);
      }
      if (never_evaluated(x.op, args)) return {};
      return fold(x.op, working_type(x.op, args[0].type, args.back().type), args);
    },
    [&](const Convert& x) -> std::optional<Const> {
      auto c = value_of(known, x.value);
      return c ? std::optional(convert(x.to, *c)) : std::nullopt;
    },
    [&](const Identity& x) { return is_scalar(p.type(x.value)) ? value_of(known, x.value) : std::nullopt; },
    [](const auto&) { return std::optional<Const>(); });
}

// Runs the loop without its numbers.
class Count {
 public:
  Count(const Program& p, const Stm& loop, const SmallArrays& arrays) : p_(p), inside_(bound_in(loop)), arrays_(arrays) { run(std::get<For>(loop.exp), {}); }
  // What is arithmetic alone is a vector of the map around, without a loop.
  bool pays(bool window) const {
    return possible_ && (pays_ || (!reads_ && work_ <= costs::unrolled_arithmetic) || (window && work_ <= costs::unrolled_statements));
  }

 private:
  const Program& p_;
  VarSet inside_;
  const SmallArrays& arrays_;
  size_t statements_ = 0, work_ = 0;           // work: without those that are constants
  bool possible_ = true, pays_ = false, reads_ = false;

  // Whether an iteration adds to its states and does nothing else with them.
  bool adds_only(const For& x) const {
    const Uses uses(p_, x.body);
    VarSet added;
    for (const Stm& s : x.body.stms) {
      auto sum = std::get_if<Apply>(&s.exp);
      if (!sum || sum->op != ScalarOp::add) continue;
      for (const Atom& a : sum->args) if (var_of(a) && uses.of(*var_of(a)) == 1) added.insert(*var_of(a));
    }
    return std::ranges::all_of(x.state, [&](Bind state) { return added.contains(state.var); });
  }
  // Returns what is known of the last state.
  std::vector<std::optional<Const>> run(const For& x, const Constants& known) {
    auto n = value_of(known, x.n);
    possible_ = possible_ && n;
    const bool sums = adds_only(x);
    std::vector<std::optional<Const>> state;
    for (const Atom& a : x.init) state.push_back(value_of(known, a));
    for (i64 i = 0; possible_ && i < n->as_i64(); i++) {
      possible_ = ++statements_ <= costs::unrolled_loop;
      Constants now = known;
      now.insert_or_assign(x.i.var, i64_const(i));
      for (size_t k = 0; k < state.size(); k++) if (state[k]) now.insert_or_assign(x.state[k].var, *state[k]);
      body(x.body, now, true, sums);
      for (size_t k = 0; k < state.size(); k++) state[k] = value_of(now, x.body.result[k]);
    }
    return state;
  }
  void body(const Body& b, Constants& known, bool loops, bool sums) {
    for (const Stm& s : b.stms) {
      possible_ = possible_ && ++statements_ <= costs::unrolled_loop;
      if (!possible_) return;
      if (auto c = result_of(p_, known, s)) known.insert_or_assign(s.pattern[0].var, *c);
      else work_++;
      match(s.exp,
        [&](const For& x) {
          possible_ = possible_ && loops;
          std::vector<std::optional<Const>> last = run(x, known);
          for (size_t k = 0; k < last.size(); k++) if (last[k]) known.insert_or_assign(s.pattern[k].var, *last[k]);
        },
        [&](const If& x) {
          body(x.then_, known, false, sums);
          body(x.else_, known, false, sums);
        },
        [&](const Index& x) { place(known, x.array, x.at, sums); },
        [&](const Update& x) { place(known, x.array, x.at, sums); },
        [](const auto&) {});
      possible_ = possible_ && (std::holds_alternative<For>(s.exp) || is_scalar_code(p_, s));
    }
  }
  void place(const Constants& known, Var array, const std::vector<Selector>& at, bool sums) {
    reads_ = true;
    if (!is_small_array(p_, array)) return;
    bool constant = true, found = true;
    walk(at, [&](const Atom& a) {
      constant = constant && const_of(a);
      found = found && value_of(known, a);
    });
    const bool inside = inside_.contains(array);
    const bool numbers = inside || arrays_.local.contains(array) || (!sums && arrays_.tables.contains(array));
    pays_ = pays_ || (found && !constant && numbers);
    possible_ = possible_ && (found || !inside);
  }
};

// `value` under the name of the result `y`, whose sizes may be results, too.
void name_result(Program& p, Builder& b, Bind y, const Atom& value, const Stm& loop) {
  const Type& t = p.type(y.var);
  if (is_array(t) && shape_of(t) != shape_of(p.type(value))) b.emit({{y}, Reshape{*var_of(value), shape_of(t)}, {}, loop.source, {}});
  else b.emit({{y}, Identity{value}, {}, loop.source, {}});
}

class WriteOut {
 public:
  WriteOut(Program& p, Builder& b) : p_(p), b_(b) {}

  // Emits the iterations. Returns the last state.
  std::vector<Atom> run(const For& x, Constants& known, const std::vector<Var>& checks) {
    std::vector<Atom> state = x.init;
    for (i64 i = 0; i < value_of(known, x.n)->as_i64(); i++) {
      For copy = clone(p_, x);
      Subst values;
      values.emplace(copy.i.var, i64_atom(i));
      for (size_t k = 0; k < state.size(); k++) values.emplace(copy.state[k].var, state[k]);
      substitute(p_, copy.body, values);
      for (auto& s : copy.body.stms.take()) {
        s->checks.insert(s->checks.end(), checks.begin(), checks.end());
        statement(std::move(s), known);
      }
      state = copy.body.result;
    }
    return state;
  }

 private:
  Program& p_;
  Builder& b_;

  void statement(std::unique_ptr<Stm> s, Constants& known) {
    auto x = std::get_if<For>(&s->exp);
    if (!x) {
      if (auto c = result_of(p_, known, *s)) known.emplace(s->pattern[0].var, *c);
      b_.emit(std::move(s));
      return;
    }
    std::vector<Atom> last = run(*x, known, s->checks);
    for (size_t k = 0; k < last.size(); k++) {
      if (auto c = value_of(known, last[k])) known.emplace(s->pattern[k].var, *c);
      name_result(p_, b_, s->pattern[k], last[k], *s);
    }
  }
};

}  // namespace

bool write_out_loop(Program& p, PassContext& context, Builder& b, Stm& s, const SmallArrays& arrays, bool window) {
  if (!std::holds_alternative<For>(s.exp) || !Count(p, s, arrays).pays(window) || !context.allow()) return false;
  context.stats.count("unroll.loop");
  Constants known;
  std::vector<Atom> last = WriteOut(p, b).run(std::get<For>(s.exp), known, s.checks);
  for (size_t k = 0; k < last.size(); k++) name_result(p, b, s.pattern[k], last[k], s);
  return true;
}

}  // namespace raido
