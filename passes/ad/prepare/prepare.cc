// prepare.cc - makes a lambda ready for differentiation: it consumes nothing, its histograms are simple, its loops are counted.
//
// The return sweep reads primal values after the forward sweep has run, so the forward sweep may not destroy them. Every
// consuming operation gets a copy of what it consumes. Copy elimination (A6) finds afterwards what nobody reads again, and gives the
// in-place update back. A histogram by addition becomes updates of an accumulator. Each of the other histograms gets one destination,
// and takes its indices and values as they are.
//
// A `while` loop runs once to be counted, and then as a `for` loop of that many iterations (docs/ad.md 7.6). Dead code elimination
// reduces the first run to what decides when the loop ends. Where that is most of the loop, the two become one loop again after
// differentiation (counted.h).
//
// With #[bound(n)] the loop becomes a `for` loop of n iterations, of which those after the end do nothing. So nothing runs twice.
//
// A scatter that may write to one place twice finds out before which of the writes counts, unless one thread goes back in order.
//
// Rules: while.inspect while.bound hist.add scatter.repeated.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/ad/activity/activity.h"
#include "passes/ad/prepare/checks.h"
#include "passes/ad/prepare/counted.h"
#include "passes/ad/prepare/in_place.h"
#include "passes/ad/prepare/prepare.h"
#include "passes/ad/prepare/scatters.h"
#include "passes/ad/prepare/schedules.h"
#include "passes/ad/prepare/updates.h"
#include "passes/ad/prepare/write_once.h"

namespace raido::ad {
namespace {

using namespace ir;

class Preparation {
 public:
  Preparation(Program& p, Activity* counted, const Around& around)
      : p_(p), counted_(counted), around_(around), fixed_(around.parallel), limited_(counted && counted->context.options.ad_memory != 0) {}
  void body(Body& whole) {
    Builder b(p_, whole.stms);
    b.into(whole, [&](List<Stm>& stms) {
      for (auto& item : stms.take()) {
        Stm& s = *item;
        b.source = s.source;
        bool is_loop = std::holds_alternative<For>(s.exp) || std::holds_alternative<While>(s.exp);
        bool levels = limited_ && counted_->mode.enclosed;
        bool fixed = fixed_ || is_parallel(s.exp) || (is_loop && counts(s) && levels && chooses_levels(b, s, *counted_));
        bool asserted = inside_asserted_ || asserts(s);
        bool in_nest = in_nest_ || (is_loop && counts(s)) || is_parallel(s.exp);
        std::swap(fixed, fixed_);
        std::swap(in_nest, in_nest_);
        std::swap(asserted, inside_asserted_);
        walk_parts(s, [&](Body& inner) { body(inner); });
        std::swap(fixed, fixed_);
        std::swap(in_nest, in_nest_);
        std::swap(asserted, inside_asserted_);
        b.source = s.source;
        b.checks = s.checks;
        if (auto h = std::get_if<Hist>(&s.exp)) {
          if (h->dests.size() == 1 && adds(h->dests[0])) s.exp = as_scope(b, std::move(*h));
          else if (h->dests.size() > 1 || !is_identity(h->pre)) { each_dest(b, s, std::move(*h)); continue; }
        }
        if (auto w = std::get_if<While>(&s.exp); w && counts(s) && bounded(b, s, *w)) continue;
        if (auto w = std::get_if<While>(&s.exp); w && counts(s)) count(b, s);
        if (auto w = std::get_if<WithAcc>(&s.exp)) scatter_once(b, s, *w);
        if (std::holds_alternative<For>(s.exp) && counts(s)) loop(b, s);
        else if (!is_parallel(s.exp) || !fits(b, s)) statement(b, s);
      }
    });
  }

 private:
  Program& p_;
  Activity* counted_;
  const Around& around_;
  bool fixed_;                             // no loop gets several versions here
  bool limited_;                           // by --ad-memory
  bool in_nest_ = false;                   // a loop or a parallel operation around decides about this one
  bool inside_asserted_ = false;           // a loop around has #[true_dep] on its state

  void loop(Builder& b, Stm& s) {
    if (counted_->context.options.ad_check) check(b, s);
    if (fits(b, s)) return;
    stripmine(b, s);
    statement(b, s);
  }
  // Whether --ad-memory has decided about the statement, which is emitted then.
  bool fits(Builder& b, Stm& s) {
    auto emit = [&](Stm& version) { statement(b, version); };
    if (!limited_) return false;
    if (!counted_->mode.enclosed) return !in_nest_ && fit_memory(b, s, *counted_, around_, emit);
    return std::holds_alternative<For>(s.exp) && fit_levels(b, s, *counted_, fixed_, emit);
  }
  // Promises about arrays that the loop updates. One that cannot be verified is not believed, nor is one that a loop around verifies.
  void check(Builder& b, Stm& s) {
    const For f = std::get<For>(s.exp);
    for (size_t k : updated_state(p_, f)) {
      if (auto found = written_once(p_, f, k); !found || !found->asserted) continue;
      if (inside_asserted_ || !check_write_once(b, s, k))
        std::erase_if(p_.vars[f.state[k].var.index].attrs, [](const Attr& a) { return a.name == "true_dep"; });
    }
  }
  void statement(Builder& b, Stm& s) {
    Subst copies;
    each_consumed(p_, s.exp, [&](Var v) {
      if (!copies.contains(v)) copies.emplace(v, b.copy(v));
    });
    if (!copies.empty()) replace_consumed(p_, s, copies);
    b.emit(std::move(s));
  }
  bool adds(const Dest& d) const { return d.combine && scalar_operator(p_, *d.combine) == ScalarOp::add; }
  bool asserts(const Stm& s) const {
    auto any = [&](const std::vector<Bind>& state) {
      return std::ranges::any_of(state, [&](Bind x) { return has_attr(p_.vars[x.var.index].attrs, "true_dep"); });
    };
    return match(s.exp, [&](const For& x) { return any(x.state); }, [&](const While& x) { return any(x.state); }, [](const auto&) { return false; });
  }
  bool counts(const Stm& s) const {        // whether its iterations are gone back through
    if (!counted_) return false;
    for (Bind x : s.pattern) if (counted_->varied(x.var)) return true;
    return false;
  }
  // loop p = p0 while c p do body   ==>   n = (loop (p, n) = (p0, 0) while c p do (body, n + 1)).n; loop p = p0 for _ < n do body
  void count(Builder& b, Stm& s) {
    While w = std::get<While>(std::move(s.exp));
    Stm once = clone(p_, Stm{s.pattern, w, b.checks, b.source, {}});
    bool grows = counted_->context.target != Target::Gpu && !counted_->mode.enclosed &&
                 counted_->context.options.ad_memory == 0 && !has_schedule(s) && decides_much(p_, w);
    While& loop = std::get<While>(once.exp);
    Var n = p_.fresh("n", scalar_type(Scalar::I64)), times = p_.fresh("n", scalar_type(Scalar::I64));
    loop.state.push_back({n});
    loop.init.push_back(i64_const(0));
    loop.cond.params.push_back({p_.fresh("n", scalar_type(Scalar::I64))});
    Builder in(p_, loop.body.stms);
    in.source = b.source;
    loop.body.result.push_back((in.term(n) + 1).atom);
    once.pattern.push_back({times});
    // The loop that comes then updates the accumulators around it.
    VarSet inside;
    each_bind(once.exp, [&](Var v) { inside.insert(v); });
    Body counting;
    counting.stms.push_back(std::move(once));
    drop_accumulators(p_, counting, [&](const AccType& t) { return !inside.contains(t.token); });
    b.emit_all(std::move(counting.stms));
    For counted{{p_.fresh("i", scalar_type(Scalar::I64))}, times, std::move(w.state), std::move(w.init), std::move(w.body)};
    counted.counted = grows;
    s.exp = std::move(counted);
  }
  // #[bound(n)] loop p = p0 while c p do body   ==>   loop p = p0 for _ < n do if c p then body else p, which must have ended
  bool bounded(Builder& b, Stm& s, const While& w) {
    const Attr* attr = find_attr(s.attrs, "bound");
    bool fixed = attr && !attr->args.empty();
    for (Bind x : w.state)
      for (Bind y : w.state) walk(p_.type(x.var), [&](const Var& v) { fixed = fixed && v != y.var; });
    if (!fixed) return false;
    Atom most = i64_const(attr->args[0]);
    For loop{{p_.fresh("i", scalar_type(Scalar::I64))}, most, w.state, w.init, {}};
    loop.body = b.body([&] {
      std::vector<Atom> state;
      std::vector<std::string> hints;
      for (Bind x : w.state) {
        state.push_back(x.var);
        hints.push_back(p_.hint(x.var));
      }
      If step{b.inline_call(w.cond, state)[0], w.body, {{}, state}};
      std::vector<Var> next = b.bind(hints, std::move(step));
      return std::vector<Atom>(next.begin(), next.end());
    });
    Stm run{{}, std::move(loop), s.checks, s.source, s.attrs};
    std::vector<Atom> results;
    for (Bind x : s.pattern) {
      run.pattern.push_back({p_.fresh(p_.hint(x.var), p_.type(x.var))});
      results.push_back(run.pattern.back().var);
    }
    std::erase_if(run.attrs, [](const Attr& a) { return a.name == "bound"; });
    this->loop(b, run);
    Atom more = b.inline_call(w.cond, results)[0];
    Var ended = b.bind1("c", Assert{not_(b.term(more)).atom, p_.text("A loop has not ended after {} iterations, its #[bound]."), {most}});
    for (size_t k = 0; k < results.size(); k++) b.emit({{s.pattern[k]}, Identity{results[k]}, {ended}, s.source, {}});
    return true;
  }
  // Where a scatter writes a place more than once, one of the writes has the whole derivative. The others are sent outside.
  void scatter_once(Builder& b, Stm& s, WithAcc& x) {
    if (counted_ && goes_back_in_order(*counted_, s, x)) return;
    bool distinct = has_attr(s.attrs, "distinct");
    auto found = counts(s) && (!distinct || counted_->context.options.ad_check) ? scatter(p_, x) : std::nullopt;
    if (!found) return;
    Screma& map = std::get<Screma>(x.scope.body.stms[found->map].exp);
    std::vector<AccUpdate*> updates;
    for (size_t k : found->updates) updates.push_back(&std::get<AccUpdate>(map.pre.body.stms[k].exp));
    bool varied = std::ranges::any_of(updates, [&](AccUpdate* u) {
      return std::ranges::any_of(u->values, [&](const Atom& v) { return counted_->varied(v); });
    });
    if (map.width == i64_atom(1) || !varied) return;
    std::vector<Dim> shape = shape_of(p_.type(x.dests[0].arrays[0]));
    shape.resize(updates[0]->at.size());
    if (distinct) {
      Var c = check_distinct(b, shape, map.width, scatter_indices(b, x));
      s.checks.push_back(c);
      x.scope.body.stms[found->map].checks.push_back(c);     // for what goes back through it, too
      return;
    }
    Var at = each_place_once(b, shape, map.width, scatter_indices(b, x));
    map.inputs.insert(map.inputs.begin(), at);
    map.pre.params.insert(map.pre.params.begin(), {p_.fresh("at", scalar_type(Scalar::I64))});
    for (AccUpdate* u : updates) u->at[0] = map.pre.params[0].var;
    s.attrs.push_back({"distinct", {}});
  }
  // A histogram for each destination, of what `pre` gives.
  void each_dest(Builder& b, Stm& s, Hist h) {
    std::vector<std::string> hints;
    for (const Atom& a : h.pre.body.result) hints.push_back(var_of(a) ? p_.hint(*var_of(a)) : "x");
    std::vector<Var> operands = b.bind(hints, Screma{h.width, h.inputs, std::move(h.pre), {}, {}, {}, {}});
    size_t index = 0, value = 0, result = 0;
    for (const Dest& d : h.dests) value += size_t(d.rank);
    for (Dest& d : h.dests) {
      Hist one{h.width, {}, {}, {}};
      for (int r = 0; r < d.rank; r++) one.inputs.push_back(operands[index++]);
      for (size_t i = 0; i < d.arrays.size(); i++) one.inputs.push_back(operands[value++]);
      Builder::Params params;
      for (Var v : one.inputs) params.push_back({p_.hint(v), row_type(p_.type(v))});
      one.pre = b.lambda(params, [](const std::vector<Var>& xs) { return std::vector<Atom>(xs.begin(), xs.end()); });
      Stm part{{}, {}, s.checks, s.source, s.attrs};
      for (size_t i = 0; i < d.arrays.size(); i++) part.pattern.push_back(s.pattern[result++]);
      one.dests.push_back(std::move(d));
      if (adds(one.dests[0])) part.exp = as_scope(b, std::move(one));
      else part.exp = std::move(one);
      statement(b, part);
    }
  }

  // hist n pre xs into d   ==>   with_acc d \accs -> map n (\x accs -> upd accs (pre x)) xs accs
  Exp as_scope(Builder& b, Hist h) {
    WithAcc scope;
    scope.dests = h.dests;
    std::vector<Var> tokens, accs;
    for (size_t k = 0; k < h.dests.size(); k++) tokens.push_back(p_.fresh("t", CheckType{}));
    for (size_t k = 0; k < h.dests.size(); k++) accs.push_back(p_.fresh("acc", dest_type(p_, h.dests[k], tokens[k])));
    for (Var v : tokens) scope.scope.params.push_back({v});
    for (Var v : accs) scope.scope.params.push_back({v});
    scope.scope.body = b.body([&] {
      std::vector<Var> inputs = h.inputs, inner;
      Lambda f = std::move(h.pre);
      for (Var acc : accs) {
        inputs.push_back(acc);
        inner.push_back(p_.fresh("acc", p_.type(acc)));
        f.params.push_back({inner.back()});
      }
      Builder in(p_, f.body.stms);
      in.source = b.source;
      std::vector<Atom> out, results = f.body.result;
      size_t index = 0, value = 0;
      for (const Dest& d : h.dests) value += size_t(d.rank);
      for (size_t k = 0; k < h.dests.size(); k++) {
        auto take = [&](size_t& at, size_t n) {
          std::vector<Atom> part(results.begin() + ptrdiff_t(at), results.begin() + ptrdiff_t(at + n));
          at += n;
          return part;
        };
        std::vector<Atom> at = take(index, size_t(h.dests[k].rank)), values = take(value, h.dests[k].arrays.size());
        out.push_back(in.bind1("acc", AccUpdate{inner[k], at, values}));
      }
      f.body.result = out;
      std::vector<Var> done = b.map("acc", h.width, std::move(f), inputs);
      return std::vector<Atom>(done.begin(), done.end());
    });
    return scope;
  }
};

}  // namespace

void replace_consumed(const Program& p, Stm& s, const Subst& copies) {
  each_consumed(p, s.exp, [&](Var& v) { if (auto found = copies.find(v); found != copies.end()) v = *var_of(found->second); });
}

void drop_rules(Program& p, Body& whole, const Mode& mode) {
  rewrite(p, whole, [&](Builder& b, Stm& s, Subst& results) {
    auto x = std::get_if<Custom>(&s.exp);
    if (x && (mode.enclosed || mode.rule(*x))) return false;
    walk_parts(s, [&](Body& part) { drop_rules(p, part, mode); });
    if (!x) return false;
    std::vector<Atom> values = b.inline_once(std::move(x->f), x->args);
    for (size_t i = 0; i < s.pattern.size(); i++) results.emplace(s.pattern[i].var, values[i]);
    return true;
  });
}

void prepare(Program& p, Lambda& f, Activity* counted, const Around& around) { Preparation(p, counted, around).body(f.body); }

Activity prepare_reverse(Functions& functions, Lambda& f, const std::vector<bool>& varied, const Mode& mode, const Around& around) {
  Program& p = functions.program;
  Activity first(functions, mode), before(functions, mode), act(functions, mode);
  drop_rules(p, f.body, mode);
  first.analyse(f, varied);
  bool changed = updates_in_turn(p, f.body, first);
  if (changed) before.analyse(f, varied);
  prepare(p, f, changed ? &before : &first, around);
  act.analyse(f, varied);
  return act;
}

}  // namespace raido::ad
