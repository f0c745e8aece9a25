// flatten.cc - Core to Parallel for devices: nests of scremas become grid segs over the whole nest (decision 005).
//
// A nest has index variables, and a prefix of light statements that every point repeats (nests.h). The statements of a body
// are taken in order; what is neither light nor parallel gathers in a group. The rules F0 and F9 of groups are in nests.cc.
//
//   F1   reduce, F2 scan, F3 hist                seg with the same parts, over the nest and their own width
//   F4   map                                     its index joins the nest
//   F6   several of these in one body            one after the other
//   F7   for loop around parallel code           a loop of segs, its state arrays over the nest
//   F8   if with a condition from outside        an if around segs
//   F10  with_acc around parallel code           accumulates in the arrays of the whole nest, at indices that begin with
//                                                the nest's
//   F12  update of a row by a row                the same for all points at once
//   F25  map of a length that varies, below an   its updates are a loop that does nothing but accumulate (F13), if their values are light; the
//        extent, which accumulates beside more   rest stays
//   F26  loop around parallel code, beside       versions of its own (below)
//        updates of arrays from outside
//   F27  reductions of rows over what            each element in one thread, where there are many and each is of a few others; else the elements
//        reductions make                         become an array first
//   F13  loop that does nothing but accumulate   a map; its length may vary below the extent of an index: then the extent
//                                                is the width and a guard stands around the body
//   F28  reduction of a row whose length          where there are few rows, one of the greatest length, whose further elements are neutral. Not in
//        varies below extents of the nest        loops, where a kernel in each iteration is seldom worth it
//   F23  assertion that is the same everywhere   the same before the nest, where it has points: a row of a negative length has no
//                                                point that could fail
//   F24  other assertions before rows            the body is sequential where the rows are empty: they have no point that could fail. Not
//                                                yet where the body accumulates into arrays from outside, or where a loop runs 0 times
//
// A map around such code has two versions: `outer` runs the body sequentially, where the nest has many points and the body
// loops or its rows are short. So it is where a loop has few elements in each iteration, less than the launch of a kernel is worth. `flat` goes on.
// Only `flat` is made where the body accumulates into arrays from outside: there the nest's shape decides
// whether updates collide (accumulators.cc). What cannot be distributed (sizes that vary, operators that vary) is
// sequential code of a group.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/parallel/nests.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Flatten : NestBuilder {
 public:
  Flatten(Program& p, PassContext& c) : NestBuilder(p, c) {}

  // Code outside all nests.
  void body(Body& b) {
    Builder out(p_, b.stms);
    out.into(b, [&](List<Stm>& old) {
      out_ = &out;
      for (auto& s : old.take()) {
        if (std::holds_alternative<Screma>(s->exp) || std::holds_alternative<Hist>(s->exp)) {
          whole_nest(*s);
        } else {
          walk_parts(*s, [&](Body& inner) { body(inner); });
          out_ = &out;
          out.emit(std::move(s));
        }
      }
    });
  }

 private:
  void whole_nest(Stm& s) {
    regular_.enter(s);
    Stm copy = s;
    copy.exp = clone(p_, s.exp);
    regular_.add(copy.exp);
    regular_.sequential = !c_.allow();
    irregular_ = false;
    List<Stm> made;
    Builder inside(p_, made);
    inside.source = s.source;
    Builder* saved = std::exchange(out_, &inside);
    MapNest none;
    parallel(none, s);
    if (irregular_) {
      c_.stats.count("flatten.irregular");
      made = {};
      regular_.sequential = true;
      irregular_ = false;
      parallel(none, copy);
      CHECK(!irregular_, "a map of sequential code is irregular");
    }
    out_ = saved;
    out_->emit_all(std::move(made));
  }

  // ---- the statements of a nest, in order ----

  std::vector<Atom> statements(MapNest nest, Body b) {
    nest.fresh = {};
    if (!regular_.sequential) updates_apart(nest, b);
    const bool updates = regular_.updates_outside(b);
    const LastUses last_use(p_, b.stms, b.result);
    std::vector<std::unique_ptr<Stm>> stms = b.stms.take();
    List<Stm> group;
    VarSet waiting;                           // bound in the group
    for (size_t k = 0; k < stms.size() && !irregular_; k++) {
      Stm& s = *stms[k];
      substitute(p_, s, nest.accs);
      if (regular_.is_parallel(s)) {
        flush(nest, group, last_use, k);
        waiting = {};
        substitute(p_, s, nest.accs);         // the group may have made new versions
        updates && iterates(s) ? apart(nest, s) : parallel(nest, s);
        continue;
      }
      if (asserted_before(nest, s) || (group.empty() && row_updated(nest, s)) || filled_before(nest, s, group, stms)) continue;
      bool waits = !regular_.is_light(nest.operations, s) || mentions(p_, s, waiting);
      if (!waits) { add(nest, std::move(s)); continue; }
      for (Bind v : s.pattern) waiting.insert(v.var);
      group.push_back(std::move(s));
    }
    substitute(p_, b.result, nest.accs);
    return over_nest(nest, b.result, group);
  }
  // F26.
  void apart(MapNest& nest, Stm& s) {
    const std::vector<Bind> pattern = s.pattern;
    const Source source = s.source;
    Body one;
    for (Bind v : pattern) one.result.push_back(v.var);
    one.stms.push_back(std::move(s));
    if (regular_.updates_outside(one)) return parallel(nest, one.stms[0]);
    c_.stats.count("flatten.F26");
    std::vector<Atom> made = versions(nest, std::move(one));
    if (!irregular_) name_all(nest, pattern, made, source);
  }
  // F25.
  void updates_apart(const MapNest& nest, Body& b) {
    List<Stm> out;
    for (auto& s : b.stms.take()) {
      auto x = std::get_if<Screma>(&s->exp);
      auto loop = x ? updates_of(nest, *s, *x) : std::nullopt;
      if (!loop) { out.push_back(std::move(s)); continue; }
      c_.stats.count("flatten.F25");
      regular_.add(*loop);
      out.push_back(std::move(*loop));
      std::vector<Bind> rest;
      for (Bind v : s->pattern) if (!is_acc(p_.type(v.var))) rest.push_back(v);
      if (rest.empty()) continue;
      std::erase_if(x->pre.body.result, [&](const Atom& a) { return is_acc(p_.type(a)); });
      keep_needed(p_, x->pre.body);
      for (size_t k = x->inputs.size(); k-- > 0;)
        if (count_uses(p_, x->pre.body, x->pre.params[k].var) == 0) {
          x->inputs.erase(x->inputs.begin() + i64(k));
          x->pre.params.erase(x->pre.params.begin() + i64(k));
        }
      s->pattern = std::move(rest);
      out.push_back(std::move(s));
    }
    b.stms = std::move(out);
  }
  // The loop that accumulates what the map does, if light statements make the values and nothing else is in it.
  std::optional<Stm> updates_of(const MapNest& nest, const Stm& s, const Screma& x) {
    const bool accumulates = std::ranges::any_of(x.inputs, [&](Var v) { return is_acc(p_.type(v)); });
    if (!accumulates || !regular_.varies(x.width) || !regular_.bound_of(x.width) || !x.scans.empty() || !identity_post(x) || !x.post_reduces.empty()) return {};
    const Screma own = clone(p_, x);
    Body code = own.pre.body;
    std::erase_if(code.result, [&](const Atom& a) { return !is_acc(p_.type(a)); });
    keep_needed(p_, code);
    bool light = true;
    each_stm(code, [&](const Stm& inner) { light = light && (std::holds_alternative<AccUpdate>(inner.exp) || regular_.is_light(nest.operations, inner)); });
    if (!light) return {};
    Stm made{{}, For{}, s.checks, s.source, {}};
    For loop{{p_.fresh("i", scalar_type(Scalar::I64))}, x.width, {}, {}, {}};
    Builder b(p_, loop.body.stms);
    b.source = s.source;
    for (size_t k = 0; k < x.inputs.size(); k++) {
      const Bind param = own.pre.params[k];
      if (!is_acc(p_.type(param.var))) {
        if (regular_.forms().counts(x.inputs[k])) substitute(p_, code, Subst{{param.var, loop.i.var}});
        else b.emit({{param}, Index{x.inputs[k], {Atom(loop.i.var)}}, {}, s.source, {}});
        continue;
      }
      loop.state.push_back(param);
      loop.init.push_back(x.inputs[k]);
      auto same = [&](const auto& other) { return std::get<AccType>(p_.type(other)).token == std::get<AccType>(p_.type(param.var)).token; };
      for (Bind v : s.pattern) if (is_acc(p_.type(v.var)) && same(v.var)) made.pattern.push_back(v);
      for (const Atom& a : code.result) if (same(a)) loop.body.result.push_back(a);
    }
    b.emit_all(std::move(code.stms));
    keep_needed(p_, loop.body);
    made.exp = std::move(loop);
    return made;
  }
  // F12.
  bool row_updated(MapNest& nest, Stm& s) {
    auto x = std::get_if<Update>(&s.exp);
    if (!x || nest.index.empty() || regular_.sequential || !is_array(p_.type(x->value)) || regular_.has_varying_shape(p_.type(x->value))) return false;
    bool same = true;
    walk(x->at, [&](const Atom& a) { same = same && !regular_.varies(a); });
    for (Var check : s.checks) same = same && !regular_.varies(check);
    auto rows = whole(nest, x->array);
    if (!same || !rows) return false;
    c_.stats.count("flatten.F12");
    std::vector<Selector> at;
    for (const Dim& d : nest.extent) at.push_back(Slice{i64_atom(0), d, i64_atom(1)});
    at.insert(at.end(), x->at.begin(), x->at.end());
    auto known = whole(nest, *var_of(x->value));
    Atom value = known ? Atom(*known) : over_nest(nest, {x->value})[0];
    if (irregular_) return true;
    out_->source = s.source;
    out_->checks = s.checks;
    Var made = out_->bind1(p_.hint(s.pattern[0].var), Update{*rows, std::move(at), value});
    out_->checks = {};
    name(nest, s.pattern[0].var, made, s.source);
    return true;
  }
  // F9, of a row that the body updates afterwards. A fill needs no proof that the update has.
  bool filled_before(MapNest& nest, Stm& s, const List<Stm>& group, const std::vector<std::unique_ptr<Stm>>& body) {
    auto x = std::get_if<Replicate>(&s.exp);
    if (!x || nest.index.empty() || regular_.sequential) return false;
    const Stm* update = nullptr;                           // maybe in a branch
    auto look = [&](const Stm& other) {
      auto u = std::get_if<Update>(&other.exp);
      if (u && u->array == s.pattern[0].var) update = &other;
    };
    for (const auto& other : body) {
      look(*other);
      if (auto branch = std::get_if<If>(&other->exp)) for (const Body* way : {&branch->then_, &branch->else_}) each_stm(*way, look);
    }
    if (!update) return false;
    std::erase_if(s.checks, [&](Var check) { return std::ranges::find(update->checks, check) != update->checks.end(); });
    auto from = spread_from(s, group);
    if (!from || std::ranges::all_of(x->shape, [](const Dim& d) { return const_of(d) != nullptr; })) return false;
    out_->source = s.source;
    Atom made = spread(nest, *from, shape_of(p_.type(s.pattern[0].var)));
    if (!irregular_) name(nest, s.pattern[0].var, made, s.source);
    return true;
  }
  // F23.
  bool asserted_before(const MapNest& nest, Stm& s) {
    auto x = std::get_if<Assert>(&s.exp);
    if (!x || nest.index.empty() || regular_.varies(nest.extent)) return false;
    bool same = true;
    each_use(p_, s, [&](Var v) { same = same && !regular_.varies(v); });
    if (!same) return false;
    c_.stats.count("flatten.F23");
    out_->source = s.source;
    Term holds = out_->term(x->cond);
    for (const Dim& d : nest.extent) holds = or_(holds, le(out_->term(d), out_->number(Scalar::I64, 0)));
    x->cond = holds.atom;
    regular_.remove(s.pattern[0].var);
    out_->emit(std::move(s));
    return true;
  }
  // The group is computed: costly values used by statement `next` or later become arrays over the nest; light ones that
  // hang on them are left to the prefix.
  void flush(MapNest& nest, List<Stm>& group, const LastUses& last_use, size_t next) {
    if (group.empty()) return;
    VarSet wanted;
    std::vector<Stm*> light;
    std::vector<std::pair<Var, const Stm*>> made;
    for (Stm& s : reversed(group)) {
      auto is_wanted = [&](Bind b) { return last_use.of(b.var) > next || wanted.contains(b.var); };
      if (std::none_of(s.pattern.begin(), s.pattern.end(), is_wanted)) continue;
      if (regular_.is_light(nest.operations, s)) {
        light.push_back(&s);
        each_use(p_, s, [&](Var v) { wanted.insert(v); });
      } else {
        for (Bind b : s.pattern) if (is_wanted(b)) made.push_back({b.var, &s});
      }
    }
    std::vector<Atom> results;
    std::vector<Source> sources;
    MapNest after = nest;
    for (auto [v, s] : reversed(made)) {
      auto x = std::get_if<Replicate>(&s->exp);
      if (x && !regular_.varies(x->shape) && !regular_.varies(x->value)) {
        name(after, v, out_->bind1(p_.hint(v), Replicate{lead(nest.extent, x->shape), x->value}), s->source);
      } else if (auto from = spread_from(*s, group)) {
        name(after, v, spread(nest, *from, shape_of(p_.type(v))), s->source);
      } else {
        results.push_back(v);
        sources.push_back(s->source);
      }
    }
    std::vector<Atom> arrays = points(nest, group, results);
    if (irregular_) return;
    for (size_t k = 0; k < results.size(); k++) name(after, *var_of(results[k]), arrays[k], sources[k]);
    for (Stm* s : reversed(light)) add(after, std::move(*s));
    nest = std::move(after);
    group.clear();
    c_.stats.count("flatten.F6");
  }
  static std::vector<Dim> lead(std::vector<Dim> front, const std::vector<Dim>& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
  }

  // ---- parallel statements ----

  void parallel(MapNest& nest, Stm& s) {
    out_->source = s.source;
    match(s.exp, [&](Screma& x) { screma(nest, s, x); }, [&](Hist& x) { hist(nest, s, x); },
          [&](WithAcc& x) { with_acc(nest, s, x); }, [&](For& x) { regular_.accumulates_only(x) ? accumulating(nest, s, x) : loop(nest, s, x); },
          [&](If& x) { branch(nest, s, x); }, [](auto&) { PANIC("not a parallel statement"); });
  }

  // The body at every point of the nest, flat or sequential.
  std::vector<Atom> versions(const MapNest& nest, Body b) {
    size_t loops = 0, heavy = 0;
    std::vector<Dim> widths;
    for (const Stm& s : b.stms) {
      heavy += !regular_.is_light(nest.operations, s);
      if (!regular_.is_parallel(s)) continue;
      if (auto x = std::get_if<Screma>(&s.exp)) widths.push_back(bound(x->width));
      else if (auto h = std::get_if<Hist>(&s.exp)) widths.push_back(h->width);
      else loops++;
    }
    bool perfect = loops == 0 && heavy <= 1;
    if (!regular_.contains_parallel(b) || regular_.updates_outside(b)) return statements(nest, std::move(b));
    std::optional<Term> empty = checks_nothing(b.stms, widths);
    if (!empty) empty = checks_nothing(nest.prefix, widths);
    if (perfect && !empty) return statements(nest, std::move(b));
    if (perfect) return both(nest, std::move(b), *empty);
    Term n = out_->number(Scalar::I64, 1);
    for (const Dim& d : nest.extent) n = n * out_->term(d);
    Term choice = le(out_->term(out_->bind1("many", Tunable{"outer", "threshold", i64_atom(costs::gpu::full_device)})), n);
    bool always = const_of(n.atom) && const_of(n.atom)->as_i64() >= costs::gpu::full_device, never = const_of(n.atom) && !always;
    if (loops == 0)
      for (const Dim& w : widths) {
        Term row = lt(out_->term(w), out_->number(Scalar::I64, costs::gpu::short_row));
        if (auto known = const_of(row.atom)) never |= known->as_i64() == 0;
        else choice = and_(choice, row), always = false;
      }
    if (iterates(b))
      if (auto elements = volume(b)) {
        Term few = lt(*elements, out_->number(Scalar::I64, costs::gpu::short_row));
        auto known = const_of(few.atom);
        always |= known && known->as_i64();
        never &= known && !known->as_i64();
        choice = or_(choice, few);
      }
    if (never && empty) return both(nest, std::move(b), *empty);
    if (always || never) {
      bool saved = std::exchange(regular_.sequential, !never);
      std::vector<Atom> out = statements(nest, std::move(b));
      regular_.sequential = saved;
      return out;
    }
    return both(nest, std::move(b), empty ? or_(*empty, choice) : choice);
  }
  // Whether flat code of it launches kernels in each of many iterations.
  bool iterates(const Stm& s) const {
    if (!regular_.is_parallel(s)) return false;
    return match(s.exp, [&](const For& x) { return !regular_.accumulates_only(x); }, [&](const If& x) { return iterates(x.then_) || iterates(x.else_); },
                 [&](const WithAcc& x) { return iterates(x.scope.body); }, [](const auto&) { return false; });
  }
  bool iterates(const Body& b) const { return std::any_of(b.stms.begin(), b.stms.end(), [&](const Stm& s) { return iterates(s); }); }
  // How many elements there are for the threads of a point at once, in one iteration of loops. None if that is not known outside.
  std::optional<Term> volume(const Body& b) {
    Term sum = out_->number(Scalar::I64, 0);
    for (const Stm& s : b.stms) {
      if (!regular_.is_parallel(s)) continue;
      auto elements = volume(s);
      if (!elements) return {};
      sum = sum + *elements;
    }
    return sum;
  }
  std::optional<Term> volume(const Stm& s) {
    return match(s.exp,
      [&](const Screma& x) -> std::optional<Term> {
        auto each = volume(x.pre.body);
        if (!each) return {};
        const Term width = out_->term(bound(x.width)), inside = apply(ScalarOp::max, {out_->number(Scalar::I64, 1), *each});
        return width * inside;
      },
      [&](const Hist& x) { return std::optional(out_->term(x.width)); },
      [&](const For& x) { return regular_.accumulates_only(x) ? std::nullopt : volume(x.body); },
      [&](const If& x) -> std::optional<Term> {
        auto yes = volume(x.then_), no = volume(x.else_);
        if (!yes || !no) return {};
        return *yes + *no;
      },
      [&](const WithAcc& x) { return volume(x.scope.body); }, [](const auto&) { return std::optional<Term>(); });
  }
  // Sequential code where the choice holds, else flat code.
  std::vector<Atom> both(const MapNest& nest, Body b, const Term& choice) {
    c_.stats.count("flatten.versions");
    If versions{choice.atom, {}, {}};
    Lambda copy{{}, b};
    copy = clone(p_, copy);
    regular_.add(copy);
    bool saved = std::exchange(regular_.sequential, true);
    versions.then_ = out_->body([&] { return statements(nest, std::move(copy.body)); });
    regular_.sequential = saved;
    versions.else_ = out_->body([&] { return statements(nest, std::move(b)); });
    if (irregular_) return versions.else_.result;
    std::vector<Atom> out;
    std::vector<std::string> hints = hints_of(versions.else_.result);
    for (Var v : out_->bind(hints, std::move(versions))) out.push_back(v);
    return out;
  }

  // What the width does not exceed, outside.
  Dim bound(const Dim& width) {
    if (!regular_.varies(width)) return width;
    const Affine form = *regular_.bound_of_form(width);
    Term sum = out_->number(Scalar::I64, form.constant);
    for (const Affine::Term& t : form.terms) sum = sum + out_->term(t.var) * out_->number(Scalar::I64, t.factor);
    return sum.atom;
  }
  // F28.
  void varying_row(MapNest& nest, Stm& s, Screma& x) {
    c_.stats.count("flatten.F28");
    Stm copy = s;
    copy.exp = clone(p_, s.exp);
    regular_.add(copy.exp);
    List<Stm> alone;
    alone.push_back(std::move(copy));
    const Term many = is_full(nest.extent);
    auto known = const_of(many.atom);
    auto in_one_thread = [&] { return points(nest, alone, atoms(s.pattern)); };
    auto together = [&] { return segs_of(guarded_row(nest, s, x), s, x); };
    std::vector<Atom> made;
    if (known) {
      made = known->as_i64() ? in_one_thread() : together();
    } else {
      If versions{many.atom, out_->body(in_one_thread), out_->body(together)};
      if (!irregular_) for (Var v : out_->bind(hints_of(atoms(s.pattern)), std::move(versions))) made.push_back(v);
    }
    if (!irregular_) name_all(nest, s.pattern, made, s.source);
  }
  // The nest with the elements of the greatest row. In x those of each row become neutral from its end on.
  MapNest guarded_row(const MapNest& nest, const Stm& s, Screma& x) {
    MapNest inner = nest;
    Var i = fresh_index(), inside = p_.fresh("inside", scalar_type(Scalar::Bool));
    regular_.add(inside);
    inner.index.push_back({i});
    inner.extent.push_back(bound(x.width));
    inner.prefix.push_back({{{inside}}, Apply{ScalarOp::lt, {i, x.width}}, regular_.all_asserted_lengths(x.inputs), s.source, {}});
    If guard{inside, {}, {}};
    for (size_t k = 0; k < x.inputs.size(); k++) {
      Exp element = Identity{i};
      if (!regular_.forms().counts(x.inputs[k])) element = Index{x.inputs[k], {Atom(i)}};
      guard.then_.stms.push_back({{x.pre.params[k]}, std::move(element), s.checks, s.source, {}});
    }
    add_checks(x.pre.body, s.checks);
    for (auto& inner_s : x.pre.body.stms.take()) guard.then_.stms.push_back(std::move(inner_s));
    guard.then_.result = x.pre.body.result;
    for (const Combine& c : x.reduces) guard.else_.result.insert(guard.else_.result.end(), c.neutral.begin(), c.neutral.end());
    Stm guarded{{}, {}, {}, s.source, {}};
    for (Atom& a : x.pre.body.result) {
      Var v = p_.fresh("x", p_.type(a));
      regular_.add(v);
      guarded.pattern.push_back({v});
      a = v;
    }
    guarded.exp = std::move(guard);
    x.pre.body.stms.push_back(std::move(guarded));
    return inner;
  }
  // Whether the nest has so many points that threads hide the latency of memory.
  Term is_full(const std::vector<Dim>& extent) {
    Term n = out_->number(Scalar::I64, 1);
    for (const Dim& d : extent) n = n * out_->term(d);
    return le(out_->term(out_->bind1("many", Tunable{"outer", "threshold", i64_atom(costs::gpu::full_device)})), n);
  }
  void screma(MapNest& nest, Stm& s, Screma& x) {
    if (regular_.varies(x.width)) return varying_row(nest, s, x);
    MapNest inner = extended(nest, x.width, x.inputs, x.pre.params, s);
    add_checks(x.pre.body, s.checks);
    if (is_map(x)) {
      c_.stats.count("flatten.F4", !nest.index.empty());
      std::vector<Atom> made = versions(inner, std::move(x.pre.body));
      if (!irregular_) name_all(nest, s.pattern, made, s.source);
      return;
    }
    std::vector<Atom> made = reduced_or_scanned(inner, s, x);
    if (!irregular_) name_all(nest, s.pattern, made, s.source);
  }
  // F27. Whether one thread makes the whole element of a reduction: there are many elements, each of a few others. The sum of a single row is a number,
  // which the CPU would read from one version or the other; and its elements are few beside what they are made of.
  std::optional<Term> alone(const MapNest& inner, const Screma& x) {
    if (inner.index.size() < 2 || !x.scans.empty() || !regular_.contains_parallel(x.pre.body) || regular_.updates_outside(x.pre.body)) return {};
    if (!std::ranges::all_of(x.pre.body.result, [&](const Atom& a) { return is_scalar(p_.type(a)); })) return {};
    if (iterates(x.pre.body)) return {};
    auto each = volume(x.pre.body);
    if (!each) return {};
    const Term few = lt(*each, out_->number(Scalar::I64, costs::gpu::short_row)), many = is_full(inner.extent);
    return and_(few, many);
  }
  // The results over the nest. Its last dimension, which goes through the elements, is that of the reductions and scans.
  std::vector<Atom> reduced_or_scanned(const MapNest& nest, Stm& s, Screma& x) {
    auto choice = alone(nest, x);
    auto known = choice ? const_of(choice->atom) : nullptr;
    if (!choice || (known && !known->as_i64())) return segs_of(nest, s, x);
    c_.stats.count("flatten.F27");
    Screma copy = clone(p_, x);
    for (size_t k = 0; k < x.pre.params.size(); k++) substitute(p_, copy.pre.body, Subst{{copy.pre.params[k].var, x.pre.params[k].var}});
    regular_.add(copy.pre.body);
    auto in_one_thread = [&] {
      bool saved = std::exchange(regular_.sequential, true);
      std::vector<Atom> made = segs_of(nest, s, copy);
      regular_.sequential = saved;
      return made;
    };
    if (known) return in_one_thread();
    If versions{choice->atom, {}, {}};
    versions.then_ = out_->body(in_one_thread);
    versions.else_ = out_->body([&] { return segs_of(nest, s, x); });
    if (irregular_) return {};
    std::vector<Atom> out;
    for (Var v : out_->bind(hints_of(atoms(s.pattern)), std::move(versions))) out.push_back(v);
    return out;
  }
  std::vector<Atom> segs_of(MapNest inner, Stm& s, Screma& x) {
    substitute(p_, x.pre.body, inner.accs);
    size_t reduced = width_of(x.reduces);
    std::vector<Atom> outputs;
    bool mapped = x.scans.empty() && identity_post(x);
    if (regular_.contains_parallel(x.pre.body)) {      // the operands become arrays first
      std::vector<Atom> made = versions(inner, std::move(x.pre.body));
      if (irregular_) return {};
      x.pre.body = {};
      if (mapped) {
        outputs.assign(made.begin() + ptrdiff_t(reduced), made.end());
        made.resize(reduced);
      }
      for (const Atom& a : made) {
        irregular_ |= is_acc(p_.type(a));     // an accumulator beside scans
        if (irregular_) return {};
        Var v = p_.fresh(p_.hint(*var_of(a)), element_type(a, inner));
        regular_.add(v);
        name(inner, v, a, s.source);
        x.pre.body.result.push_back(v);
      }
    }
    c_.stats.count(x.scans.empty() ? "flatten.F1" : "flatten.F2");
    Lambda f = code(inner, x.pre.body.stms, x.pre.body.result);
    Seg seg{SegLevel::Grid, f.params, inner.extent, std::move(f.body), std::move(x.reduces), std::move(x.scans),
            std::move(x.post), std::move(x.post_reduces), {}};
    std::vector<Atom> made;
    size_t here = s.pattern.size() - outputs.size();
    std::vector<std::string> hints;
    for (size_t k = 0; k < here; k++) hints.push_back(p_.hint(s.pattern[k].var));
    out_->checks = regular_.asserted_lengths(x.inputs);
    if (inner.index.size() == 1) out_->checks.insert(out_->checks.end(), s.checks.begin(), s.checks.end());   // a body may have no statement that needs them
    for (Var v : out_->bind(hints, std::move(seg))) made.push_back(v);
    out_->checks = {};
    made.insert(made.end(), outputs.begin(), outputs.end());
    return made;
  }
  void hist(MapNest& nest, Stm& s, Hist& x) {
    c_.stats.count("flatten.F3");
    std::vector<Dest> dests = over_nest(nest, x.dests);
    MapNest inner = extended(nest, x.width, x.inputs, x.pre.params, s);
    add_checks(x.pre.body, s.checks);
    if (regular_.contains_parallel(x.pre.body)) {
      std::vector<Atom> made = versions(inner, std::move(x.pre.body));
      if (irregular_) return;
      x.pre.body = {};
      for (const Atom& a : made) {
        Var v = p_.fresh(p_.hint(*var_of(a)), element_type(a, inner));
        regular_.add(v);
        name(inner, v, a, s.source);
        x.pre.body.result.push_back(v);
      }
    }
    std::vector<Atom> results, front = at(nest);
    auto next = x.pre.body.result.begin();
    for (const Dest& d : x.dests) {
      results.insert(results.end(), front.begin(), front.end());
      results.insert(results.end(), next, next + d.rank);
      next += d.rank;
    }
    results.insert(results.end(), next, x.pre.body.result.end());
    Lambda f = code(inner, x.pre.body.stms, results);
    std::vector<Atom> made;
    out_->checks = regular_.asserted_lengths(x.inputs);
    for (Var v : out_->bind(hints_of(atoms(s.pattern)), Seg{SegLevel::Grid, f.params, inner.extent, std::move(f.body), {}, {}, {}, {}, std::move(dests)}))
      made.push_back(v);
    out_->checks = {};
    name_all(nest, s.pattern, made, s.source);
  }
  static std::vector<Atom> atoms(const std::vector<Bind>& binds) {
    std::vector<Atom> all;
    for (Bind b : binds) all.push_back(b.var);
    return all;
  }
  void with_acc(MapNest& nest, Stm& s, WithAcc& x) {
    c_.stats.count("flatten.F10");
    size_t n = x.dests.size();
    WithAcc w{over_nest(nest, x.dests), {}};
    if (irregular_) return;
    add_checks(x.scope.body, s.checks);
    VarMap<std::optional<AccType>> changed;   // token -> the type of its accumulators
    MapNest inner = nest;
    for (size_t k = 0; k < n; k++) {
      Var token = p_.fresh("token", CheckType{});
      w.scope.params.push_back({token});
      changed[x.scope.params[k].var] = std::get<AccType>(dest_type(p_, w.dests[k], token));
    }
    for (size_t k = 0; k < n; k++) {
      Var acc = p_.fresh("acc", *changed[x.scope.params[k].var]);
      w.scope.params.push_back({acc});
      inner.accs[x.scope.params[n + k].var] = acc;
    }
    std::vector<Atom> front = at(nest);
    each_stm(x.scope.body, [&](Stm& inside) {
      if (auto u = std::get_if<AccUpdate>(&inside.exp); u && changed[std::get<AccType>(p_.type(u->acc)).token])
        u->at.insert(u->at.begin(), front.begin(), front.end());
    });
    each_bind(x.scope.body, [&](Var v) {
      if (auto acc = std::get_if<AccType>(&p_.type(v)); acc && changed[acc->token]) p_.vars[v.index].type = *changed[acc->token];
    });
    w.scope.body = out_->body([&] { return statements(inner, std::move(x.scope.body)); });
    if (irregular_) return;
    std::vector<Atom> made;
    for (Var v : out_->bind(hints_of(atoms(s.pattern)), std::move(w))) made.push_back(v);
    name_all(nest, s.pattern, made, s.source);
  }

  void loop(MapNest& nest, Stm& s, For& x) {
    c_.stats.count("flatten.F7");
    add_checks(x.body, s.checks);
    regular_.remove(x.i.var);
    MapNest inner = nest;
    inner.fresh = {};                         // a state without iterations is its initial value: never an array known elsewhere
    For out{x.i, x.n, {}, over_nest(inner, x.init), {}};
    if (irregular_) return;
    for (size_t k = 0; k < x.state.size(); k++) {
      Var v = p_.fresh(p_.hint(x.state[k].var), p_.type(out.init[k]));
      out.state.push_back({v});
      name(inner, x.state[k].var, v, s.source);
    }
    out.body = out_->body([&] { return statements(inner, std::move(x.body)); });
    if (irregular_) return;
    std::vector<Atom> made;
    for (Var v : out_->bind(hints_of(atoms(s.pattern)), std::move(out))) made.push_back(v);
    name_all(nest, s.pattern, made, s.source);
  }

  // F13. The order of the iterations does not matter. Where every use of the counter is n - 1 - i, they are counted from
  // the other end. So updates are indexed by the counter itself.
  void accumulating(MapNest& nest, Stm& s, For& x) {
    c_.stats.count("flatten.F13");
    MapNest inner = nest;
    inner.index.push_back(x.i);
    inner.extent.push_back(*regular_.bound_of(x.n));
    for (size_t k = 0; k < x.state.size(); k++) inner.accs[x.state[k].var] = x.init[k];
    add_checks(x.body, s.checks);
    count_from_other_end(x);
    Body b = std::move(x.body);
    if (regular_.varies(x.n)) {
      Var inside = p_.fresh("inside", scalar_type(Scalar::Bool));
      regular_.add(inside);
      inner.prefix.push_back({{{inside}}, Apply{ScalarOp::lt, {x.i.var, x.n}}, {}, s.source, {}});
      If guard{inside, std::move(b), {{}, {}}};
      b = {};
      Stm guarded{{}, {}, {}, s.source, {}};
      for (Bind v : x.state) {
        guard.else_.result.push_back(v.var);
        Var version = p_.fresh(p_.hint(v.var), p_.type(v.var));
        regular_.add(version);
        guarded.pattern.push_back({version});
        b.result.push_back(version);
      }
      guarded.exp = std::move(guard);
      b.stms.push_back(std::move(guarded));
    }
    std::vector<Atom> made = versions(inner, std::move(b));
    if (!irregular_) name_all(nest, s.pattern, made, s.source);
  }
  void count_from_other_end(For& x) {
    const Affine last = regular_.forms().of(x.n) - 1;
    auto is_mirrored = [&](const Stm& s) {
      auto sub = std::get_if<Apply>(&s.exp);
      return sub && sub->op == ScalarOp::sub && sub->args[1] == Atom(x.i.var) && regular_.forms().of(sub->args[0]) == last;
    };
    size_t uses = count_uses(p_, x.body, x.i.var), mirrored = 0;
    for (const Stm& s : x.body.stms) mirrored += is_mirrored(s);
    if (uses == 0 || uses != mirrored) return;
    for (Stm& s : x.body.stms) if (is_mirrored(s)) s.exp = Identity{x.i.var};
  }

  void branch(MapNest& nest, Stm& s, If& x) {
    c_.stats.count("flatten.F8");
    add_checks(x.then_, s.checks);
    add_checks(x.else_, s.checks);
    If out{x.cond, {}, {}};
    out.then_ = out_->body([&] { return statements(nest, std::move(x.then_)); });
    out.else_ = out_->body([&] { return statements(nest, std::move(x.else_)); });
    if (irregular_) return;
    std::vector<Atom> made;
    for (Var v : out_->bind(hints_of(atoms(s.pattern)), std::move(out))) made.push_back(v);
    name_all(nest, s.pattern, made, s.source);
  }
};

}  // namespace

namespace {
// `walk_0_bwd`: lowering numbers functions, and differentiation adds what it makes of them.
std::string as_written(std::string name) {
  size_t derived = std::min(name.find("_bwd"), name.find("_fwd"));
  name = name.substr(0, derived);
  return (derived == name.npos ? "`" : "the derivative of `") + name.substr(0, name.rfind('_')) + "`";
}
}  // namespace

void flatten(Program& program, PassContext& context) {
  Flatten pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
  program.each_body([&](const Body& b) {
    each_stm(b, [&](const Stm& s) {
      auto seg = std::get_if<Seg>(&s.exp);
      if (!seg) return;
      each_stm(seg->body, [&](const Stm& inner) {
        if (auto call = std::get_if<Call>(&inner.exp))
          context.refuse(inner.source, Refusal::DeviceCode,
                         "a call of " + as_written(program.functions[call->callee.index].name) + ", which is recursive or too large");
      });
    });
  });
}

}  // namespace raido
