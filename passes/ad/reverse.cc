// reverse.cc - scopes of the return sweep: adjoint states, and the rules of operations without bodies (docs/ad.md 6).
//
// Rules: scalar.apply scalar.convert index.read index.slice update.point update.slice array.literal array.replicate
// array.concat array.permute array.reshape array.copy custom.vjp custom.tape sparse.element.
#include "passes/ad/reverse.h"

#include <algorithm>

#include "passes/ad/unused.h"

namespace raido::ad {

using namespace ir;

Reverse::Reverse(const Reverse& outer, const std::vector<Var>& open)
    : act(outer.act), b(outer.b), p(outer.p), gathered(outer.gathered), carried_(outer.carried_),
      finished_(outer.finished_), any_finished_(outer.any_finished_), parallel_(outer.parallel_), again_(true) {
  for (const auto& [v, state] : outer.states_)
    if (state.kind == Adjoint::Kind::Part) states_[outer.current(v)] = state;
  for (Var v : open)
    if (auto found = outer.find(v)) states_[v] = *found;
}
std::vector<Var> Reverse::carriers(const std::vector<Var>& free) const {
  std::vector<Var> out;
  for (Var v : free) {
    if (is_acc(p.type(v))) continue;
    auto found = find(v);
    Var carrier = found && found->kind == Adjoint::Kind::Part ? *var_of(found->value) : v;
    if (std::ranges::find(out, carrier) == out.end()) out.push_back(carrier);
  }
  return out;
}

bool Reverse::is_zero(const Atom& x) const {
  auto v = var_of(x);
  if (!v) return true;
  auto found = find(*v);
  return !found || found->kind == Adjoint::Kind::Zero;
}
Adjoint& Reverse::state(Var x) {
  if (slot(x).kind == Adjoint::Kind::Entry) {
    Adjoint entry = std::exchange(slot(x), {});
    std::vector<Var> checks = b.checks;
    b.checks.insert(b.checks.end(), entry.checks.begin(), entry.checks.end());
    add_where(x, entry.prefix[0], entry.value, entry.inside);
    b.checks = checks;
  }
  return slot(x);
}
void Reverse::add_element(Var xs, const Atom& index, const Atom& value, std::optional<Atom> inside) {
  if (mapped_.contains(xs) && is_zero(xs)) {
    slot(xs) = {Adjoint::Kind::Entry, value, false, {index}, inside, b.checks};
    return;
  }
  add_where(xs, index, value, inside);
}
std::optional<Adjoint> Reverse::take_entry(const Stm& s, std::vector<Adjoint>& values) {
  std::optional<Adjoint> entry;
  for (Bind x : s.pattern) {
    if (is_zero(x.var)) continue;
    const Adjoint& a = slot(x.var);
    if (a.kind != Adjoint::Kind::Entry || (entry && (entry->prefix != a.prefix || entry->inside != a.inside))) return {};
    entry = a;
  }
  if (!entry) return {};
  for (Bind x : s.pattern) {
    Adjoint a = std::exchange(slot(x.var), {});
    values.push_back(a.kind == Adjoint::Kind::Entry ? Adjoint::of(a.value, false) : Adjoint{});
  }
  return entry;
}

// xs_adj[index] += value if `inside`
void Reverse::add_where(Var xs, const Atom& index, const Atom& value, std::optional<Atom> inside) {
  if (!inside) return add_at(xs, {index}, value);
  Var carrier = carriers({xs})[0];                           // xs itself, or what its adjoint is part of
  bool acc = state(carrier).kind == Adjoint::Kind::Acc;
  if (!acc) own(carrier);
  Atom before = state(carrier).value;
  If guarded;
  guarded.cond = *inside;
  guarded.then_ = b.body([&] {
    Reverse inner(*this, {carrier});
    inner.add_at(xs, {index}, value);
    return std::vector<Atom>{inner.state(carrier).value};
  });
  guarded.else_ = b.body([&] { return std::vector<Atom>{before}; });
  Var result = b.bind1(p.hint(carrier) + "_adj", std::move(guarded));
  state(carrier) = acc ? Adjoint::acc(result) : Adjoint::of(result, true);
}

Atom Reverse::adjoint(Var x) {
  Adjoint& s = state(x);
  CHECK(s.kind == Adjoint::Kind::Zero || s.kind == Adjoint::Kind::Value, "the adjoint of `{}` is read while it accumulates", p.hint(x));
  if (s.kind == Adjoint::Kind::Zero) s = Adjoint::of(b.zero(p.type(x)), true);
  return s.value;
}
Var Reverse::own(Var x) {
  Atom value = adjoint(x);
  Adjoint& s = slot(x);
  if (!s.owned) s = Adjoint::of(b.copy(*var_of(value)), true);
  return *var_of(s.value);
}

// Adds an array to an accumulator: a map over each dimension around one update.
void Reverse::add_all(Adjoint& acc, const std::vector<Atom>& prefix, const Atom& contribution) {
  std::vector<Dim> shape = shape_of(p.type(contribution));
  if (shape.empty()) {
    acc = Adjoint::acc(b.bind1("acc", AccUpdate{*var_of(acc.value), prefix, {contribution}}));
    return;
  }
  Var array = *var_of(contribution), outer = *var_of(acc.value), is = b.iota(shape[0]);
  Lambda f = b.lambda({{"i", scalar_type(Scalar::I64)}, {"x", row_type(p.type(array))}, {"acc", p.type(outer)}},
                      [&](const std::vector<Var>& in) {
    Adjoint inner = Adjoint::acc(in[2]);
    std::vector<Atom> at = prefix;
    at.push_back(in[0]);
    add_all(inner, at, in[1]);
    return std::vector<Atom>{inner.value};
  });
  acc = Adjoint::acc(b.map("acc", shape[0], std::move(f), {is, array, outer})[0]);
}

void Reverse::add(const Atom& x, const Atom& contribution, bool owned) {
  auto v = var_of(x);
  if (!v || !act.varied(*v)) return;
  Adjoint& s = state(*v);
  if (s.kind == Adjoint::Kind::Part) {
    std::vector<Selector> at(s.prefix.begin(), s.prefix.end());
    return add_at(*var_of(s.value), at, contribution);
  }
  switch (s.kind) {
    case Adjoint::Kind::Zero: s = Adjoint::of(contribution, owned); break;
    case Adjoint::Kind::Value: s = Adjoint::of(b.add(p.hint(*v) + "_adj", s.value, contribution), true); break;
    case Adjoint::Kind::Acc: add_all(s, {}, contribution); break;
    case Adjoint::Kind::Part: case Adjoint::Kind::Entry: break;  // above; never a state that was asked for
  }
}

void Reverse::add_at(Var xs, const std::vector<Selector>& at, const Atom& contribution) {
  if (!act.varied(xs)) return;
  if (const Adjoint& part = slot(xs); part.kind == Adjoint::Kind::Part) {
    std::vector<Selector> whole(part.prefix.begin(), part.prefix.end());
    whole.insert(whole.end(), at.begin(), at.end());
    return add_at(*var_of(part.value), whole, contribution);
  }
  if (slot(xs).kind == Adjoint::Kind::Acc) {
    // The indices of each element of the contribution: fixed ones, start + k*stride along slices, k along the rest.
    std::vector<Dim> shape = shape_of(p.type(contribution));
    size_t rank = shape_of(p.type(xs)).size();
    std::function<void(Adjoint&, size_t, std::vector<Atom>, const Atom&)> go =
        [&](Adjoint& acc, size_t d, std::vector<Atom> index, const Atom& value) {
      while (d < at.size() && std::holds_alternative<Atom>(at[d])) index.push_back(std::get<Atom>(at[d++]));
      if (d == rank) {
        // The primal read this element, so the index is in range.
        acc = Adjoint::acc(b.bind1("acc", AccUpdate{*var_of(acc.value), index, {value}, true}));
        return;
      }
      Var array = *var_of(value), outer = *var_of(acc.value);
      Dim n = shape_of(p.type(array))[0];
      Var ks = b.iota(n);
      Lambda f = b.lambda({{"k", scalar_type(Scalar::I64)}, {"x", row_type(p.type(array))}, {"acc", p.type(outer)}},
                          [&](const std::vector<Var>& in) {
        Adjoint inner = Adjoint::acc(in[2]);
        std::vector<Atom> here = index;
        if (d < at.size()) {
          const Slice& slice = std::get<Slice>(at[d]);
          here.push_back((b.term(slice.start) + b.term(in[0]) * b.term(slice.stride)).atom);
        } else here.push_back(in[0]);
        go(inner, d + 1, here, in[1]);
        return std::vector<Atom>{inner.value};
      });
      acc = Adjoint::acc(b.map("acc", n, std::move(f), {ks, array, outer})[0]);
    };
    go(slot(xs), 0, {}, contribution);
    return;
  }
  Var dense = own(xs);
  Var old = b.bind1("old", Index{dense, at});
  Atom sum = b.add("sum", old, contribution);
  slot(xs) = Adjoint::of(b.bind1(p.hint(xs) + "_adj", Update{dense, at, sum}), true);
}

bool Reverse::is_gathered(const Type& t) const {
  auto acc = std::get_if<AccType>(&t);
  return acc && gathered.contains(acc->token);
}
bool Reverse::updates_gathered(const Stm& s) const {
  return std::ranges::any_of(s.pattern, [&](Bind x) { return is_gathered(p.type(x.var)); });
}
void Reverse::forward(const Stm& s) {
  if (gathered.empty()) return b.emit(s);
  Body one;
  one.stms.push_back(s);
  drop_accumulators(p, one, [&](const AccType& t) { return gathered.contains(t.token); });
  b.emit_all(std::move(one.stms));
}
std::vector<Adjoint> Reverse::take_results(const Stm& s) {
  std::vector<Adjoint> seeds;
  for (Bind x : s.pattern) seeds.push_back(take(x.var));
  return seeds;
}
bool Reverse::all_zero(const std::vector<Adjoint>& seeds) {
  return std::ranges::all_of(seeds, [](const Adjoint& a) { return a.kind == Adjoint::Kind::Zero; });
}
Body Reverse::bind(Lambda l, const std::vector<Atom>& values) {
  Subst s;
  for (size_t i = 0; i < values.size(); i++) {
    s.emplace(l.params[i].var, values[i]);
    if (auto v = var_of(values[i]); v && act.varied(l.params[i].var)) act.mark(*v);
  }
  substitute(p, l.body, s);
  return std::move(l.body);
}

void Reverse::scope(Body body, const std::vector<Adjoint>& seeds) { back(*forth(std::move(body)), seeds); }

std::unique_ptr<Reverse::Sweeps> Reverse::forth(Body body) {
  auto sweeps = std::make_unique<Sweeps>(Sweeps{std::move(body), {}});
  VarSet used, read;                                     // read: results that later statements use
  if (!again_) each_use(p, sweeps->body.result, [&](Var v) { used.insert(v); });
  for (const Stm& s : reversed(sweeps->body.stms)) {
    for (Bind y : s.pattern) if (used.contains(y.var)) read.insert(y.var);
    each_use(p, s, [&](Var v) { used.insert(v); });
  }
  if (again_ && act.context.options.explain_ad)
    each_stm(std::as_const(sweeps->body), [&](const Stm& s) {
      for (Bind y : s.pattern)
        if (!find_attr(p.vars[y.var.index].attrs, "ad")) act.context.note(p, y.var, {AdNote::Kind::Again, s.source, ""});
    });
  for (Stm& s : sweeps->body.stms) {
    auto x = std::get_if<Screma>(&s.exp);
    for (Bind y : s.pattern) {
      if (x && is_map(*x)) mapped_.insert(y.var);
      if (is_array(p.type(y.var))) make_ours(y.var);
    }
    for (size_t k = 0; k < s.pattern.size(); k++)
      if (auto before = earlier_version(p, s, k); before && is_carried(*before)) make_carried(s.pattern[k].var);
    Done& done = sweeps->done.emplace_back(Done{&s, {}, {}});
    bool matters = std::ranges::any_of(s.pattern, [&](Bind y) { return read.contains(y.var); });
    done.back = rule(s, matters, done.step);
  }
  return sweeps;
}
void Reverse::back(Sweeps& sweeps, const std::vector<Adjoint>& seeds) {
  if (depth_++ == 0) {                                   // rules run bodies in the scope around them
    current_.clear();
    original_.clear();
  }
  const std::vector<Atom>& results = sweeps.body.result;
  for (size_t i = 0; i < seeds.size(); i++)
    if (seeds[i].kind == Adjoint::Kind::Value)
      add(results[i], as_type(b, seeds[i].value, p.type(results[i])), seeds[i].owned);
  for (Done& done : reversed(sweeps.done)) {
    Stm& s = *done.statement;
    Source source = std::exchange(b.source, s.source);
    std::vector<Var> checks = std::exchange(b.checks, s.checks);
    std::vector<Var> now;
    if (done.step)
      for (const Step::Version& v : done.step->versions) now.push_back(current(v.after));
    // A copy was made to be consumed: it is there again only if that was undone. Another name may have an adjoint of its own.
    bool second = std::holds_alternative<Copy>(s.exp) || std::holds_alternative<Identity>(s.exp);
    bool gone = second && done.step && now[0] == done.step->versions[0].after;
    if (done.step && !gone) {
      std::vector<Var> before = done.step->undo(b, now, done.step->slots);
      for (size_t k = 0; k < before.size(); k++) restore(done.step->versions[k].before, before[k]);
    }
    if (done.back) {
      Subst renamed;
      each_use(p, s.exp, [&](Var v) { if (current(v) != v) renamed.emplace(v, current(v)); });
      if (renamed.empty()) {
        done.back();
      } else {                                           // rules refer to the operation where it is
        Exp primal = s.exp;
        substitute(p, s.exp, renamed);
        done.back();
        s.exp = std::move(primal);
      }
    }
    for (Bind x : s.pattern) current_.erase(x.var);
    b.source = source;
    b.checks = checks;
  }
  depth_--;
}

Var Reverse::current(Var xs) const {
  Var first = original(xs);
  auto found = current_.find(first);
  return found == current_.end() ? first : found->second;
}
Var Reverse::original(Var xs) const {
  auto found = original_.find(xs);
  return found == original_.end() ? xs : found->second;
}
void Reverse::restore(Var xs, Var restored) {
  Var first = original(xs);
  if (!is_ours(first) || current(first) == restored) return;
  if (restored == first) {
    current_.erase(first);
  } else {
    current_[first] = restored;
    original_[restored] = first;
    make_ours(restored);
  }
  if (act.varied(first)) act.mark(restored);
  if (mapped_.contains(first)) mapped_.insert(restored);
}
const Adjoint* Reverse::find(Var x) const {
  auto found = states_.find(original(x));
  return found == states_.end() ? nullptr : &found->second;
}

// Emits a statement of the forward sweep, with what undoes its updates of our arrays.
std::optional<Step> Reverse::emit(const Stm& s) {
  std::vector<size_t> which;
  std::vector<Var> arrays;
  for (size_t k = 0; k < s.pattern.size(); k++) {
    auto before = earlier_version(p, s, k);
    if (!before || !is_ours(*before) || is_finished(s.pattern[k].var) || std::ranges::find(arrays, *before) != arrays.end()) continue;
    which.push_back(k);
    arrays.push_back(*before);
  }
  if (which.empty()) {
    forward(s);
    return {};
  }
  Source source = std::exchange(b.source, s.source);
  std::vector<Var> checks = std::exchange(b.checks, s.checks);
  Step step = emit_step(b, s, which, [&](const Stm& made) { forward(made); });
  b.source = source;
  b.checks = checks;
  return step;
}

std::vector<Var> Reverse::map(const std::string& hint, const Dim& width, const std::vector<Var>& inputs,
                              const std::vector<Var>& free, const Fill& fill) {
  std::vector<Var> arrays, open, scalars;
  for (Var v : free) {
    if (slot(v).kind == Adjoint::Kind::Acc) open.push_back(v);
    else (is_array(p.type(v)) ? arrays : scalars).push_back(v);
  }
  std::vector<Var> through = arrays;                   // whose adjoints are accumulators inside
  through.insert(through.end(), open.begin(), open.end());
  std::vector<Var> summed;                             // scalars that received something
  size_t results = 0;
  auto emit_map = [&](const std::vector<Var>& accs) {  // results, contributions to scalars, accumulators
    std::vector<Var> all = inputs;
    all.insert(all.end(), accs.begin(), accs.end());
    Builder::Params params;
    for (Var v : all) params.push_back({p.hint(v), row_type(p.type(v))});
    Lambda f = b.lambda(params, [&](const std::vector<Var>& in) {
      Reverse inner(*this, {});
      inner.make_parallel();
      for (size_t i = 0; i < through.size(); i++) inner.state(through[i]) = Adjoint::acc(in[inputs.size() + i]);
      std::vector<Atom> out = fill(inner, {in.begin(), in.begin() + ptrdiff_t(inputs.size())});
      results = out.size();
      for (Var v : scalars)
        if (!inner.is_zero(v)) { out.push_back(inner.adjoint(v)); summed.push_back(v); }
      for (Var v : through) out.push_back(inner.state(v).value);
      return out;
    });
    return b.map(hint, width, std::move(f), all);
  };
  std::vector<Var> outer_accs;
  for (Var v : open) outer_accs.push_back(*var_of(slot(v).value));
  std::vector<Var> out;
  if (arrays.empty()) {
    out = emit_map(outer_accs);
    for (size_t i = 0; i < open.size(); i++) slot(open[i]) = Adjoint::acc(out[out.size() - open.size() + i]);
  } else {
    WithAcc scope;
    std::vector<Var> tokens, accs;
    for (Var v : arrays) {
      Var dest = own(v);
      Type t = p.type(v);
      scope.dests.push_back({{dest}, int(shape_of(t).size()), b.combine(ScalarOp::add, elem_of(t), 0), Conflict::Unknown});
      tokens.push_back(p.fresh("t", CheckType{}));
      act.context.note(p, tokens.back(), {AdNote::Kind::Adjoint, b.source, p.hint(v)});
    }
    for (size_t i = 0; i < arrays.size(); i++) accs.push_back(p.fresh("acc", dest_type(p, scope.dests[i], tokens[i])));
    for (Var v : tokens) scope.scope.params.push_back({v});
    for (Var v : accs) scope.scope.params.push_back({v});
    size_t n = arrays.size();
    scope.scope.body = b.body([&] {
      std::vector<Var> given = accs;
      given.insert(given.end(), outer_accs.begin(), outer_accs.end());
      std::vector<Var> made = emit_map(given);
      std::vector<Atom> order;
      size_t first = made.size() - through.size();
      for (size_t i = 0; i < n; i++) order.push_back(made[first + i]);
      for (size_t i = 0; i < first; i++) order.push_back(made[i]);
      for (size_t i = first + n; i < made.size(); i++) order.push_back(made[i]);
      return order;
    });
    std::vector<std::string> hints;
    for (Var v : arrays) hints.push_back(p.hint(v) + "_adj");
    hints.push_back(hint);
    std::vector<Var> made = b.bind(hints, std::move(scope));
    for (size_t i = 0; i < n; i++) slot(arrays[i]) = Adjoint::of(made[i], true);
    out.assign(made.begin() + ptrdiff_t(n), made.end());
    for (size_t i = 0; i < open.size(); i++) slot(open[i]) = Adjoint::acc(out[out.size() - open.size() + i]);
  }
  for (size_t i = 0; i < summed.size(); i++) add(summed[i], sum_outer(b, out[results + i]), true);
  out.resize(results);
  return out;
}

Atom as_type(Builder& b, const Atom& x, const Type& t) {
  if (!is_array(t) || shape_of(b.program.type(x)) == shape_of(t)) return x;
  return b.bind1(b.program.hint(*var_of(x)), Reshape{*var_of(x), shape_of(t)});
}
Atom sum_outer(Builder& b, Var xs) {
  Program& p = b.program;
  std::vector<Dim> shape = shape_of(p.type(xs));
  Scalar t = elem_of(p.type(xs));
  if (shape.size() == 1) return b.reduce("sum", shape[0], b.combine(t == Scalar::Bool ? ScalarOp::or_ : ScalarOp::add, t, 0), {xs})[0];
  std::vector<int> dims;
  for (size_t d = 1; d < shape.size(); d++) dims.push_back(int(d));
  dims.push_back(0);
  Var turned = b.permute(xs, dims);
  return b.map_all("sum", {shape.begin() + 1, shape.end()}, {turned}, [&](const std::vector<Var>& row) {
    return std::vector<Atom>{sum_outer(b, row[0])};
  })[0];
}

std::vector<Var> exclusive_scan(Builder& b, const Dim& width, const Combine& op, const std::vector<Var>& xs) {
  Program& p = b.program;
  std::vector<Var> inclusive = b.scan("scanned", width, clone(p, op), xs);
  Var is = b.iota(width);
  Lambda f = b.lambda({{"i", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& in) {
    Term i = b.term(in[0]), first = eq(i, b.term(i64_const(0)));
    If choose;
    choose.cond = first.atom;
    choose.then_ = b.body([&] {
      std::vector<Atom> out;
      for (size_t k = 0; k < xs.size(); k++) out.push_back(op.shape.empty() ? op.neutral[k] : b.replicate(op.shape, op.neutral[k]));
      return out;
    });
    choose.else_ = b.body([&] {
      std::vector<Atom> out;
      Term before = i - 1;
      for (Var v : inclusive) out.push_back(b.index("left", v, {before.atom}));
      return out;
    });
    std::vector<Var> out = b.bind("left", std::move(choose));
    return std::vector<Atom>(out.begin(), out.end());
  });
  return b.map("left", width, std::move(f), {is});
}

// ---- operations without bodies ----

namespace {

// let r = op x y        ==>   x_adj += d op/dx * r_adj ; y_adj += d op/dy * r_adj             docs/ad.md 6.1, 12
ReturnSweep vjp(Reverse& rev, const Stm& s, const Apply& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Term r_adj = rev.term(rev.take(r).value);
    for (size_t i = 0; i < op.args.size(); i++)
      if (rev.act.varied(op.args[i]))
        if (auto d = product(op, i, r, r_adj, true, rev.act.context.options)) rev.add(op.args[i], d->atom);
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Convert& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    rev.add(op.value, convert(elem_of(rev.p, op.value), rev.term(rev.take(r).value)).atom);
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Identity& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Adjoint a = rev.take(r);
    // Where the primal value is not wanted the derivative has to wait for its proofs.
    Atom value = rev.b.checks.empty() ? a.value : rev.b.bind1(rev.p.hint(r) + "_adj", Identity{a.value});
    rev.add(op.value, value, a.owned);
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Copy& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Adjoint a = rev.take(r);
    rev.add(op.array, a.value, a.owned);
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Index& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Atom value = rev.take(r).value;
    if (op.at.size() == 1 && std::holds_alternative<Atom>(op.at[0]) && rev.act.varied(op.array))
      return rev.add_element(op.array, std::get<Atom>(op.at[0]), value, {});
    rev.add_at(op.array, op.at, value);
  };
}
// let b = a with [at] <- v     ==>   v_adj += b_adj[at] ; a_adj += b_adj with [at] <- 0        docs/ad.md 6.3
ReturnSweep vjp(Reverse& rev, const Stm& s, const Update& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Builder& b = rev.b;
    Var adj = rev.own(r);
    if (rev.act.varied(op.value)) {
      Var part = b.bind1("v_adj", Index{adj, op.at});
      bool array = is_array(rev.p.type(part));
      rev.add(op.value, array ? b.copy(part) : part, true);
    }
    rev.take(r);
    if (!rev.act.varied(op.array)) return;
    Atom zero = b.zero(rev.p.type(op.value));
    rev.add(op.array, b.bind1("a_adj", Update{adj, op.at, zero}), true);
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const ArrayLit& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Var adj = *var_of(rev.take(r).value);
    for (size_t i = 0; i < op.elements.size(); i++)
      if (rev.act.varied(op.elements[i])) rev.add(op.elements[i], rev.b.index("e_adj", adj, {i64_atom(i64(i))}));
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Replicate& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Atom sum = rev.take(r).value;
    for (size_t d = 0; d < op.shape.size(); d++) sum = sum_outer(rev.b, *var_of(sum));
    rev.add(op.value, sum, true);
  };
}
// Integers only: every element of iota is start + i*step.
ReturnSweep vjp(Reverse& rev, const Stm& s, const Iota& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Builder& b = rev.b;
    Var adj = *var_of(rev.take(r).value);
    if (rev.act.varied(op.start)) rev.add(op.start, sum_outer(b, adj), true);
    if (!rev.act.varied(op.step)) return;
    Scalar t = elem_of(rev.p, op.step);
    Var is = b.iota(op.n);
    rev.add(op.step, sum_outer(b, b.map_all("weighted", {op.n}, {is, adj}, [&](const std::vector<Var>& in) {
      return std::vector<Atom>{(convert(t, b.term(in[0])) * b.term(in[1])).atom};
    })[0]), true);
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Concat& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Builder& b = rev.b;
    Var adj = *var_of(rev.take(r).value);
    Term start = b.term(i64_const(0));
    for (Var v : op.arrays) {
      std::vector<Dim> shape = shape_of(rev.p.type(v));
      std::vector<Selector> at;
      for (int d = 0; d < op.dim; d++) at.push_back(Slice{i64_const(0), shape[size_t(d)], i64_const(1)});
      at.push_back(Slice{start.atom, shape[size_t(op.dim)], i64_const(1)});
      if (rev.act.varied(v)) rev.add(v, b.bind1("part_adj", Index{adj, at}));
      start = start + b.term(shape[size_t(op.dim)]);
    }
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Reshape& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Adjoint a = rev.take(r);
    rev.add(op.array, rev.b.bind1("x_adj", Reshape{*var_of(a.value), shape_of(rev.p.type(op.array))}), a.owned);
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Permute& op) {
  return [&rev, &op, r = s.pattern[0].var] {
    if (rev.is_zero(r)) return;
    Adjoint a = rev.take(r);
    std::vector<int> back(op.dims.size());
    for (size_t i = 0; i < op.dims.size(); i++) back[size_t(op.dims[i])] = int(i);
    rev.add(op.array, rev.b.permute(*var_of(a.value), back), a.owned);
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Screma& op) {
  if (is_map(op)) return vjp_map(rev, s, op);
  if (is_reduce(op) && op.reduces.size() == 1) return vjp_reduce(rev, s, op);
  CHECK(is_scan(op) && op.scans.size() == 1, "a screma that is not split is differentiated");
  return vjp_scan(rev, s, op);
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const For& op) { return vjp_for(rev, s, op); }
ReturnSweep vjp(Reverse& rev, const Stm& s, const If& op) { return vjp_if(rev, s, op); }
ReturnSweep vjp(Reverse& rev, const Stm& s, const WithAcc& op) { return vjp_with_acc(rev, s, op); }
ReturnSweep vjp(Reverse& rev, const Stm& s, const AccUpdate& op) { return vjp_upd(rev, s, op); }
ReturnSweep vjp(Reverse& rev, const Stm& s, const Hist& op) { return vjp_hist(rev, s, op); }
// let y = custom f x    ==>   x_adj += its rule at y, y_adj; without one for this mode, and for what f keeps for the rule:
//                             f again, its return sweep                                        docs/ad.md 6.12
ReturnSweep vjp(Reverse& rev, const Stm& s, const Custom& op) {
  const std::optional<Lambda>& rule = rev.act.mode.rule(op);
  if (rule && !rev.act.rule_sees_all(op, s.source)) return {};
  return [&rev, &s, &op, &rule] {
    Builder& b = rev.b;
    std::vector<Adjoint> seeds = rev.take_results(s);
    if (Reverse::all_zero(seeds)) return;
    auto through_f = [&] { rev.scope(rev.bind(rev.act.clone(op.f), op.args), seeds); };
    if (!rule) return through_f();
    std::vector<Atom> both;
    for (Bind y : s.pattern) both.push_back(y.var);
    for (size_t i = 0; i < seeds.size(); i++)
      both.push_back(seeds[i].kind == Adjoint::Kind::Value ? seeds[i].value : b.zero(rev.p.type(s.pattern[i].var)));
    std::vector<Atom> adjoints = b.inline_call(*rule, both);
    for (size_t i = 0; i < op.args.size(); i++)
      if (rev.act.varied(op.args[i])) rev.add(op.args[i], as_type(b, adjoints[i], rev.p.type(op.args[i])));
    seeds.resize(size_t(op.kept));
    if (!Reverse::all_zero(seeds)) through_f();
  };
}
ReturnSweep vjp(Reverse& rev, const Stm& s, const Call& op) { return vjp_call(rev, s, op); }
// Of a `while` loop only the number of iterations is used where it would matter (prepare.cc).
ReturnSweep vjp(Reverse&, const Stm&, const While&) { return {}; }
// Never varied: proofs, unspecified and constant arrays. Cannot occur: AD operators (expanded innermost first) and what
// belongs to later levels.
ReturnSweep vjp(Reverse&, const Stm&, const Assert&) { return {}; }
ReturnSweep vjp(Reverse&, const Stm&, const Scratch&) { return {}; }
ReturnSweep vjp(Reverse&, const Stm&, const Data&) { return {}; }
template <class Op> requires(std::is_same_v<Op, Jvp> || std::is_same_v<Op, Vjp> || std::is_same_v<Op, Seg> ||
                             std::is_same_v<Op, Tunable> || std::is_same_v<Op, Alloc>)
ReturnSweep vjp(Reverse&, const Stm&, const Op&) { PANIC("`{}` under differentiation", Op::name); }

}  // namespace

ReturnSweep Reverse::rule(const Stm& s, bool matters, std::optional<Step>& step) {
  bool active = updates_gathered(s) || std::ranges::any_of(s.pattern, [&](Bind x) { return act.varied(x.var); });
  auto screma = std::get_if<Screma>(&s.exp);
  bool records = std::holds_alternative<For>(s.exp) || std::holds_alternative<Hist>(s.exp) || std::holds_alternative<Call>(s.exp) ||
                 (screma && is_reduce(*screma));
  if (!records || !active) {                                          // these do it themselves
    std::optional<Stm> named;
    if (any_finished_) write_nothing(named.emplace(s));
    if (matters) step = emit(named ? *named : s);
    else forward(named ? *named : s);                                 // dead: nothing has to be undone
  }
  if (!active) return {};
  return match(s.exp, [&](const auto& op) { return vjp(*this, s, op); });
}

// ---- the operator ----

namespace {

std::vector<Atom> sweeps_of(Builder& b, Functions& functions, Vjp op, bool enclosed, bool parallel) {
  Program& p = b.program;
  std::vector<bool> varied;
  for (size_t i = 0; i < op.at.size(); i++) varied.push_back(is_scalar(p.type(op.at[i])) || is_array(p.type(op.at[i])));
  Activity act = ready(functions, op.f, varied, {false, enclosed}, parallel);
  // Fresh names for the arguments: the same value may be free in f, where it is a constant for this operator.
  std::vector<Atom> params;
  for (size_t i = 0; i < op.at.size(); i++) {
    Var v = b.bind1(p.hint(op.f.params[i].var), Identity{op.at[i]});
    params.push_back(v);
  }
  Reverse rev(act, b);
  if (parallel) rev.make_parallel();
  Body body = rev.bind(std::move(op.f), params);
  std::vector<Atom> results = body.result;
  if (!op.batch.empty()) {
    // The forward sweep is that of all seeds.
    auto sweeps = rev.forth(std::move(body));
    for (Var d : each_seed(b, act.context, op.batch, op.adjoints, [&](const std::vector<Var>& rows) {
           std::vector<Adjoint> seeds;
           for (Var row : rows) seeds.push_back(Adjoint::of(row, false));
           rev.back(*sweeps, seeds);
           std::vector<Atom> out;
           for (const Atom& x : params) out.push_back(rev.adjoint(*var_of(x)));
           return out;
         }))
      results.push_back(d);
    return results;
  }
  std::vector<Adjoint> seeds;
  for (const Atom& a : op.adjoints) {
    auto c = const_of(a);
    seeds.push_back(c && is_zero(*c) ? Adjoint{} : Adjoint::of(a, false));
  }
  rev.scope(std::move(body), seeds);
  for (const Atom& x : params) results.push_back(rev.adjoint(*var_of(x)));
  return results;
}

}  // namespace

std::vector<Atom> expand_vjp(Builder& b, Functions& functions, Vjp op, bool enclosed, bool parallel) {
  Body sweeps = b.body([&] { return sweeps_of(b, functions, std::move(op), enclosed, parallel); });
  guard_unused(b.program, sweeps, {});
  b.emit_all(std::move(sweeps.stms));
  return sweeps.result;
}

}  // namespace raido::ad
