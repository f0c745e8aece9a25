// forward.cc - jvp: all rules (docs/ad.md 3).
//
// Every primal statement stays; after each active one comes the statement of its tangent. Tangents of what does not
// depend on the input are symbolically zero and make no code. Scopes (lambdas, branches, loops) are extended in place:
// they return tangents beside their results.
//
// Rules: custom.jvp.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "compiler/ir/aliases.h"
#include "passes/ad/activity/activity.h"
#include "passes/ad/activity/common.h"
#include "passes/ad/activity/no_flow.h"
#include "passes/ad/forward/forward.h"
#include "passes/ad/prepare/prepare.h"
#include "passes/ad/seeds/seeds.h"

namespace raido::ad {
namespace {

using namespace ir;

// Takes what f takes, then tangents of these arguments. Returns f's results, then the tangents of those that vary.
FunId forward_function(Functions& functions, FunId f, const std::vector<bool>& args, const Mode& mode);

class Forward {
 public:
  Forward(Activity& activity, Builder& builder) : act_(activity), b_(builder), p_(builder.program) {}

  // What depends on nothing that has a tangent goes there: it is done once for all seeds.
  void hoist_to(List<Stm>& invariant) { invariant_ = &invariant; }
  void set(Var x, Atom tangent) { tangents_[x] = tangent; }
  bool zero(const Atom& x) const { auto v = var_of(x); return !v || !tangents_.contains(*v); }
  // The tangent as a value.
  Atom tangent(const Atom& x) {
    if (!zero(x)) return tangents_.at(*var_of(x));
    return b_.zero(p_.type(x));
  }
  void stms(List<Stm> body) {
    for (auto& item : body.take()) {
      Source source = std::exchange(b_.source, item->source);
      std::vector<Var> checks = std::exchange(b_.checks, item->checks);
      statement(*item);
      b_.source = source;
      b_.checks = checks;
    }
  }

 private:
  Activity& act_;
  Builder& b_;
  Program& p_;
  std::unordered_map<Var, Atom> tangents_;
  List<Stm>* invariant_ = nullptr;
  VarSet own_;                                            // what statements bind that are not invariant

  bool active(const Stm& s) const {
    for (Bind x : s.pattern) {
      auto acc = std::get_if<AccType>(&p_.type(x.var));
      if (act_.varied(x.var) || (acc && tangent_token_.contains(acc->token))) return true;
    }
    return false;
  }
  Var as_var(const Atom& a) { return *var_of(a); }
  std::string hint(Var v) const { return p_.hint(v) + "_tan"; }
  void emit(Stm& s) { b_.emit(std::move(s)); }
  // let y = e with one result and its tangent `t`.
  void result(Var y, Exp t) { set(y, b_.bind1(hint(y), std::move(t))); }

  void statement(Stm& s) {
    bool does = active(s);
    if (invariant_) {
      bool own = does;
      each_use(p_, s, [&](Var v) { own = own || own_.contains(v); });
      if (!own) return invariant_->push_back(std::move(s));
      for (Bind x : s.pattern) own_.insert(x.var);
      Subst copies;                                       // of invariant arrays that are consumed here
      each_consumed(p_, s.exp, [&](Var v) { if (!own_.contains(v)) copies.emplace(v, v); });
      for (auto& [v, copy] : copies) {
        Var fresh = b_.copy(v);
        if (!zero(v)) set(fresh, tangent(v));
        copy = fresh;
      }
      replace_consumed(p_, s, copies);
    }
    if (!does) return emit(s);
    match(s.exp, [&](auto& op) { rule(s, op); });
  }

  void rule(Stm& s, Apply op) {
    Var r = s.pattern[0].var;
    emit(s);
    std::optional<Term> sum;
    for (size_t i = 0; i < op.args.size(); i++) {
      if (zero(op.args[i])) continue;
      auto part = product(op, i, r, b_.term(tangent(op.args[i])), false, act_.context.options);
      if (part) sum = sum ? *sum + *part : *part;
    }
    if (sum) set(r, sum->atom);
  }
  void rule(Stm& s, Convert op) {
    Var r = s.pattern[0].var;
    emit(s);
    if (!zero(op.value)) set(r, convert(op.to, b_.term(tangent(op.value))).atom);
  }
  void rule(Stm& s, Identity op) {
    Var y = s.pattern[0].var;
    bool waits = !s.checks.empty();                       // the tangent, too, for the proofs
    emit(s);
    if (zero(op.value)) return;
    if (waits) result(y, Identity{tangent(op.value)});
    else set(y, tangent(op.value));
  }
  // Views and copies: the same operation on the tangent.
  template <class Op> void linear_array(Stm& s, Op op) {
    Var y = s.pattern[0].var, x = op.array;
    emit(s);
    if (zero(x)) return;
    op.array = as_var(tangent(x));
    result(y, std::move(op));
  }
  void rule(Stm& s, Index op) { linear_array(s, std::move(op)); }
  void rule(Stm& s, Reshape op) { linear_array(s, std::move(op)); }
  void rule(Stm& s, Permute op) { linear_array(s, std::move(op)); }
  void rule(Stm& s, Copy op) { linear_array(s, std::move(op)); }
  void rule(Stm& s, Update op) {
    Var y = s.pattern[0].var;
    Atom array = zero(op.array) ? b_.zero(p_.type(op.array)) : Atom(b_.copy(as_var(tangent(op.array))));
    Atom value = tangent(op.value);
    emit(s);
    result(y, Update{as_var(array), op.at, value});
  }
  void rule(Stm& s, Replicate op) {
    Var y = s.pattern[0].var;
    emit(s);
    if (!zero(op.value)) result(y, Replicate{op.shape, tangent(op.value)});
  }
  void rule(Stm& s, ArrayLit op) {
    Var y = s.pattern[0].var;
    emit(s);
    ArrayLit t;
    for (const Atom& e : op.elements) t.elements.push_back(tangent(e));
    result(y, std::move(t));
  }
  void rule(Stm& s, Concat op) {
    Var y = s.pattern[0].var;
    emit(s);
    Concat t = op;
    for (Var& v : t.arrays) v = as_var(tangent(v));
    result(y, std::move(t));
  }
  void rule(Stm& s, Iota op) {
    Var y = s.pattern[0].var;
    emit(s);
    if (!zero(op.start) || !zero(op.step)) result(y, Iota{op.n, tangent(op.start), tangent(op.step)});
  }

  // ---- scopes ----
  // The body extended: its results, then the tangents of those with `with[i]`.
  void extend(Body& body, const std::vector<bool>& with) {
    List<Stm>* outer = std::exchange(invariant_, nullptr);
    b_.into(body, [&](List<Stm>& inner) { stms(std::move(inner)); });
    Body tail = b_.body([&] {
      std::vector<Atom> out;
      for (size_t i = 0; i < with.size(); i++) if (with[i]) out.push_back(tangent(body.result[i]));
      return out;
    });
    for (auto& item : tail.stms.take()) body.stms.push_back(std::move(item));
    body.result.insert(body.result.end(), tail.result.begin(), tail.result.end());
    invariant_ = outer;
  }
  // Binders for the tangents of the statement's results with `with[i]`.
  void bind_results(Stm& s, const std::vector<bool>& with) {
    size_t n = with.size();
    for (size_t i = 0; i < n; i++) {
      if (!with[i]) continue;
      Var y = s.pattern[i].var, t = p_.fresh(hint(y), tangent_type(p_.type(y)));
      s.pattern.push_back({t});
      set(y, t);
    }
  }
  std::vector<bool> differentiable(const Stm& s) const {
    std::vector<bool> with;
    for (Bind x : s.pattern) with.push_back(act_.varied(x.var) && !is_acc(p_.type(x.var)));
    return with;
  }
  void rule(Stm& s, If& op) {
    std::vector<bool> with = differentiable(s), accs = acc_results(s);
    for (size_t i = 0; i < with.size(); i++) with[i] = with[i] || accs[i];
    extend(op.then_, with);
    extend(op.else_, with);
    bind_results(s, with);
    emit(s);
  }
  std::vector<bool> acc_results(const Stm& s) const {
    std::vector<bool> accs;
    for (Bind x : s.pattern) accs.push_back(is_acc(p_.type(x.var)) && tangent_token_.contains(std::get<AccType>(p_.type(x.var)).token));
    return accs;
  }
  // State variables with a tangent: varied ones, and accumulators that are doubled.
  template <class Loop> void loop(Stm& s, Loop& op) {
    std::vector<bool> with = differentiable(s), accs = acc_results(s);
    size_t n = op.state.size();
    for (size_t i = 0; i < n; i++) {
      with[i] = with[i] || accs[i];
      if (!with[i]) continue;
      Var x = op.state[i].var, t = p_.fresh(hint(x), tangent_type(p_.type(x)));
      op.init.push_back(tangent(op.init[i]));
      if (is_array(p_.type(x)) ) op.init.back() = b_.copy(as_var(op.init.back()));
      op.state.push_back({t});
      set(x, t);
    }
    if constexpr (requires { op.cond; })
      for (size_t i = 0; i < n; i++)
        if (with[i]) op.cond.params.push_back({p_.fresh("t", tangent_type(p_.type(op.cond.params[i].var)))});
    extend(op.body, with);
    for (size_t i = 0; i < n; i++) {
      if (!with[i]) continue;
      Var y = s.pattern[i].var, t = p_.fresh(hint(y), tangent_type(p_.type(y)));
      s.pattern.push_back({t});
      set(y, t);
    }
    emit(s);
  }
  void rule(Stm& s, For& op) { loop(s, op); }
  void rule(Stm& s, While& op) { loop(s, op); }

  Type tangent_type(const Type& t) const {
    auto acc = std::get_if<AccType>(&t);
    if (!acc) return t;
    AccType twin = *acc;
    twin.token = tangent_token_.at(acc->token);
    return twin;
  }
  std::unordered_map<Var, Var> tangent_token_;            // token of a scope's accumulator -> that of its tangent

  // The tangent rows beside the rows: parameters of a lambda for the inputs that have tangents.
  void inputs(std::vector<Var>& arrays, Lambda& f) {
    size_t n = arrays.size();
    for (size_t i = 0; i < n; i++) {
      const Type& t = p_.type(arrays[i]);
      bool twin = is_acc(t) ? tangent_token_.contains(std::get<AccType>(t).token) : !zero(arrays[i]);
      if (!twin) continue;
      Var row = f.params[i].var, t_row = p_.fresh(hint(row), tangent_type(p_.type(row)));
      Var t_array = as_var(tangent(arrays[i]));
      arrays.push_back(t_array);
      f.params.push_back({t_row});
      set(row, t_row);
    }
  }
  // (x, x_tan) op (y, y_tan) = (x op y, its tangent): associative because it is the pushforward of an associative map.
  void combine(Combine& c, const std::vector<bool>& with) {
    size_t k = c.neutral.size();
    std::vector<Bind> left(c.op.params.begin(), c.op.params.begin() + isize(c.neutral)), right(c.op.params.begin() + isize(c.neutral), c.op.params.end());
    for (size_t i = 0; i < k; i++) {
      if (!with[i]) continue;
      for (auto* side : {&left, &right}) {
        Var x = (*side)[i].var, t = p_.fresh(hint(x), p_.type(x));
        side->push_back({t});
        set(x, t);
      }
      c.neutral.push_back(tangent(c.neutral[i]));          // the result where there is nothing to reduce
    }
    left.insert(left.end(), right.begin(), right.end());
    c.op.params = std::move(left);
    extend(c.op.body, with);
  }
  void rule(Stm& s, Screma& op) {
    std::vector<bool> with = differentiable(s), accs = acc_results(s);
    if (is_map(op)) {
      for (size_t i = 0; i < with.size(); i++) with[i] = with[i] || accs[i];
      inputs(op.inputs, op.pre);
      extend(op.pre.body, with);
      for (size_t i = 0, n = with.size(); i < n; i++) {
        if (!with[i]) continue;
        Var y = s.pattern[i].var, t = p_.fresh(hint(y), tangent_type(p_.type(y)));
        s.pattern.push_back({t});
        set(y, t);
      }
      return emit(s);
    }
    CHECK((is_reduce(op) && op.reduces.size() == 1) || (is_scan(op) && op.scans.size() == 1), "a screma that is not split is differentiated");
    Combine& c = op.reduces.empty() ? op.scans[0] : op.reduces[0];
    // Sums: the tangent of a sum is the sum of the tangents.
    if (scalar_operator(p_, c) == ScalarOp::add) {
      Screma sum = clone(p_, op);
      Var y = s.pattern[0].var;
      sum.inputs[0] = as_var(tangent(op.inputs[0]));
      Combine& of_tangents = sum.reduces.empty() ? sum.scans[0] : sum.reduces[0];
      of_tangents.neutral = {tangent(c.neutral[0])};       // zero, unless it is no neutral element
      emit(s);
      result(y, std::move(sum));
      return;
    }
    // All components whose results vary get tangents; their elements, too.
    size_t k = with.size();
    for (size_t i = 0; i < k; i++) {
      if (!with[i]) continue;
      Var row = p_.fresh(hint(op.pre.params[i].var), p_.type(op.pre.params[i].var));
      op.inputs.push_back(as_var(tangent(op.inputs[i])));
      op.pre.params.push_back({row});
      op.pre.body.result.push_back(row);
    }
    combine(c, with);
    bind_results(s, with);
    emit(s);
  }
  // An accumulator whose operator is not + becomes one of pairs. Its versions keep their names and change their types.
  void pair_up(Stm& s, WithAcc& op) {
    std::vector<Bind> pattern;
    size_t at = 0;
    for (size_t k = 0; k < op.dests.size(); k++) {
      Dest& d = op.dests[k];
      std::vector<Bind> made(s.pattern.begin() + ptrdiff_t(at), s.pattern.begin() + ptrdiff_t(at + d.arrays.size()));
      at += d.arrays.size();
      pattern.insert(pattern.end(), made.begin(), made.end());
      bool pairs = d.combine && act_.varied(op.scope.body.result[k]) && scalar_operator(p_, *d.combine) != ScalarOp::add;
      if (!pairs) continue;
      Var token = op.scope.params[k].var;
      std::vector<bool>& with = paired_[token];
      for (size_t i = 0; i < made.size(); i++) {
        with.push_back(act_.varied(made[i].var));
        if (!with[i]) continue;
        Atom t = tangent(d.arrays[i]);
        d.arrays.push_back(zero(d.arrays[i]) ? as_var(t) : b_.copy(as_var(t)));
        Var y_tan = p_.fresh(hint(made[i].var), p_.type(made[i].var));
        pattern.push_back({y_tan});
        set(made[i].var, y_tan);
      }
      combine(*d.combine, with);
      Type type = dest_type(p_, d, token);
      for (VarInfo& info : p_.vars)
        if (auto acc = std::get_if<AccType>(&info.type); acc && acc->token == token) info.type = type;
    }
    pattern.insert(pattern.end(), s.pattern.begin() + ptrdiff_t(at), s.pattern.end());
    s.pattern = std::move(pattern);
  }
  std::unordered_map<Var, std::vector<bool>> paired_;     // by token: which of the values have tangents
  void rule(Stm& s, WithAcc& op) {
    size_t n = op.dests.size();
    pair_up(s, op);
    std::vector<size_t> doubled;
    std::vector<size_t> first(n);                         // position of a dest's arrays among the results
    size_t arrays = 0;
    for (size_t k = 0; k < n; k++) {
      first[k] = arrays;
      arrays += op.dests[k].arrays.size();
      if (!act_.varied(op.scope.body.result[k]) || paired_.contains(op.scope.params[k].var)) continue;
      doubled.push_back(k);
    }
    std::vector<Bind> tokens(op.scope.params.begin(), op.scope.params.begin() + isize(op.dests)),
        accs(op.scope.params.begin() + isize(op.dests), op.scope.params.end());
    std::vector<Bind> twin_results;
    for (size_t k : doubled) {
      Dest d = op.dests[k];
      if (d.combine) d.combine = clone(p_, *d.combine);
      for (size_t i = 0; i < d.arrays.size(); i++) {
        Atom t = tangent(d.arrays[i]);
        d.arrays[i] = zero(d.arrays[i]) ? as_var(t) : b_.copy(as_var(t));
        Var y = s.pattern[first[k] + i].var, y_tan = p_.fresh(hint(y), p_.type(y));
        twin_results.push_back({y_tan});
      }
      Var token = p_.fresh("t", CheckType{}), acc = p_.fresh(hint(accs[k].var), dest_type(p_, d, token));
      tangent_token_[tokens[k].var] = token;
      tokens.push_back({token});
      accs.push_back({acc});
      set(accs[k].var, acc);
      op.dests.push_back(std::move(d));
    }
    // scope results: accumulators, their twins, extra results, tangents of those
    std::vector<bool> with(op.scope.body.result.size());
    for (size_t k : doubled) with[k] = true;
    std::vector<bool> extra = differentiable(s), accs_around = acc_results(s);
    for (size_t i = 0; i < extra.size(); i++) extra[i] = extra[i] || accs_around[i];
    for (size_t i = n; i < with.size(); i++) with[i] = extra[arrays + i - n];
    size_t old = op.scope.body.result.size();
    extend(op.scope.body, with);
    std::vector<Atom>& r = op.scope.body.result;
    std::vector<Atom> order(r.begin(), r.begin() + isize(tokens) - isize(doubled));
    order.insert(order.end(), r.begin() + i64(old), r.begin() + i64(old + doubled.size()));
    order.insert(order.end(), r.begin() + i64(n), r.begin() + i64(old));
    order.insert(order.end(), r.begin() + i64(old + doubled.size()), r.end());
    r = std::move(order);
    tokens.insert(tokens.end(), accs.begin(), accs.end());
    op.scope.params = std::move(tokens);
    // pattern: arrays, their twins, extra results, their tangents
    std::vector<Bind> pattern(s.pattern.begin(), s.pattern.begin() + i64(arrays));
    size_t t = 0;
    for (size_t k : doubled)
      for (size_t i = 0; i < op.dests[k].arrays.size(); i++) set(s.pattern[first[k] + i].var, twin_results[t++].var);
    pattern.insert(pattern.end(), twin_results.begin(), twin_results.end());
    pattern.insert(pattern.end(), s.pattern.begin() + i64(arrays), s.pattern.end());
    for (size_t i = arrays; i < s.pattern.size(); i++) {
      if (!extra[i]) continue;
      Var y = s.pattern[i].var, y_tan = p_.fresh(hint(y), tangent_type(p_.type(y)));
      pattern.push_back({y_tan});
      set(y, y_tan);
    }
    s.pattern = std::move(pattern);
    emit(s);
  }
  void rule(Stm& s, AccUpdate op) {
    Var y = s.pattern[0].var;
    if (auto pairs = paired_.find(std::get<AccType>(p_.type(op.acc)).token); pairs != paired_.end()) {
      AccUpdate& both = std::get<AccUpdate>(s.exp);
      for (size_t i = 0; i < pairs->second.size(); i++)
        if (pairs->second[i]) both.values.push_back(tangent(op.values[i]));
      return emit(s);
    }
    emit(s);
    auto twin = tangent_token_.find(std::get<AccType>(p_.type(op.acc)).token);
    if (twin == tangent_token_.end()) return;
    AccUpdate t = op;
    t.acc = as_var(tangent(op.acc));
    for (Atom& v : t.values) v = tangent(v);
    result(y, std::move(t));
  }
  // let y = custom f x   ==>   y_tan = its rule at x, x_tan; without one for this mode: f's own tangent
  void rule(Stm& s, Custom op) {
    std::vector<Bind> ys = s.pattern;
    if (act_.mode.rule(op) && !act_.rule_sees_all(op, s.source)) return emit(s);
    emit(s);
    std::vector<Atom> tangents;
    if (op.jvp) {
      std::vector<Atom> both = op.args;
      for (const Atom& x : op.args) both.push_back(tangent(x));
      tangents = b_.inline_call(*op.jvp, both);
    } else {
      Lambda f = act_.clone(op.f);
      Subst params;
      for (size_t i = 0; i < op.args.size(); i++) params.emplace(f.params[i].var, op.args[i]);
      substitute(p_, f.body, params);
      std::vector<Atom> results = f.body.result;
      stms(std::move(f.body.stms));
      for (const Atom& y : results) tangents.push_back(tangent(y));
    }
    for (size_t i = 0; i < ys.size(); i++)
      if (act_.varied(ys[i].var)) set(ys[i].var, as_type(b_, tangents[i], p_.type(ys[i].var)));
  }
  // The operator on pairs, in the same bins; sums have sums of tangents.
  void rule(Stm& s, Hist& op) {
    CHECK(op.dests.size() == 1 && is_identity(op.pre), "a histogram that was not prepared is differentiated");
    Dest& d = op.dests[0];
    size_t k = d.arrays.size(), rank = size_t(d.rank);
    std::vector<bool> with = differentiable(s);
    auto twin = [&](Var x) { return zero(x) ? as_var(tangent(x)) : b_.copy(as_var(tangent(x))); };
    if (pointwise_operator(p_, d.combine->op) == ScalarOp::add) {
      Hist sum = clone(p_, op);
      sum.dests[0].arrays[0] = twin(d.arrays[0]);
      sum.inputs[rank] = as_var(tangent(op.inputs[rank]));
      Var y = s.pattern[0].var;
      emit(s);
      return result(y, std::move(sum));
    }
    for (size_t i = 0; i < k; i++) {
      if (!with[i]) continue;
      d.arrays.push_back(twin(d.arrays[i]));
      Var row = op.pre.params[rank + i].var, t = p_.fresh(hint(row), p_.type(row));
      op.inputs.push_back(as_var(tangent(op.inputs[rank + i])));
      op.pre.params.push_back({t});
      op.pre.body.result.push_back(t);
    }
    combine(*d.combine, with);
    bind_results(s, with);
    emit(s);
  }
  void rule(Stm& s, Call& op) {
    std::vector<bool> args;
    std::vector<Atom> tangents;
    for (const Atom& x : op.args) {
      args.push_back(!zero(x));
      if (args.back()) tangents.push_back(tangent(x));
    }
    std::vector<bool> results = act_.functions.varied(op.callee, args, act_.mode);
    if (std::ranges::none_of(results, std::identity())) return emit(s);
    op.callee = forward_function(act_.functions, op.callee, args, act_.mode);
    op.args.insert(op.args.end(), tangents.begin(), tangents.end());
    bind_results(s, results);
    emit(s);
  }
  // Never varied, or gone before differentiation.
  template <class Op> requires(std::is_same_v<Op, Assert> || std::is_same_v<Op, Scratch> || std::is_same_v<Op, Data> ||
                               std::is_same_v<Op, Jvp> || std::is_same_v<Op, Vjp> || std::is_same_v<Op, Seg> ||
                               std::is_same_v<Op, Tunable> || std::is_same_v<Op, Alloc>)
  void rule(Stm&, Op&) { PANIC("`{}` under differentiation", Op::name); }
};

// The body of f with parameters `tangents` of what varies. The tangents of these results come after its own.
Body forward_body(Functions& functions, const Mode& mode, Lambda f, const std::vector<bool>& args,
                  const std::vector<Var>& tangents, const std::vector<bool>& results) {
  Program& p = functions.program;
  Activity act(functions, mode);
  drop_rules(p, f.body, mode);
  prepare(p, f, nullptr);
  act.analyse(f, args);
  Body body;
  Builder b(p, body.stms);
  Forward forward(act, b);
  auto next = tangents.begin();
  for (size_t i = 0; i < args.size(); i++)
    if (args[i]) forward.set(f.params[i].var, *next++);
  body.result = f.body.result;
  forward.stms(std::move(f.body.stms));
  for (size_t i = 0; i < results.size(); i++) {
    if (!results[i]) continue;
    Atom r = f.body.result[i], t = as_type(b, forward.tangent(r), p.type(r));
    body.result.push_back(is_array(p.type(t)) ? Atom(b.copy(*var_of(t))) : t);   // not what the caller gave
  }
  guard_no_flow(p, body, tangents, mode.enclosed);
  return body;
}

FunId forward_function(Functions& functions, FunId f, const std::vector<bool>& args, const Mode& mode) {
  const Functions::Key key{f, args, {}, mode};
  if (auto known = functions.derived(key)) return *known;
  Program& program = functions.program;
  std::vector<bool> results = functions.varied(f, args, mode);
  Subst renamed;
  Lambda l = clone(program, program.functions[f.index].lambda, &renamed);
  std::vector<Type> returns = functions.returns(f, renamed);
  for (size_t i = 0, n = returns.size(); i < n; i++)
    if (results[i]) returns.push_back(Type(returns[i]));
  std::vector<Var> tangents;
  std::vector<Bind> params = l.params;
  for (size_t i = 0; i < args.size(); i++) {
    if (!args[i]) continue;
    tangents.push_back(program.fresh(program.hint(l.params[i].var) + "_tan", program.type(l.params[i].var)));
    params.push_back({tangents.back()});
  }
  FunId id = functions.declare(key, "_fwd", std::move(params), std::move(returns));
  Body body = forward_body(functions, mode, std::move(l), args, tangents, results);
  program.functions[id.index].lambda.body = std::move(body);
  return id;
}

// The results of the operator, then their tangents.
std::vector<Atom> tangents_of(Builder& b, Functions& functions, Jvp op, const Zeros& zeros, bool enclosed) {
  Program& p = b.program;
  Activity act(functions, {true, enclosed});
  drop_rules(p, op.f.body, act.mode);
  prepare(p, op.f, nullptr);
  std::vector<bool> varied;
  for (size_t i = 0; i < op.at.size(); i++)
    varied.push_back((is_scalar(p.type(op.at[i])) || is_array(p.type(op.at[i]))) && !zeros.contains(op.tangents[i]));
  act.analyse(op.f, varied);
  Forward forward(act, b);
  Subst params;
  for (size_t i = 0; i < op.at.size(); i++) {
    Var v = b.bind1(p.hint(op.f.params[i].var), Identity{op.at[i]});
    params.emplace(op.f.params[i].var, v);
    if (!act.varied(op.f.params[i].var)) continue;
    act.mark(v);
    if (op.batch.empty()) forward.set(v, op.tangents[i]);
  }
  substitute(p, op.f.body, params);
  const std::vector<Atom> results = op.f.body.result;
  if (op.batch.empty()) {
    forward.stms(std::move(op.f.body.stms));
    std::vector<Atom> out = results;
    for (const Atom& r : results) out.push_back(forward.tangent(r));
    return out;
  }
  // The values, which are dead code if nobody wants them; then for each direction what depends on it.
  Body values = clone(p, op.f.body);
  b.emit_all(std::move(values.stms));
  std::vector<Atom> out = values.result;
  List<Stm> invariant;
  forward.hoist_to(invariant);
  std::vector<Var> tangents = each_seed(b, functions.context, op.batch, op.tangents, [&](const std::vector<Var>& rows) {
    for (size_t i = 0; i < rows.size(); i++)
      if (auto x = var_of(params.at(op.f.params[i].var)); act.varied(*x)) forward.set(*x, rows[i]);
    forward.stms(std::move(op.f.body.stms));
    std::vector<Atom> ts;
    for (size_t i = 0; i < results.size(); i++) ts.push_back(as_type(b, forward.tangent(results[i]), p.type(values.result[i])));
    return ts;
  }, &invariant);
  out.insert(out.end(), tangents.begin(), tangents.end());
  return out;
}

}  // namespace

std::vector<Atom> expand_jvp(Builder& b, Functions& functions, Jvp op, const Zeros& zeros, bool enclosed) {
  Body code = b.body([&] { return tangents_of(b, functions, std::move(op), zeros, enclosed); });
  guard_no_flow(b.program, code, {}, enclosed);
  b.emit_all(std::move(code.stms));
  return code.result;
}

}  // namespace raido::ad
