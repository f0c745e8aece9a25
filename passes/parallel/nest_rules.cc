// nest_rules.cc - what one statement of a nest may become before its body is taken in order, and the counts that versions are chosen by (nest_rules.h).
//
//   F12  update of a row by a row                the same for all points at once
//   F23  assertion that is the same everywhere   the same before the nest, where it has points: a row of a negative length has no
//                                                point that could fail
//   F25  map of a length that varies, below an   its updates are a loop that does nothing but accumulate (F13), if their values are light; the
//        extent, which accumulates beside more   rest stays
//
// A version is chosen by the number of points, and by how many elements each of them has for threads of its own.
#include "passes/parallel/nest_rules.h"

#include <algorithm>

#include "compiler/ir/analysis/affine_code.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/costs.h"

namespace raido {
using namespace ir;

void NestRules::updates_apart(const MapNest& nest, Body& b) {
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
std::optional<Stm> NestRules::updates_of(const MapNest& nest, const Stm& s, const Screma& x) {
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
bool NestRules::row_updated(MapNest& nest, Stm& s) {
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
bool NestRules::filled_before(MapNest& nest, Stm& s, const List<Stm>& group, const std::vector<std::unique_ptr<Stm>>& body) {
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
  Atom made = spread(nest, *from, shape_of(p_.type(s.pattern[0].var)), group, s.checks);
  if (!irregular_) name(nest, s.pattern[0].var, made, s.source);
  return true;
}
bool NestRules::asserted_before(const MapNest& nest, Stm& s) {
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

// ---- counts ----
bool NestRules::iterates(const Stm& s) const {
  if (!regular_.is_parallel(s)) return false;
  return match(s.exp, [&](const For& x) { return !regular_.accumulates_only(x); }, [&](const If& x) { return iterates(x.then_) || iterates(x.else_); },
               [&](const WithAcc& x) { return iterates(x.scope.body); }, [](const auto&) { return false; });
}
bool NestRules::iterates(const Body& b) const {
  return std::any_of(b.stms.begin(), b.stms.end(), [&](const Stm& s) { return iterates(s); });
}
std::optional<Term> NestRules::volume(const Body& b) {
  Term sum = out_->number(Scalar::I64, 0);
  for (const Stm& s : b.stms) {
    if (!regular_.is_parallel(s)) continue;
    auto elements = volume(s);
    if (!elements) return {};
    sum = sum + *elements;
  }
  return sum;
}
std::optional<Term> NestRules::volume(const Stm& s) {
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
Dim NestRules::bound(const Dim& width) {
  if (!regular_.varies(width)) return width;
  return code_of(*out_, *regular_.bound_of_form(width)).atom;
}
MapNest NestRules::guarded_row(const MapNest& nest, const Stm& s, Screma& x) {
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
Term NestRules::is_full(const std::vector<Dim>& extent) {
  Term n = out_->number(Scalar::I64, 1);
  for (const Dim& d : extent) n = n * out_->term(d);
  return le(out_->term(out_->bind1("many", Tunable{"outer", "threshold", i64_atom(costs::gpu::full_device)})), n);
}
std::optional<Term> NestRules::alone(const MapNest& inner, const Screma& x) {
  if (inner.index.size() < 2 || !x.scans.empty() || !regular_.contains_parallel(x.pre.body) || regular_.updates_outside(x.pre.body)) return {};
  if (!std::ranges::all_of(x.pre.body.result, [&](const Atom& a) { return is_scalar(p_.type(a)); })) return {};
  if (iterates(x.pre.body)) return {};
  auto each = volume(x.pre.body);
  if (!each) return {};
  const Term few = lt(*each, out_->number(Scalar::I64, costs::gpu::short_row)), many = is_full(inner.extent);
  return and_(few, many);
}
void NestRules::count_from_other_end(For& x) {
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

}  // namespace raido
