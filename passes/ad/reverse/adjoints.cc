// adjoints.cc - adjoints are read, taken and added to                                                docs/ad.md 5
//
// Rules: sparse.element sparse.few.
#include "passes/ad/reverse/adjoints.h"

#include <algorithm>

#include "compiler/ir/costs.h"

namespace raido::ad {

using namespace ir;

bool all_zero(const std::vector<Adjoint>& adjoints) { return std::ranges::all_of(adjoints, &Adjoint::is_zero); }

Adjoints::Adjoints(const Adjoints& outer, const Versions& names, const std::vector<Var>& open)
    : act_(outer.act_), b_(outer.b_), p_(outer.p_), names_(names), gathered_(outer.gathered_) {
  for (const auto& [v, state] : outer.states_)
    if (state.kind == Adjoint::Kind::Part) states_[outer.names_.current(v)] = state;
  for (Var v : open)
    if (auto found = outer.find(v)) states_[v] = *found;
}
const Adjoint* Adjoints::find(Var x) const {
  auto found = states_.find(names_.original(x));
  return found == states_.end() ? nullptr : &found->second;
}
Adjoint::Kind Adjoints::kind(Var x) const {
  auto found = find(x);
  return found ? found->kind : Adjoint::Kind::Zero;
}
bool Adjoints::is_zero(const Atom& x) const {
  auto v = var_of(x);
  return !v || kind(*v) == Adjoint::Kind::Zero;
}
bool Adjoints::all_zero(const Stm& s) const { return std::ranges::all_of(s.pattern, [&](Bind x) { return is_zero(x.var); }); }

Adjoint& Adjoints::state(Var x) {
  if (slot(x).kind == Adjoint::Kind::Entry) {
    Adjoint entry = std::exchange(slot(x), {});
    std::vector<Var> checks = b_.checks;
    b_.checks.insert(b_.checks.end(), entry.checks.begin(), entry.checks.end());
    add_where(x, entry.prefix[0], entry.value, entry.inside);
    b_.checks = checks;
  }
  return slot(x);
}
std::vector<Adjoint> Adjoints::take_results(const Stm& s) {
  std::vector<Adjoint> taken;
  for (Bind x : s.pattern) taken.push_back(take(x.var));
  return taken;
}
Atom Adjoints::value(Var x) {
  Adjoint& s = state(x);
  CHECK(s.is_zero() || s.is_value(), "the adjoint of `{}` is read while it accumulates", p_.hint(x));
  if (s.is_zero()) s = Adjoint::of(b_.zero(p_.type(x)), true);
  return s.value;
}
Var Adjoints::own(Var x) {
  Atom whole = value(x);
  Adjoint& s = slot(x);
  if (!s.owned) s = Adjoint::of(b_.copy(*var_of(whole)), true);
  return *var_of(s.value);
}
Atom Adjoints::threaded(Var x) {
  if (accumulates(x)) return state(x).value;
  return is_array(p_.type(x)) ? Atom(own(x)) : value(x);
}
std::vector<Var> Adjoints::carriers(const std::vector<Var>& free) const {
  std::vector<Var> out;
  for (Var v : free) {
    if (is_acc(p_.type(v))) continue;
    Var carrier = kind(v) == Adjoint::Kind::Part ? *var_of(find(v)->value) : v;
    if (std::ranges::find(out, carrier) == out.end()) out.push_back(carrier);
  }
  return out;
}

// ---- adding ----

void Adjoints::add(const Atom& x, const Atom& contribution, bool owned) {
  auto v = var_of(x);
  if (!v || !act_.varied(*v)) return;
  Adjoint& s = state(*v);
  switch (s.kind) {
    case Adjoint::Kind::Zero: s = Adjoint::of(contribution, owned); break;
    case Adjoint::Kind::Value: s = Adjoint::of(b_.add(p_.hint(*v) + "_adj", s.value, contribution), true); break;
    case Adjoint::Kind::Acc: accumulate(s, {}, contribution); break;
    case Adjoint::Kind::Part: add_at(*var_of(s.value), {s.prefix.begin(), s.prefix.end()}, contribution); break;
    case Adjoint::Kind::Entry: PANIC("`state` has made an array of an entry");
  }
}

// Adds to an accumulator: a map over each dimension of the contribution around one update. The indices of an element are the fixed
// ones, start + k * stride along slices, and k along the dimensions that `at` does not name.
void Adjoints::accumulate(Adjoint& acc, const std::vector<Selector>& at, const Atom& contribution, const std::vector<int>& dims) {
  std::vector<Atom> index;
  std::vector<size_t> open;                              // which of them each dimension of the contribution counts
  const size_t rank = shape_of(p_.type(contribution)).size();
  for (size_t k = 0; k < at.size() || open.size() < rank; k++) {
    auto fixed = k < at.size() ? std::get_if<Atom>(&at[k]) : nullptr;
    if (!fixed) open.push_back(k);
    index.push_back(fixed ? *fixed : Atom());
  }
  std::vector<size_t> turned = open;
  for (size_t k = 0; k < dims.size(); k++) turned[size_t(dims[k])] = open[k];
  accumulate(acc, at, std::move(index), turned, 0, contribution);
}
void Adjoints::accumulate(Adjoint& acc, const std::vector<Selector>& at, std::vector<Atom> index, const std::vector<size_t>& open, size_t d, const Atom& part) {
  if (d == open.size()) {
    // The element is there in the primal, so the index is in range.
    acc = Adjoint::acc(b_.bind1("acc", AccUpdate{*var_of(acc.value), std::move(index), {part}, true}));
    return;
  }
  Var array = *var_of(part), outer = *var_of(acc.value);
  const Dim n = shape_of(p_.type(part))[0];
  Var ks = b_.iota(n);
  Lambda f = b_.lambda({{"k", scalar_type(Scalar::I64)}, {"x", row_type(p_.type(array))}, {"acc", p_.type(outer)}},
                       [&](const std::vector<Var>& in) {
    Adjoint inner = Adjoint::acc(in[2]);
    auto slice = open[d] < at.size() ? std::get_if<Slice>(&at[open[d]]) : nullptr;
    index[open[d]] = slice ? (b_.term(slice->start) + b_.term(in[0]) * b_.term(slice->stride)).atom : Atom(in[0]);
    accumulate(inner, at, index, open, d + 1, in[1]);
    return std::vector<Atom>{inner.value};
  });
  acc = Adjoint::acc(b_.map("acc", n, std::move(f), {ks, array, outer})[0]);
}

// An accumulator gets the elements in the order in which the contribution has them: then what makes these updates it.
void Adjoints::add_permuted(const Atom& x, Var contribution, const std::vector<int>& dims, bool owned) {
  auto v = var_of(x);
  if (!v || !act_.varied(*v)) return;
  Var whole = *v;
  std::vector<Selector> at;
  for (; state(whole).kind == Adjoint::Kind::Part; whole = *var_of(state(whole).value)) at.insert(at.begin(), state(whole).prefix.begin(), state(whole).prefix.end());
  if (state(whole).kind == Adjoint::Kind::Acc) accumulate(state(whole), at, contribution, dims);
  else add(x, b_.permute(contribution, dims), owned);
}

// Whether `at` takes all elements along each dimension that it names, in either direction: it is its own inverse then.
static bool is_reversal(const Type& t, const std::vector<Selector>& at) {
  std::vector<Dim> shape = shape_of(t);
  for (size_t d = 0; d < at.size(); d++) {
    auto slice = std::get_if<Slice>(&at[d]);
    if (!slice || slice->count != shape[d] || !(ir::is_const(slice->stride, -1) || ir::is_const(slice->stride, 1))) return false;
  }
  return true;
}

void Adjoints::add_at(Var xs, const std::vector<Selector>& at, const Atom& contribution) {
  if (!act_.varied(xs)) return;
  Adjoint& s = slot(xs);
  if (s.kind == Adjoint::Kind::Part) {
    std::vector<Selector> whole(s.prefix.begin(), s.prefix.end());
    whole.insert(whole.end(), at.begin(), at.end());
    return add_at(*var_of(s.value), whole, contribution);
  }
  if (s.kind == Adjoint::Kind::Acc) return accumulate(s, at, contribution);
  if (is_reversal(p_.type(xs), at)) return add(xs, b_.bind1(p_.hint(xs) + "_adj", Index{*var_of(contribution), at}), false);
  if (auto index = at.size() == 1 ? std::get_if<Atom>(&at[0]) : nullptr; index && is_few(xs)) return add(xs, choices(xs, *index, contribution, {}), true);
  Var dense = own(xs);
  Var old = b_.bind1("old", Index{dense, at});
  Atom sum = b_.add("sum", old, contribution);
  slot(xs) = Adjoint::of(b_.bind1(p_.hint(xs) + "_adj", Update{dense, at, sum}), true);
}

// ---- one element ----

// Whether xs has a few scalars, their number is a constant, and nothing has been added to its adjoint yet                 [sparse.few]
bool Adjoints::is_few(Var xs) const {
  const std::vector<Dim> shape = shape_of(p_.type(xs));
  const Const* n = shape.size() == 1 ? const_of(shape[0]) : nullptr;
  return n && 1 <= n->as_i64() && n->as_i64() <= costs::ad::chosen_scalars && is_zero(xs);
}
// An adjoint of a few scalars: `value` at `index` if `inside`, zero elsewhere. Choices need no memory, and no index at run time.
Var Adjoints::choices(Var xs, const Atom& index, const Atom& value, std::optional<Atom> inside) {
  std::vector<Atom> places;
  for (i64 k = 0; k < const_of(shape_of(p_.type(xs))[0])->as_i64(); k++) {
    Term here = eq(b_.term(index), b_.term(i64_const(k)));
    if (inside) here = and_(here, b_.term(*inside));
    places.push_back(select({here, b_.term(value), b_.term(b_.zero(row_type(p_.type(xs))))}).atom);
  }
  return b_.bind1(p_.hint(xs) + "_adj", ArrayLit{places});
}
const Adjoint* Adjoints::entry(Var xs) const {
  auto found = find(xs);
  return found && found->kind == Adjoint::Kind::Entry ? found : nullptr;
}
void Adjoints::add_element(Var xs, const Atom& index, const Atom& value, std::optional<Atom> inside) {
  if (may_be_entry(xs)) slot(xs) = {Adjoint::Kind::Entry, value, false, {index}, inside, b_.checks};
  else add_where(xs, index, value, inside);
}
std::optional<Adjoint> Adjoints::take_entry(const Stm& s, std::vector<Adjoint>& values) {
  std::optional<Adjoint> common;
  for (Bind x : s.pattern) {
    if (is_zero(x.var)) continue;
    const Adjoint* a = entry(x.var);
    if (!a || (common && (common->prefix != a->prefix || common->inside != a->inside))) return {};
    common = *a;
  }
  if (!common) return {};
  for (Bind x : s.pattern) {
    Adjoint a = std::exchange(slot(x.var), {});
    values.push_back(a.is_zero() ? Adjoint{} : Adjoint::of(a.value, false));
  }
  return common;
}

// xs_adj[index] += value if `inside`
void Adjoints::add_where(Var xs, const Atom& index, const Atom& value, std::optional<Atom> inside) {
  if (!inside) return add_at(xs, {index}, value);
  if (is_few(xs)) return add(xs, choices(xs, index, value, inside), true);
  Var carrier = carriers({xs})[0];                           // xs itself, or what its adjoint is part of
  bool accumulator = accumulates(carrier);
  if (!accumulator) own(carrier);
  Atom before = state(carrier).value;
  If guarded;
  guarded.cond = *inside;
  guarded.then_ = b_.body([&] {
    Versions names(act_);
    Adjoints inner(*this, names, {carrier});
    inner.add_at(xs, {index}, value);
    return std::vector<Atom>{inner.state(carrier).value};
  });
  guarded.else_ = b_.body([&] { return std::vector<Atom>{before}; });
  thread(carrier, b_.bind1(p_.hint(carrier) + "_adj", std::move(guarded)), accumulator);
}

// ---- accumulators of the primal ----

bool Adjoints::is_gathered(const Type& t) const {
  auto acc = std::get_if<AccType>(&t);
  return acc && gathered_.contains(acc->token);
}
bool Adjoints::updates_gathered(const Stm& s) const {
  return std::ranges::any_of(s.pattern, [&](Bind x) { return is_gathered(p_.type(x.var)); });
}

}  // namespace raido::ad
