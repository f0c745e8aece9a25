// loops.cc - see loops.h.
#include "passes/parallel/loops.h"

#include <algorithm>

#include "compiler/base/flat_map.h"
#include "compiler/ir/analysis/affine.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"

namespace raido {
using namespace ir;
namespace {

std::vector<Atom> pointwise(Builder& out, const Combine& c, const std::vector<Atom>& arrays, std::vector<Atom> at,
                            const std::vector<Atom>& values, std::vector<Atom> row, size_t depth) {
  if (depth == c.shape.size()) {
    std::vector<Atom> args, results;
    for (const Atom& a : arrays) args.push_back(out.index("old", *var_of(a), at));
    for (const Atom& v : values) args.push_back(row.empty() ? v : out.index("x", *var_of(v), row));
    std::vector<Atom> now = out.inline_call(c.op, args);
    for (size_t k = 0; k < arrays.size(); k++) results.push_back(out.update(*var_of(arrays[k]), at, now[k]));
    return results;
  }
  For loop{{out.program.fresh("j", scalar_type(Scalar::I64))}, c.shape[depth], {}, arrays, {}};
  std::vector<Atom> state;
  for (const Atom& a : arrays) {
    loop.state.push_back({out.program.fresh(out.program.hint(*var_of(a)), out.program.type(a))});
    state.push_back(loop.state.back().var);
  }
  at.push_back(loop.i.var);
  row.push_back(loop.i.var);
  loop.body = out.body([&] { return pointwise(out, c, state, at, values, row, depth + 1); });
  std::vector<Atom> results;
  for (Var v : out.bind("row", std::move(loop))) results.push_back(v);
  return results;
}

class Loops {
 public:
  Loops(Program& p, const VarSet& counting) : p_(p), counting_(counting) {}

  Stm loop(Builder& out, const Stm& s, LoopParts x) { return looped(out, s, std::move(x), {}); }

 private:
  Program& p_;
  const VarSet& counting_;

  // The one version of the accumulator of `token` that is used from outside.
  Var free_acc(const LoopParts& x, Var token) const {
    auto is_it = [&](Var v) { auto acc = std::get_if<AccType>(&p_.type(v)); return acc && acc->token == token; };
    for (Var v : free_vars(p_, x.body)) if (is_it(v)) return v;
    for (Var v : free_vars(p_, x.post)) if (is_it(v)) return v;
    PANIC("a result is an accumulator that the body does not use");
  }

  // Sums, minima and maxima of floats, maybe of integers beside them, whose order is free, which a loop's is not.
  bool only_reduces(const LoopParts& x) const {
    if (x.reduces.empty() || !x.scans.empty() || !x.post_reduces.empty()) return false;
    bool floats = false;
    return std::ranges::all_of(x.reduces, [&](const Combine& c) {
      auto op = c.shape.empty() ? scalar_operator(p_, c) : std::nullopt;
      floats = floats || is_float(elem_of(p_, c.neutral[0]));
      return op == ScalarOp::add || op == ScalarOp::min || op == ScalarOp::max;
    }) && floats;
  }
  // Each accumulator of outside has one update at most, in a loop or a branch of the body as well. Its place moves with the iteration.
  bool has_own_places(const LoopParts& x) const {
    Forms forms;
    VarSet inside, updated;                               // what the body binds; tokens
    each_bind(x.body, [&](Var v) { inside.insert(v); });
    auto moving = [&](const Atom& a) { return stride(forms.of(a), x.i, [&](Var v) { return inside.contains(v); }) == 1; };
    bool own = true;
    each_stm(x.body, [&](const Stm& s) {
      forms.define(p_, s);
      auto read = std::get_if<Index>(&s.exp);
      if (read && counting_.contains(read->array) && read->at.size() == 1)
        if (auto at = std::get_if<Atom>(&read->at[0])) forms.define(s.pattern[0].var, forms.of(*at));       // and something invariant
      if (auto call = std::get_if<Call>(&s.exp))
        own = own && std::ranges::none_of(call->args, [&](const Atom& a) { return var_of(a) && std::holds_alternative<AccType>(p_.type(*var_of(a))); });
      auto update = std::get_if<AccUpdate>(&s.exp);
      if (!update) return;
      Var token = std::get<AccType>(p_.type(update->acc)).token;
      if (inside.contains(token)) return;
      own = own && !updated.contains(token) && std::ranges::any_of(update->at, moving);
      updated.insert(token);
    });
    return own;
  }
  // All arrays that the loop changes, beside its outputs, are accumulators, whose order is free.
  bool adds_to_accumulators(const Stm& s) const {
    return std::ranges::any_of(s.pattern, [&](Bind b) { return std::holds_alternative<AccType>(p_.type(b.var)); });
  }

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
    LoopParts x;
    const std::vector<Into>& into;
    Stm result = {};
    For loop = {};
    Subst accs = {};                              // accumulators of outside -> state
    std::vector<Atom> reduces = {}, scans = {}, cells = {}, post_reduces = {};

    size_t mapped() const { return s.pattern.size() - width_of(x.reduces) - width_of(x.post_reduces); }
  };
  Stm looped(Builder& out, const Stm& s, LoopParts x, const std::vector<Into>& into) {
    Looping l{out, s, std::move(x), into};
    l.result.source = s.source;
    l.result.checks = s.checks;
    l.result.attrs = s.attrs;
    l.loop = {{l.x.i}, l.x.width, {}, {}, {}};
    if (only_reduces(l.x)) {
      l.loop.any_order.emplace();
      for (const Combine& c : l.x.reduces) l.loop.any_order->push_back(*scalar_operator(p_, c));
    }
    bool orders = !l.x.reduces.empty() || !l.x.scans.empty() || !l.x.post_reduces.empty();
    l.loop.sums = adds_to_accumulators(s) && (l.loop.any_order ? !has_own_places(l.x) : !orders);
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
    LoopParts& x = l.x;
    Builder inner(p_, l.loop.body.stms);
    inner.source = l.s.source;
    const FlatMap<Var, Var> combined_rows = emit_and_combine(inner, x, l.reduces);
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
        if (auto v = var_of(old[0]); v && combined_rows.contains(*v))
          for (const Atom& a : old) now.push_back(*combined_rows.find(*var_of(a)));
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
  FlatMap<Var, Var> emit_and_combine(Builder& out, LoopParts& x, const std::vector<Atom>& state) {
    FlatMap<Var, Var> after;
    const bool rows = std::ranges::any_of(x.reduces, [](const Combine& c) { return c.shape.size() == 1; });
    const Uses uses = rows ? Uses(p_, x.body) : Uses();
    for (auto& item : x.body.stms.take()) {
      if (rows) combine_where_made(out, x, *item, state, uses, after);
      out.emit(std::move(item));
    }
    return after;
  }
  void combine_where_made(Builder& out, const LoopParts& x, Stm& item, const std::vector<Atom>& state, const Uses& uses,
                          FlatMap<Var, Var>& after) {
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
    item = looped(out, item, parts_of(p_, item, *map), into);
  }

  // One step of an operator; what it emits is made sequential later, with the loop it stands in.
  std::vector<Atom> combined(Builder& out, const Combine& c, const std::vector<Atom>& state, const std::vector<Atom>& operands) {
    if (!c.shape.empty()) return pointwise(out, c, state, {}, operands);
    std::vector<Atom> args = state;
    args.insert(args.end(), operands.begin(), operands.end());
    return out.inline_call(c.op, args);
  }
};

}  // namespace

LoopParts parts_of(Program& p, const Stm& s, Screma& x) {
  LoopParts parts{p.fresh("i", scalar_type(Scalar::I64)), x.width, {}, std::move(x.reduces), std::move(x.scans),
              std::move(x.post), std::move(x.post_reduces)};
  Builder inner(p, parts.body.stms);
  inner.source = s.source;
  std::vector<Atom> elements;
  for (size_t k = 0; k < x.inputs.size(); k++)
    elements.push_back(is_array(p.type(x.inputs[k])) ? inner.index(p.hint(x.pre.params[k].var), x.inputs[k], {parts.i})
                                                      : Atom(x.inputs[k]));
  parts.body.result = inner.inline_once(std::move(x.pre), elements);
  return parts;
}

Stm loop_of(Builder& out, const Stm& s, LoopParts x, const VarSet& counting) {
  return Loops(out.program, counting).loop(out, s, std::move(x));
}

std::vector<Atom> pointwise(Builder& out, const Combine& c, const std::vector<Atom>& arrays, const std::vector<Atom>& at,
                            const std::vector<Atom>& values) {
  return pointwise(out, c, arrays, at, values, {}, 0);
}

}  // namespace raido
