// sparse.cc - seeds that are zero but for one place (decision 030): what is computed of them is computed at that place alone.
//
//   reduce (+) 0 (map n \j -> (if j == e then f j else 0) * x)   ==>   f e * x
//   map n \j a -> upd a [g j] (if j == e then f j else 0)         ==>   upd a [g e] (f e)     a sums
//   map n \j -> (if j == e then f j else 0) * x                   ==>   v = f e * x; map n \j -> if j == e then v else 0
//   map n \i -> map m \r -> sum of (if g r == i then v r else 0) ==>   zeros [n][m], to which a map m \r adds each v r at [g r, r]
//   index (map n f) [i]                                           ==>   f i     if the map is like the last one, or nothing else is read
//
// Where it is not known that e is inside, it is asked: if 0 <= e < n. The zero may be an element of an array that is known to be zero
// but for one place. Such an array was made by such a map, or is an array of zeros with one update. Maps that fail or call functions
// stay. As with triangles (patterns.cc), an infinity beside a zero does not become a NaN, so --fp-strict keeps products.
#include "passes/sparse/sparse.h"

#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/facts.h"
#include "compiler/ir/analysis/flow.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "passes/cleanup/dce.h"
#include "passes/sparse/one_place.h"

namespace raido {
namespace {

using namespace ir;

class Sparse {
 public:
  // `whole`: the program is complete, so it is known what is consumed. Otherwise the code is made for a guess, and never runs.
  Sparse(Program& p, PassContext& context, bool whole) : p_(p), context_(context), guess_(!whole), facts_(p), known_(p, context.options.strict_fp) {
    if (guess_) return;
    aliases_.emplace(p);
    own_ = aliases_->own_memory();
  }
  bool run() {
    p_.each_body([&](const Body& b) { uses_.add(p_, b); });
    for (Function& f : p_.functions) for (Bind b : f.lambda.params) facts_.bound(b.var);
    p_.each_body([&](Body& b) { body(b); });
    return changed_;
  }
  bool run(Lambda& f, const Definitions& outside) {
    for (Var v : free_vars(p_, f))
      if (const Stm* s = outside.of(v); s && kind_of(s->exp) == Kind::Make) known_.note(*s, f.body);
    uses_.add(p_, f.body);
    for (Bind b : f.params) facts_.bound(b.var);
    body(f.body);
    return changed_;
  }
  // Whether each result is a nest of sums whose summands have one place each in the map around.
  bool sums_of_places(const Lambda& f) const {
    return std::ranges::all_of(f.body.result, [&](const Atom& r) {
      return std::ranges::any_of(f.params, [&](Bind i) { return place_of_sums(i.var, r); });
    });
  }
  // How many parallel operations and loops with something in `varies` are around another, without maps of one element.
  size_t depth(const Body& b, const VarSet& varies) const {
    size_t most = 0;
    for (const Stm& s : b.stms) {
      if (std::ranges::all_of(s.pattern, [&](Bind x) { return known_.is_single(x.var); })) continue;
      size_t inner = 0;
      walk_parts(s, [&](const Body& part) { inner = std::max(inner, depth(part, varies)); });
      Kind kind = kind_of(s.exp);
      bool repeats = kind == Kind::Parallel || kind == Kind::Loop || kind == Kind::Call;
      if (repeats && std::ranges::any_of(s.pattern, [&](Bind x) { return varies.contains(x.var); })) inner++;
      most = std::max(most, inner);
    }
    return most;
  }

 private:
  Program& p_;
  PassContext& context_;
  bool guess_;
  std::optional<Aliases> aliases_;
  VarSet own_;                                           // roots whose memory is consumed
  Facts facts_;
  Uses uses_;
  OnePlace known_;
  bool changed_ = false;

  void body(Body& whole) {
    size_t seen = 0;
    auto note_new = [&] {
      for (; seen < whole.stms.size(); seen++) {
        const Stm& s = whole.stms[seen];
        known_.note(s, whole);
        for (Bind x : s.pattern) facts_.bound(x.var), facts_.define(x.var, s.exp);
      }
    };
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      note_new();
      known_.enter(s);
      facts_.in_bodies(s, [&](Body& inner) { body(inner); });
      known_.visited(s);
      b.checks = s.checks;
      if (auto x = std::get_if<Index>(&s.exp)) return element(b, s, *x, whole, results);
      if (auto x = std::get_if<Screma>(&s.exp)) return restrict(b, s, *x, results) || scatter(b, s, *x, results);
      return false;
    });
    note_new();
  }

  static bool may_fail(const Body& b) {
    bool fails = false;
    each_stm(b, [&](const Stm& s) {
      Kind kind = kind_of(s.exp);
      fails = fails || kind == Kind::Check || kind == Kind::Call || kind == Kind::Operator || std::holds_alternative<While>(s.exp);
    });
    return fails;
  }

  // ---- rewriting ----

  // An element of a map, computed where it is read.
  bool element(Builder& b, Stm& s, Index& x, const Body& here, Subst& results) {
    const Stm* found = known_.made().of(x.array);
    auto map = known_.made().get<Screma>(x.array);
    if (!map || !is_map(*map) || may_fail(map->pre.body)) return false;
    if (!known_.is_single(x.array) && (uses_.of(x.array) != 1 || !known_.is_made_in(x.array, here))) return false;
    if (is_array(p_.type(s.pattern[0].var)) && is_consumed(s.pattern[0].var)) return false;
    std::vector<Atom> at;
    for (const Selector& each : x.at) {
      auto a = std::get_if<Atom>(&each);
      if (!a) return false;
      at.push_back(*a);
    }
    // What it reads is still there.
    if (std::ranges::any_of(free_vars(p_, found->exp), [&](Var v) { return is_acc(p_.type(v)) || (is_array(p_.type(v)) && is_consumed(v)); })) return false;
    if (!context_.allow()) return false;
    b.checks.insert(b.checks.end(), found->checks.begin(), found->checks.end());
    Lambda f = clone(p_, map->pre);
    f.body.result = {f.body.result[number_of(*found, x.array)]};
    Atom value = at_index(b, std::move(f), map->inputs, at[0])[0];
    if (at.size() > 1) value = b.index(p_.hint(s.pattern[0].var), *var_of(value), {at.begin() + 1, at.end()});
    results.emplace(s.pattern[0].var, value);
    return done("sparse.element");
  }
  bool takes_accumulators(const Screma& x) const { return std::ranges::any_of(x.inputs, [&](Var v) { return is_acc(p_.type(v)); }); }
  bool is_consumed(Var v) const { return aliases_ && aliases_->has_root_in(v, own_); }
  bool done(const char* rule) {
    context_.stats.count(rule);
    return changed_ = true;
  }
  std::vector<Atom> at_index(Builder& b, Lambda f, const std::vector<Var>& inputs, const Atom& e) {
    keep_needed(p_, f.body);
    std::vector<Atom> elements;
    for (size_t k = 0; k < inputs.size(); k++) {
      if (is_acc(p_.type(inputs[k]))) elements.push_back(inputs[k]);
      else if (known_.is_counting(inputs[k])) elements.push_back(e);
      else elements.push_back(b.index(p_.hint(f.params[k].var), inputs[k], {e}));
    }
    for (Stm& s : f.body.stms) s.checks.insert(s.checks.end(), b.checks.begin(), b.checks.end());
    return b.inline_once(std::move(f), elements);
  }

  bool restrict(Builder& b, Stm& s, Screma& x, Subst& results) {
    if (!is_plain(x) || may_fail(x.pre.body) || (aliases_ && !aliases_->consumed(s).empty())) return false;
    OnePlace::Look look(x);
    const size_t n = s.pattern.size(), reduced = width_of(x.reduces);
    auto accumulates = [&](size_t k) { return is_acc(p_.type(s.pattern[k].var)); };
    std::vector<Places> places(n);
    std::vector<Atom> candidates;
    for (size_t k = reduced; k < n; k++) {
      const Atom& r = x.pre.body.result[k];
      if (accumulates(k)) places[k] = known_.updates(look, r);
      else if (is_array(p_.type(s.pattern[k].var)) && !known_.is_single(look, r)) places[k] = known_.where(look, r);
    }
    size_t at = 0;
    for (const Combine& c : x.reduces) {
      Places all{true};
      for (size_t k = 0; k < c.neutral.size(); k++) all = known_.is_zero_outside(c.neutral[k]) ? common(all, known_.where(look, x.pre.body.result[at + k])) : Places{};
      for (size_t k = 0; k < c.neutral.size(); k++) places[at++] = all;
    }
    for (const Places& each : places) candidates.insert(candidates.end(), each.at.begin(), each.at.end());
    if (candidates.empty() || !context_.allow()) return false;
    auto count = [&](const Atom& e) { return std::ranges::count_if(places, [&](const Places& each) { return each.has(e); }); };
    const Atom e = *std::ranges::max_element(candidates, {}, count);
    std::vector<bool> one(n);
    bool all = count(e) == isize(places);
    if (!all && takes_accumulators(x)) return false;     // code that is there twice updates them twice
    for (size_t k = 0; k < n; k++) one[k] = places[k].has(e);
    std::vector<Atom> values = at_place(b, s, x, one, e);
    size_t next = 0;
    for (size_t k = 0; k < n; k++) {
      if (!one[k]) continue;
      Atom v = values[next++];
      if (k >= reduced && !accumulates(k)) v = single(b, p_.hint(s.pattern[k].var), x.width, e, v);
      else if (is_array(p_.type(s.pattern[k].var))) v = b.copy(*var_of(v));        // it may be a row of what is consumed later
      if (auto made = var_of(v); made && !guess_) context_.note(p_, *made, {Note::Kind::Place, s.source, ""});
      results.emplace(s.pattern[k].var, v);
    }
    done("sparse.place");
    if (all) return true;
    keep_rest(s, x, one);
    return false;
  }
  // These results at index e; neutral elements, zeros, accumulators as they were, if there is no such index.
  std::vector<Atom> at_place(Builder& b, const Stm& s, const Screma& x, const std::vector<bool>& one, const Atom& e) {
    Lambda f = clone(p_, x.pre);
    std::vector<Atom> some;
    std::vector<size_t> numbers;
    for (size_t k = 0; k < one.size(); k++) if (one[k]) some.push_back(f.body.result[k]), numbers.push_back(k);
    f.body.result = some;
    auto less_equal = facts_.less_equal(i64_const(0), e), less = facts_.less(e, x.width);
    auto there = [&] { return at_index(b, std::move(f), x.inputs, e); };
    if (less_equal.value_or(false) && less.value_or(false)) return there();
    auto nothing = [&] {
      std::vector<Atom> out;
      for (size_t k : numbers) {
        const Type& t = p_.type(s.pattern[k].var);
        auto acc = std::get_if<AccType>(&t);
        auto same = [&](Var v) { auto of = std::get_if<AccType>(&p_.type(v)); return acc && of && of->token == acc->token; };
        out.push_back(acc ? Atom(*std::ranges::find_if(x.inputs, same)) : b.zero(k < width_of(x.reduces) ? t : row_type(t)));
      }
      return out;
    };
    Term first = le(b.term(i64_const(0)), b.term(e)), last = lt(b.term(e), b.term(x.width));
    Term inside = and_(first, last);
    Body yes = b.body(there), no = b.body(nothing);
    std::vector<Var> out = b.bind("v", If{inside.atom, std::move(yes), std::move(no)});
    return {out.begin(), out.end()};
  }
  Var single(Builder& b, const std::string& hint, const Dim& n, const Atom& e, const Atom& v) {
    Lambda f = b.lambda({{"j", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& j) { return std::vector<Atom>{chosen(b, eq(b.term(j[0]), b.term(e)), v)}; });
    return b.map(hint, n, std::move(f), {b.iota(n)})[0];
  }
  Atom chosen(Builder& b, const Term& here, const Atom& v) {
    if (is_scalar(p_.type(v))) return select({here, b.term(v), b.number(elem_of(p_, v), 0)}).atom;
    Var rows = *var_of(v);
    Lambda f = b.lambda({{p_.hint(rows), row_type(p_.type(rows))}}, [&](const std::vector<Var>& row) { return std::vector<Atom>{chosen(b, here, row[0])}; });
    return b.map(p_.hint(rows), shape_of(p_.type(rows))[0], std::move(f), {rows})[0];
  }
  void keep_rest(Stm& s, Screma& x, const std::vector<bool>& gone) {
    size_t at = 0;
    std::erase_if(x.reduces, [&](const Combine& c) { at += c.neutral.size(); return gone[at - 1]; });
    auto drop = [&](auto& list) {
      size_t k = 0;
      std::erase_if(list, [&](const auto&) { return gone[k++]; });
    };
    drop(s.pattern), drop(x.pre.body.result);
    keep_needed(p_, x.pre.body);
  }

  // ---- sums of summands that have a place each ----

  const Var* place(const Var& i, const Atom& c) const {    // g == i
    auto x = known_.made().get<Apply>(c);
    return x && x->op == ScalarOp::eq && (x->args[0] == Atom(i)) != (x->args[1] == Atom(i)) ? var_of(c) : nullptr;
  }
  // The condition g == i without which a summand is zero.
  const Var* place_of_summand(const Var& i, const Atom& a) const {
    const Stm* s = known_.made().of(a);
    if (!s) return guess_ ? place_of_element(i, a) : nullptr;
    if (auto x = std::get_if<Identity>(&s->exp)) return place_of_summand(i, x->value);
    if (auto x = std::get_if<Convert>(&s->exp)) return elem_of(p_, x->value) == Scalar::Bool ? place(i, x->value) : place_of_summand(i, x->value);
    auto x = std::get_if<Apply>(&s->exp);
    if (!x) return nullptr;
    bool exact = !is_float(elem_of(p_, x->args[0])) || !context_.options.strict_fp;
    auto arg = [&](size_t k) { return place_of_summand(i, x->args[k]); };
    switch (x->op) {
      case ScalarOp::select: return known_.is_zero_outside(x->args[2]) ? place(i, x->args[0]) : nullptr;
      case ScalarOp::neg: return arg(0);
      case ScalarOp::mul: return !exact ? nullptr : arg(0) ? arg(0) : arg(1);
      default: return nullptr;
    }
  }
  // Of an element of an array that is still made by a map of its own: they will fuse.
  const Var* place_of_element(const Var& i, const Atom& a) const {
    const Var* array = var_of(a) ? known_.source(*var_of(a)) : nullptr;
    auto map = array ? known_.made().get<Screma>(*array) : nullptr;
    return map && is_map(*map) ? place_of_summand(i, map->pre.body.result[number_of(*known_.made().of(*array), *array)]) : nullptr;
  }
  // The same for the sums in nested maps.
  const Var* place_of_sums(const Var& i, const Atom& a) const {
    const Stm* s = known_.made().of(a);
    if (!s) return nullptr;
    size_t number = number_of(*s, *var_of(a));
    if (auto loop = std::get_if<For>(&s->exp)) {
      auto next = loop->state.size() == 1 ? summand(*loop) : nullptr;
      return next ? place_of_summand(i, *next) : nullptr;
    }
    auto x = std::get_if<Screma>(&s->exp);
    if (!x || !is_plain(*x) || takes_accumulators(*x)) return nullptr;
    const Atom& r = x->pre.body.result[number];
    if (number >= width_of(x->reduces)) return is_array(p_.type(*var_of(a))) ? place_of_sums(i, r) : nullptr;
    size_t at = 0;
    for (const Combine& c : x->reduces) {
      if (at == number) return scalar_operator(p_, c) == ScalarOp::add && c.shape.empty() && known_.is_zero_outside(c.neutral[0]) ? place_of_summand(i, r) : nullptr;
      at += c.neutral.size();
    }
    return nullptr;
  }
  // What each iteration adds to the state, which begins as zero and is not read otherwise.
  const Atom* summand(const For& loop) const {
    auto sum = known_.made().get<Apply>(loop.body.result[0]);
    Atom state = loop.state[0].var;
    if (!sum || sum->op != ScalarOp::add || !known_.is_zero_outside(loop.init[0]) || count_uses(p_, loop.body, loop.state[0].var) != 1) return nullptr;
    return sum->args[0] == state ? &sum->args[1] : sum->args[1] == state ? &sum->args[0] : nullptr;
  }
  bool scatter(Builder& b, Stm& s, Screma& x, Subst& results) {
    if (!is_map(x) || takes_accumulators(x)) return false;
    for (size_t k = 0; k < s.pattern.size(); k++) {
      for (size_t i = 0; i < x.inputs.size(); i++) {
        const Var* condition = known_.is_counting(x.inputs[i]) ? place_of_sums(x.pre.params[i].var, x.pre.body.result[k]) : nullptr;
        if (!condition || !context_.allow()) continue;
        std::optional<Exp> scope;
        Body zeros = b.body([&] {
          scope = scattered(b, x, k, i, *condition);
          return std::vector<Atom>{};
        });
        if (!scope) continue;
        b.emit_all(std::move(zeros.stms));
        b.checks = s.checks;
        Var sum = b.bind1(p_.hint(s.pattern[k].var), std::move(*scope));
        if (!guess_) context_.note(p_, sum, {Note::Kind::Places, s.source, ""});
        results.emplace(s.pattern[k].var, sum);
        std::vector<bool> gone(s.pattern.size());
        gone[k] = true;
        keep_rest(s, x, gone);
        done("sparse.scatter");
        return s.pattern.empty();
      }
    }
    return false;
  }
  // Zeros, to which the nest of result k adds each summand at its place; none if the nest depends on more of the map around.
  std::optional<Exp> scattered(Builder& b, const Screma& x, size_t k, size_t i, Var condition) {
    Subst renamed;
    Lambda f = clone(p_, x.pre, &renamed);
    for (const Stm& s : f.body.stms) known_.note(s, f.body);
    Var c = *var_of(renamed.at(condition)), counter = f.params[i].var;
    const Apply& same = *known_.made().get<Apply>(c);
    const Atom place = same.args[same.args[0] == Atom(counter)];
    Atom result = f.body.result[k];
    substitute(p_, f.body, {{c, bool_const(true)}});
    VarSet params;
    for (Bind p : f.params) params.insert(p.var);
    bool fails = may_fail(f.body);
    std::vector<Dim> shape = shape_of(p_.type(result));
    shape.insert(shape.begin(), x.width);
    Scalar t = elem_of(p_, result);
    Var zeros = *var_of(b.replicate(shape, constant(t, 0)));
    WithAcc scope;
    scope.dests.push_back({{zeros}, int(shape.size()), b.combine(ScalarOp::add, t, 0)});
    Var token = p_.fresh("t", CheckType{}), acc = p_.fresh("acc", dest_type(p_, scope.dests[0], token));
    scope.scope.params = {{token}, {acc}};
    auto nest = [&] { return std::vector<Atom>{into(b, std::move(f.body), result, acc, {place})}; };
    scope.scope.body = b.body([&] {
      if (!fails) return nest();
      Term some = lt(b.term(i64_const(0)), b.term(x.width));               // where nothing ran nothing may fail
      Body yes = b.body(nest);
      return std::vector<Atom>{b.bind("acc", If{some.atom, std::move(yes), Body{{}, {acc}}})[0]};
    });
    drop_unused(p_, context_, scope.scope.body);
    if (mentions(p_, scope.scope.body, params)) return {};
    return Exp{std::move(scope)};
  }
  Atom into(Builder& b, Body body, const Atom& result, Var acc, std::vector<Atom> at) {
    std::unique_ptr<Stm> last;
    for (auto& s : body.stms.take()) {
      if (binds(*s, result)) last = std::move(s);
      else b.emit(std::move(s));
    }
    size_t number = number_of(*last, *var_of(result));
    Var inner = p_.fresh("acc", p_.type(acc));
    auto update = [&](const Atom& value) { return std::vector<Atom>{b.bind1("acc", AccUpdate{inner, at, {value}})}; };
    std::vector<Var> checks = std::exchange(b.checks, {});
    Exp nest;
    if (auto loop = std::get_if<For>(&last->exp)) {
      Atom value = *summand(*loop);
      loop->state = {{inner}};
      loop->init = {acc};
      loop->any_order = {};
      loop->body = b.body([&] {
        for (auto& s : loop->body.stms.take()) if (!binds(*s, loop->body.result[0])) b.emit(std::move(s));
        return update(value);
      });
      nest = std::move(*loop);
    } else {
      Screma x = std::move(std::get<Screma>(last->exp));
      Atom value = x.pre.body.result[number];
      bool sum = number < width_of(x.reduces);
      if (!sum) {
        Var i = p_.fresh("i", scalar_type(Scalar::I64));
        x.pre.params.push_back({i});
        x.inputs.push_back(b.iota(x.width));
        at.push_back(i);
      }
      x.pre.params.push_back({inner});
      x.inputs.push_back(acc);
      x.pre.body = b.body([&] {
        if (!sum) return std::vector<Atom>{into(b, std::move(x.pre.body), value, inner, at)};
        b.emit_all(std::move(x.pre.body.stms));
        return update(value);
      });
      x.reduces = {};
      nest = std::move(x);
    }
    b.checks = last->checks;
    Atom out = b.bind("acc", std::move(nest))[0];
    b.checks = std::move(checks);
    return out;
  }
};

}  // namespace

void sparse(ir::Program& program, PassContext& context) {
  for (int round = 0; round < costs::ad::sparse_rounds && Sparse(program, context, true).run(); round++) {}
}

bool is_sparse(ir::Program& program, PassContext& context, const ir::Lambda& f, const ir::Definitions& outside) {
  std::vector<ir::Var> params;
  ir::Lambda copy = clone(program, f);
  for (ir::Bind b : copy.params) params.push_back(b.var);
  auto depth = [&](const Sparse& pass) {
    auto everywhere = [](ir::Flow) { return true; };
    return pass.depth(copy.body, ir::reached<ir::Operators::Whole>(program, copy.body, params, everywhere));
  };
  size_t before = depth(Sparse(program, context, false));
  for (int round = 0; round < costs::ad::sparse_rounds; round++) {
    Sparse pass(program, context, false);
    bool more = pass.run(copy, outside);
    drop_unused(program, context, copy.body);
    if (!more) return depth(pass) < before || pass.sums_of_places(copy);
  }
  return false;
}

}  // namespace raido
