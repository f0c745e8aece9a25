// device_scalars.cc - devices: a number that lies in memory of the device, and that only kernels use, is read there.
//
//   F20  let s = index xs [k], t = sqrt s                          seg grid (i < n) { let s = index xs [k], t = sqrt s
//        seg grid (i < n) { .. t .. }                     ==>        .. t .. }
//
// For such a number the CPU would wait until all kernels before have ended. Threads repeat what little is computed of it. The CPU reads it
// still if it needs it: for a size, a branch, a check or a result. So it does if the array is overwritten somewhere.
#include <algorithm>

#include "compiler/ir/aliases.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

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

  void need(Var v) {
    if (needed_.contains(v)) return;
    needed_.insert(v);
    if (const Stm* s = made_[v]) each_use(p_, *s, [&](Var u) { need(u); });
  }
  template <class X> void need_all(const X& x) { each_use(p_, x, [&](Var v) { need(v); }); }

  // What is an element, or a step from numbers.
  bool is_link(const Stm& s) const {
    Kind k = kind_of(s.exp);
    bool number = s.pattern.size() == 1 && (is_scalar(p_.type(s.pattern[0].var)) || is_check(p_.type(s.pattern[0].var)));
    return number && s.attrs.empty() && !std::holds_alternative<Tunable>(s.exp) &&
           (k == Kind::Step || k == Kind::Check || std::holds_alternative<Identity>(s.exp) || std::holds_alternative<Index>(s.exp));
  }
  bool is_fixed(const Stm& s) const {                    // an element that nobody overwrites
    auto x = std::get_if<Index>(&s.exp);
    return x && std::ranges::none_of(aliases_.roots(x->array), [&](Var r) { return overwritten_.contains(r); });
  }

  // The code of the CPU: what it computes, and what it needs.
  void look(const Body& b) {
    for (const Stm& s : b.stms) {
      if (is_link(s)) {
        Var v = s.pattern[0].var;
        made_[v] = &s;
        bool near = is_fixed(s);
        each_use(p_, s, [&](Var u) { near = near || near_.contains(u); });
        if (std::holds_alternative<Index>(s.exp) && !is_fixed(s)) need(v);
        else if (near) near_.insert(v);
        continue;
      }
      auto seg = std::get_if<Seg>(&s.exp);
      walk(s.exp, overloaded{[&](const Var& v) { need(v); }, [&](const Body& inner) { seg ? kernel(inner) : look(inner); },
                             [&](const Lambda& l) { seg ? need_all(l) : look(l.body); }});
      need_all(s.checks);
      for (Bind v : s.pattern) need_all(p_.type(v.var));
    }
    need_all(b.result);
  }
  // Sizes inside are known outside; and nothing long is repeated.
  void kernel(const Body& b) {
    each_bind(b, [&](Var v) { need_all(p_.type(v)); });
    for (Var v : free_vars(p_, b)) if (near_.contains(v) && steps(v) > costs::gpu::repeated_operations) need(v);
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
    for (Stm& s : b.stms) {
      auto seg = std::get_if<Seg>(&s.exp);
      if (!seg) {
        walk_parts(s, [&](Body& inner) { sink(inner); });
        continue;
      }
      Body links;
      VarSet taken;
      for (Var v : free_vars(p_, seg->body)) take(v, links, taken);
      if (links.stms.empty() || !c_.allow()) continue;
      c_.stats.count("device_scalars.F20");
      Subst names;
      links = clone(p_, links, &names);
      substitute(p_, seg->body, names);
      seg->body.stms.splice(0, std::move(links.stms));
    }
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
  DeviceScalars pass(program, context);
  program.each_body([&](Body& b) { pass.run(b); });
}

}  // namespace raido
