// flatten.cc - Core to Parallel for devices: nests of scremas become grid segs over the whole nest (decision 005).
//
// A nest has index variables, and a prefix of light statements that every point repeats (nests.h). The statements of a body
// are taken in order; what is neither light nor parallel gathers in a group. The rules F0 and F9 of groups are in nests.cc,
// those of single statements in nest_rules.cc.
//
//   F1   reduce, F2 scan, F3 hist                seg with the same parts, over the nest and their own width
//   F4   map                                     its index joins the nest
//   F6   several of these in one body            one after the other
//   F7   for loop around parallel code           a loop of segs, its state arrays over the nest
//   F8   if with a condition from outside        an if around segs
//   F10  with_acc around parallel code           accumulates in the arrays of the whole nest, at indices that begin with
//                                                the nest's
//   F13  loop that does nothing but accumulate   a map; its length may vary below the extent of an index: then the extent
//                                                is the width and a guard stands around the body
//   F24  other assertions before rows            the body is sequential where the rows are empty: they have no point that could fail. Not
//                                                yet where the body accumulates into arrays from outside, or where a loop runs 0 times
//   F26  loop around parallel code, beside       versions of its own (below)
//        updates of arrays from outside
//   F27  reductions of rows over what            each element in one thread, where there are many and each is of a few others; else the elements
//        reductions make                         become an array first
//   F28  reduction of a row whose length          where there are few rows, one of the greatest length, whose further elements are neutral. Not in
//        varies below extents of the nest        loops, where a kernel in each iteration is seldom worth it
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
#include "passes/parallel/nest_rules.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Flatten : NestRules {
 public:
  Flatten(Program& p, PassContext& c) : NestRules(p, c) {}

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
        name(after, v, spread(nest, *from, shape_of(p_.type(v)), group, s->checks), s->source);
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
