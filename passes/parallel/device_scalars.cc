// device_scalars.cc - devices: a number that lies in memory of the device, and that only kernels use, is read there; of several the CPU
// reads what is made of them.
//
//   F20  let s = index xs [k], t = sqrt s                          seg grid (i < n) { let s = index xs [k], t = sqrt s
//        seg grid (i < n) { .. t .. }                     ==>        .. t .. }
//
// The element may stand in a branch: the last one of an array, or 0 if it has none.
//
//   F22  let t = add (index xs [k]) (index ys [l])                 let ts = seg grid (i < 1) { add (index xs [k]) (index ys [l]) }
//        which the CPU needs                               ==>     let t = index ts [0]
//
//   F29  let s = index xs [0]                                      let ss = for k < n (ts = xs) {
//        let s' = for k < n (t = s) {                                let t = index ts [0]
//          .. t ..  let t' = index ys [0] in t'             ==>      .. t ..  in ys
//        }                                                         }    let s' = index ss [0]
//
// In F29 the arrays have one element, as those of reductions: then F20 sees which iteration's kernels read it. Another first value is written once.
//
// For such a number the CPU would wait until all kernels before have ended. Threads repeat what little is computed of it. The CPU reads it
// still if it needs it: for a size, a branch, a check or a result. So it does if the array is overwritten somewhere.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

// F29.
class CarriedScalars {
 public:
  CarriedScalars(Program& p, PassContext& c) : p_(p), c_(c), aliases_(p), defs_(p) {
    p_.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) {
        for (Var v : aliases_.consumed_itself(s)) for (Var root : aliases_.reach(v)) overwritten_.insert(root);
      });
    });
  }
  // Code of the CPU.
  void run(Body& b) {
    Builder out(p_, b.stms);
    out.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        std::vector<Stm> read;
        if (!std::holds_alternative<Seg>(s->exp)) walk_parts(*s, overloaded{[&](Body& inner) { run(inner); }, [](Dest&) {}});
        if (auto loop = std::get_if<For>(&s->exp)) read = carry(out, *s, *loop);
        List<Stm> same;
        same.push_back(std::move(s));                    // where defs_ looks for it
        out.emit_all(std::move(same));
        for (Stm& r : read) out.emit(std::move(r));
      }
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  const Aliases aliases_;
  const Definitions defs_;
  VarSet overwritten_;

  // The array of one element that the number is read from, if nobody overwrites it.
  std::optional<Var> array_of(const Atom& a) const {
    auto x = var_of(a) ? defs_.get<Index>(*var_of(a)) : nullptr;
    if (!x || x->at != std::vector<Selector>{i64_atom(0)}) return {};
    const std::vector<Dim> shape = shape_of(p_.type(x->array));
    bool one = shape.size() == 1 && is_const(shape[0], 1);
    return one && std::ranges::none_of(aliases_.roots(x->array), [&](Var r) { return overwritten_.contains(r); }) ? std::optional(x->array) : std::nullopt;
  }
  std::vector<Stm> carry(Builder& out, Stm& s, For& x) {
    std::vector<Stm> read;
    for (size_t k = 0; k < x.state.size(); k++) {
      const Var state = x.state[k].var, result = s.pattern[k].var;
      auto next = is_scalar(p_.type(state)) ? array_of(x.body.result[k]) : std::nullopt;
      if (!next || !binds_inside(x.body, *next) || !c_.allow()) continue;
      c_.stats.count("device_scalars.F29");
      out.source = s.source;
      auto first = array_of(x.init[k]);
      x.init[k] = first ? *first : out.bind1(p_.hint(state), Replicate{{i64_atom(1)}, x.init[k]});
      x.body.result[k] = *next;
      x.state[k] = {p_.fresh(p_.hint(state), p_.type(*next))};
      s.pattern[k] = {p_.fresh(p_.hint(result), p_.type(*next))};
      x.body.stms.insert(0, Stm{{{state}}, Index{x.state[k].var, {i64_atom(0)}}, {}, s.source, {}});
      read.push_back({{{result}}, Index{s.pattern[k].var, {i64_atom(0)}}, {}, s.source, {}});
    }
    return read;
  }
  static bool binds_inside(const Body& b, Var v) {
    return std::any_of(b.stms.begin(), b.stms.end(), [&](const Stm& s) { return binds(s, v); });
  }
};

class DeviceScalars {
 public:
  DeviceScalars(Program& p, PassContext& c) : p_(p), c_(c), aliases_(p) {
    p_.each_body([&](const Body& b) {
      each_stm(b, [&](const Stm& s) {
        for (Var v : aliases_.consumed_itself(s)) for (Var root : aliases_.reach(v)) overwritten_.insert(root);
      });
    });
  }
  void run(Body& b) {
    look(b);
    choose();
    sink(b);
  }

 private:
  Program& p_;
  PassContext& c_;
  const Aliases aliases_;
  VarSet overwritten_;                                   // roots
  VarMap<const Stm*> made_;                              // numbers and proofs of the CPU: by which step
  VarSet near_;                                          // of them, what is computed from an element
  VarSet needed_;                                        // by the CPU
  std::vector<Var> wanted_;                              // by what is no step of it; each is made of elements
  VarSet is_wanted_, together_;                          // together_: computed by a kernel of one thread
  VarMap<int> body_;                                     // where it stands
  int bodies_ = 0;

  void need(Var v) {
    if (needed_.contains(v)) return;
    needed_.insert(v);
    if (const Stm* s = made_[v]) each_use(p_, *s, [&](Var u) { need(u); });
  }
  void want(Var v) {
    const Stm* s = made_[v];
    if (!near_.contains(v) || is_wanted_.contains(v)) return;
    is_wanted_.insert(v);
    if (kind_of(s->exp) == Kind::Step) return wanted_.push_back(v);
    needed_.insert(v);
    each_use(p_, *s, [&](Var u) { want(u); });
  }
  // The elements, in v's own body, that v is made of and of nothing else that the CPU reads.
  template <class F> void each_element(Var root, F f) const {
    VarSet seen;
    auto visit = [&](Var v, auto& self) -> void {
      if (!near_.contains(v) || seen.contains(v) || (v != root && is_wanted_.contains(v))) return;
      seen.insert(v);
      if (std::holds_alternative<Index>(made_[v]->exp) && body_[v] == body_[root]) f(v);
      each_use(p_, *made_[v], [&](Var u) { self(u, self); });
    };
    visit(root, visit);
  }
  void choose() {
    VarMap<int> readers;
    for (Var v : wanted_) each_element(v, [&](Var e) { readers[e]++; });
    std::erase_if(wanted_, [&](Var v) {
      int alone = 0;
      each_element(v, [&](Var e) { alone += readers[e] == 1; });
      if (alone < 2) return false;
      together_.insert(v);
      needed_.insert(v);
      return true;
    });
    for (Var v : wanted_) need(v);
    wanted_.clear();
  }
  template <class X> void need_all(const X& x) { each_use(p_, x, [&](Var v) { want(v); }); }

  // What is an element, or a step from numbers, or a choice between such.
  bool is_link(const Stm& s) const {
    return is_number(s) && (is_step(s) || std::holds_alternative<Index>(s.exp) || is_choice(s));
  }
  bool is_number(const Stm& s) const {
    return s.pattern.size() == 1 && s.attrs.empty() && (is_scalar(p_.type(s.pattern[0].var)) || is_check(p_.type(s.pattern[0].var)));
  }
  static bool is_step(const Stm& s) {
    Kind k = kind_of(s.exp);
    return !std::holds_alternative<Tunable>(s.exp) && (k == Kind::Step || k == Kind::Check || std::holds_alternative<Identity>(s.exp));
  }
  bool is_choice(const Stm& s) const {
    auto x = std::get_if<If>(&s.exp);
    auto simple = [&](const Body& b) {
      return std::all_of(b.stms.begin(), b.stms.end(), [&](const Stm& inner) { return is_number(inner) && (is_step(inner) || is_fixed(inner)); });
    };
    return x && simple(x->then_) && simple(x->else_);
  }
  bool has_element(const Stm& s) const {
    bool found = is_fixed(s);
    walk_parts(s, [&](const Body& b) { each_stm(b, [&](const Stm& inner) { found = found || is_fixed(inner); }); });
    return found;
  }
  bool is_fixed(const Stm& s) const {                    // an element that nobody overwrites
    auto x = std::get_if<Index>(&s.exp);
    return x && std::ranges::none_of(aliases_.roots(x->array), [&](Var r) { return overwritten_.contains(r); });
  }

  // The code of the CPU: what it computes, and what it needs.
  void look(const Body& b) {
    const int here = ++bodies_;
    for (const Stm& s : b.stms) {
      if (is_link(s)) {
        Var v = s.pattern[0].var;
        made_[v] = &s;
        body_[v] = here;
        bool near = has_element(s);
        each_use(p_, s, [&](Var u) { near = near || near_.contains(u); });
        if (std::holds_alternative<Index>(s.exp) && !is_fixed(s)) need_all(s);
        else if (near) near_.insert(v);
        continue;
      }
      auto seg = std::get_if<Seg>(&s.exp);
      walk(s.exp, overloaded{[&](const Var& v) { want(v); }, [&](const Body& inner) { seg ? kernel(inner) : look(inner); },
                             [&](const Lambda& l) { seg ? need_all(l) : look(l.body); }, [&](const Dest& d) { need_all(d); }});   // kernels run operators
      need_all(s.checks);
      for (Bind v : s.pattern) need_all(p_.type(v.var));
    }
    need_all(b.result);
  }
  // Sizes inside are known outside; and nothing long is repeated.
  void kernel(const Body& b) {
    each_bind(b, [&](Var v) { need_all(p_.type(v)); });
    for (Var v : free_vars(p_, b)) if (near_.contains(v) && steps(v) > costs::gpu::repeated_operations) want(v);
  }
  size_t steps(Var v) const {
    const Stm* s = near_.contains(v) ? made_.at(v) : nullptr;
    if (!s) return 0;
    size_t all = 1;
    each_use(p_, *s, [&](Var u) { if (all <= costs::gpu::repeated_operations) all += steps(u); });
    return all;
  }
  bool moves(Var v) const { return near_.contains(v) && !needed_.contains(v); }

  void sink(Body& b) {
    Builder out(p_, b.stms);
    out.into(b, [&](List<Stm>& old) {
      for (auto& s : old.take()) {
        auto seg = std::get_if<Seg>(&s->exp);
        if (seg) sink_into(*seg);
        else walk_parts(*s, overloaded{[&](Body& inner) { sink(inner); }, [](Dest&) {}});
        if (is_link(*s) && together_.contains(s->pattern[0].var) && c_.allow()) compute_there(out, *s);
        List<Stm> same;
        same.push_back(std::move(s));                    // where made_ looks for it
        out.emit_all(std::move(same));
      }
    });
  }
  void sink_into(Seg& seg) {
    Body links;
    VarSet taken;
    for (Var v : free_vars(p_, seg.body)) take(v, links, taken);
    if (links.stms.empty() || !c_.allow()) return;
    c_.stats.count("device_scalars.F20");
    Subst names;
    links = clone(p_, links, &names);
    substitute(p_, seg.body, names);
    seg.body.stms.splice(0, std::move(links.stms));
  }
  void compute_there(Builder& out, Stm& s) {
    c_.stats.count("device_scalars.F22");
    Body links;
    VarSet taken;
    each_use(p_, s, [&](Var u) { take(u, links, taken); });
    links.stms.push_back(s);
    links.result.push_back(s.pattern[0].var);
    out.source = s.source;
    Seg seg{SegLevel::Grid, {{p_.fresh("i", scalar_type(Scalar::I64))}}, {i64_atom(1)}, clone(p_, links), {}, {}, {}, {}, {}};
    Var all = out.bind1(p_.hint(s.pattern[0].var), std::move(seg));
    s = {s.pattern, Index{all, {i64_atom(0)}}, {}, s.source, {}};
  }
  void take(Var v, Body& links, VarSet& taken) {
    if (!moves(v) || taken.contains(v)) return;
    taken.insert(v);
    each_use(p_, *made_[v], [&](Var u) { take(u, links, taken); });
    links.stms.push_back(*made_[v]);
  }
};

}  // namespace

void device_scalars(Program& program, PassContext& context) {
  if (context.target != Target::Gpu) return;
  CarriedScalars carried(program, context);
  program.each_body([&](Body& b) { carried.run(b); });
  DeviceScalars pass(program, context);
  program.each_body([&](Body& b) { pass.run(b); });
}

}  // namespace raido
