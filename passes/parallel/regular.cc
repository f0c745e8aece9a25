// regular.cc - see regular.h. One walk over the program collects counters and their limits; one over a nest what it
// updates.
#include "passes/parallel/regular.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"

#include <algorithm>

namespace raido {
using namespace ir;

bool is_costly(ScalarOp op) {
  switch (op) {
    case ScalarOp::add: case ScalarOp::sub: case ScalarOp::mul: case ScalarOp::neg: case ScalarOp::min: case ScalarOp::max:
    case ScalarOp::and_: case ScalarOp::or_: case ScalarOp::xor_: case ScalarOp::not_: case ScalarOp::shl: case ScalarOp::shr:
    case ScalarOp::lshr: case ScalarOp::eq: case ScalarOp::ne: case ScalarOp::lt: case ScalarOp::le: case ScalarOp::select:
    case ScalarOp::abs: case ScalarOp::sgn: case ScalarOp::fma: case ScalarOp::to_bits: case ScalarOp::from_bits: return false;
    case ScalarOp::div: case ScalarOp::mod: case ScalarOp::quot: case ScalarOp::rem: return false;   // mostly index arithmetic
    default: return true;
  }
}

Regular::Regular(const Program& p) : p_(p), aliases_(p), forms_(p) {
  p_.each_body([&](const Body& b) {
    each_stm(b, [&](const Stm& s) {
      if (auto x = std::get_if<For>(&s.exp)) limit_[x->i.var] = x->n;
      if (std::holds_alternative<Iota>(s.exp)) proofs_[s.pattern[0].var] = s.checks;
      if (auto x = std::get_if<Screma>(&s.exp))
        for (size_t k = 0; k < x->inputs.size(); k++)
          if (forms_.counts(x->inputs[k])) limit_[x->pre.params[k].var] = x->width;
    });
  });
}

std::vector<Var> Regular::asserted_lengths(const std::vector<Var>& inputs) const {
  std::vector<Var> all = all_asserted_lengths(inputs);
  std::erase_if(all, [&](Var proof) { return varies(proof); });
  return all;
}
std::vector<Var> Regular::all_asserted_lengths(const std::vector<Var>& inputs) const {
  std::vector<Var> all;
  for (Var v : inputs)
    if (forms_.counts(v)) all.insert(all.end(), proofs_[v].begin(), proofs_[v].end());
  return all;
}

void Regular::enter(const Stm& s) {
  add(s.exp);
  auto modifies = [&](const Stm& inner) {
    for (Var v : aliases_.consumed_itself(inner)) for (Var root : aliases_.reach(v)) modified_.insert(root);
  };
  modifies(s);
  walk_parts(s, [&](const Body& b) { each_stm(b, modifies); });
}

bool Regular::varies(const std::vector<Dim>& dims) const { return std::any_of(dims.begin(), dims.end(), [&](const Dim& d) { return varies(d); }); }
template <class X> bool Regular::any_varies(const X& x) const {
  std::vector<Var> free = free_vars(p_, x);
  return std::any_of(free.begin(), free.end(), [&](Var v) { return varies(v); });
}
bool Regular::has_varying_shape(const Type& t) const {
  if (auto acc = std::get_if<AccType>(&t)) return std::any_of(acc->elems.begin(), acc->elems.end(), [&](const ElemType& e) { return varies(e.shape); });
  return varies(shape_of(t));
}
bool Regular::has_varying_shape(const std::vector<Bind>& binds) const {
  return std::any_of(binds.begin(), binds.end(), [&](Bind b) { return has_varying_shape(p_.type(b.var)); });
}

bool Regular::is_light(size_t operations, const Stm& s) const {
  return match(s.exp,
    [&](const Apply& x) { return !is_costly(x.op) && operations < costs::gpu::repeated_operations; },
    [&](const Convert&) { return operations < costs::gpu::repeated_operations; },
    [&](const Index& x) { return is_array(p_.type(s.pattern[0].var)) || !aliases_.has_root_in(x.array, modified_); },
    [&](const Iota&) { return has_varying_shape(s.pattern); },     // loops count instead, and there is no array of such rows
    [&](const auto&) { return kind_of(s.exp) == Kind::View || kind_of(s.exp) == Kind::Check; });
}

bool Regular::accumulates_only(const For& x) const {
  return !x.state.empty() && std::all_of(x.state.begin(), x.state.end(), [&](Bind b) { return is_acc(p_.type(b.var)); });
}
std::optional<Dim> Regular::bound_of(Dim n) const {
  while (varies(n)) {
    if (!limit_[*var_of(n)]) return {};
    n = *limit_[*var_of(n)];
  }
  return n;
}

std::optional<Affine> Regular::bound_of_form(const Dim& n) const {
  Affine form = forms_.of(n);
  for (;;) {
    auto term = std::find_if(form.terms.begin(), form.terms.end(), [&](const Affine::Term& t) { return varies(t.var); });
    if (term == form.terms.end()) return form;
    const Affine::Term t = *term;
    if (!limit_[t.var]) return {};
    form = form.without(t.var);
    if (t.factor > 0) form.add(forms_.of(*limit_[t.var]) - 1, t.factor);
  }
}
// A reduction to numbers, whose elements are of no arrays of their own.
bool Regular::reduces_varying_row(const Screma& x) const {
  bool numbers = std::all_of(x.pre.body.result.begin(), x.pre.body.result.end(), [&](const Atom& a) { return is_scalar(p_.type(a)); });
  auto bound = bound_of_form(x.width);
  return numbers && bound && !(bound->is_constant() && bound->constant < costs::gpu::nest_width) && x.scans.empty() && identity_post(x) &&
         x.post_reduces.empty() && x.pre.body.result.size() == width_of(x.reduces) && !any_varies(x.reduces) && !contains_parallel(x.pre.body);
}

bool Regular::contains_parallel(const Body& b, bool in_loop) const {
  return std::any_of(b.stms.begin(), b.stms.end(), [&](const Stm& s) { return is_parallel(s, in_loop); });
}
bool Regular::is_parallel(const Stm& s, bool in_loop) const {
  if (sequential || has_attr(s.attrs, "sequential") || has_varying_shape(s.pattern)) return false;
  return match(s.exp,
    [&](const Screma& x) {
      if (varies(x.width)) return !in_loop && reduces_varying_row(x);
      if (any_varies(x.reduces) || any_varies(x.scans) || any_varies(x.post_reduces) || any_varies(x.post)) return false;
      bool short_one = const_of(x.width) && const_of(x.width)->as_i64() < costs::gpu::nest_width;
      return !short_one || contains_parallel(x.pre.body, in_loop);
    },
    [&](const Hist& x) { return !varies(x.width) && !vary(x.dests); },
    [&](const WithAcc& x) { return !vary(x.dests) && contains_parallel(x.scope.body, in_loop); },
    [&](const For& x) {
      bool regular = !has_varying_shape(x.state) && std::none_of(x.state.begin(), x.state.end(), [&](Bind b) { return is_check(p_.type(b.var)); });
      if (accumulates_only(x)) return regular && bound_of(x.n);
      return regular && !varies(x.n) && contains_parallel(x.body, true);
    },
    [&](const If& x) {
      bool proofs = std::any_of(s.pattern.begin(), s.pattern.end(), [&](Bind b) { return is_check(p_.type(b.var)); });
      return !proofs && !varies(x.cond) && (contains_parallel(x.then_, in_loop) || contains_parallel(x.else_, in_loop));
    },
    [](const auto&) { return false; });
}
bool Regular::vary(const std::vector<Dest>& dests) const {
  return std::any_of(dests.begin(), dests.end(), [&](const Dest& d) {
    bool shapes = std::any_of(d.arrays.begin(), d.arrays.end(), [&](Var v) { return varies(shape_of(p_.type(v))); });
    return shapes || (d.combine && any_varies(*d.combine));
  });
}
bool Regular::updates_outside(const Body& b) const {
  bool found = false;
  each_stm(b, [&](const Stm& s) {
    if (auto x = std::get_if<AccUpdate>(&s.exp)) found |= !varies(std::get<AccType>(p_.type(x->acc)).token);
  });
  return found;
}

}  // namespace raido
