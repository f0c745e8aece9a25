// nests.cc - code over a nest of maps, and arrays of what its points hold (nests.h).
//
//   F0   a group                                 one seg map over the nest; what is used later becomes an array over the
//                                                nest, read by the prefix from then on
//   F9   copy, replicate                         a point for each element
//
// The code of a nest is a copy of what its results need: of the prefix, which each seg computes again, and of the group. What is
// used after the group becomes an array over the nest, of which the prefix reads the element of the point.
#include "passes/parallel/nests.h"

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"

namespace raido {
using namespace ir;

std::vector<Atom> NestBuilder::at(const MapNest& nest) {
  std::vector<Atom> all;
  for (Bind b : nest.index) all.push_back(b.var);
  return all;
}
void NestBuilder::add(MapNest& nest, Stm s) {
  nest.operations += std::holds_alternative<Apply>(s.exp) || std::holds_alternative<Convert>(s.exp);
  nest.prefix.push_back(std::move(s));
}
void NestBuilder::name(MapNest& nest, Var v, const Atom& made, Source source) {
  std::vector<Atom> where = at(nest);
  nest.fresh.insert(*var_of(made));
  if (where.empty()) out_->emit({{{v}}, Identity{made}, {}, source, {}});
  else if (is_acc(p_.type(v))) nest.accs[v] = made;
  else nest.prefix.push_back({{{v}}, Index{*var_of(made), {where.begin(), where.end()}}, {}, source, {}});
}
void NestBuilder::name_all(MapNest& nest, const std::vector<Bind>& pattern, const std::vector<Atom>& made, Source source) {
  for (size_t k = 0; k < pattern.size(); k++) name(nest, pattern[k].var, made[k], source);
}
MapNest NestBuilder::extended(const MapNest& nest, const Dim& width, const std::vector<Var>& inputs, const std::vector<Bind>& params, const Stm& s) {
  MapNest inner = nest;
  Var i = fresh_index();
  inner.index.push_back({i});
  inner.extent.push_back(width);
  for (size_t k = 0; k < inputs.size(); k++) {
    if (is_acc(p_.type(inputs[k]))) {
      inner.accs[params[k].var] = inputs[k];
    } else {
      Exp element = Identity{i};
      if (!regular_.forms().counts(inputs[k])) element = Index{inputs[k], {Atom(i)}};
      inner.prefix.push_back({{params[k]}, std::move(element), s.checks, s.source, {}});
    }
  }
  // A map that makes arrays of its width needs no proof: there is no memory of a negative size.
  if (std::ranges::any_of(inputs, [&](Var v) { return is_acc(p_.type(v)); }))
    for (Var proof : regular_.asserted_lengths(inputs)) inner.proofs.push_back(proof);
  return inner;
}
Var NestBuilder::fresh_index() {
  Var i = p_.fresh("i", scalar_type(Scalar::I64));
  regular_.add(i);
  return i;
}
void NestBuilder::add_checks(Body& b, const std::vector<Var>& checks) {
  for (Stm& s : b.stms) s.checks.insert(s.checks.end(), checks.begin(), checks.end());
}
Lambda NestBuilder::code(const MapNest& nest, const List<Stm>& group, const std::vector<Atom>& results) {
  Lambda all{nest.index, {{}, results}};
  VarSet wanted;
  auto want = [&](Var v) { wanted.insert(v); };
  each_use(p_, results, want);
  std::vector<const Stm*> kept;
  for (const List<Stm>* part : {&group, &nest.prefix})
    for (const Stm& s : reversed(*part)) {
      if (std::none_of(s.pattern.begin(), s.pattern.end(), [&](Bind b) { return wanted.contains(b.var); })) continue;
      kept.push_back(&s);
      each_use(p_, s, want);
    }
  for (const Stm* s : reversed(kept)) all.body.stms.push_back(*s);
  Lambda copy = clone(p_, all);
  regular_.add(copy);
  return copy;
}
std::vector<std::string> NestBuilder::hints_of(const std::vector<Atom>& atoms) const {
  std::vector<std::string> hints;
  for (const Atom& a : atoms) hints.push_back(var_of(a) ? p_.hint(*var_of(a)) : "all");
  return hints;
}
std::vector<Atom> NestBuilder::points(const MapNest& nest, const List<Stm>& group, const std::vector<Atom>& results) {
  if (results.empty()) return {};
  for (const Atom& a : results) irregular_ |= regular_.has_varying_shape(p_.type(a)) || is_check(p_.type(a));
  if (irregular_) return results;
  c_.stats.count("flatten.F0");
  Lambda f = code(nest, group, results);
  std::vector<Atom> out;
  out_->checks = nest.proofs;
  for (Var v : out_->bind(hints_of(results), Seg{SegLevel::Grid, f.params, nest.extent, std::move(f.body), {}, {}, {}, {}, {}})) out.push_back(v);
  out_->checks = {};
  return out;
}
std::optional<Var> NestBuilder::whole(const MapNest& nest, Var v) const {
  std::vector<Atom> selected;
  for (const Stm& s : reversed(nest.prefix)) {
    if (!binds(s, v)) continue;
    auto x = std::get_if<Index>(&s.exp);
    if (!x || !s.checks.empty()) return {};
    std::vector<Atom> here;
    for (const Selector& sel : x->at) {
      auto atom = std::get_if<Atom>(&sel);
      if (!atom) return {};
      here.push_back(*atom);
    }
    selected.insert(selected.begin(), here.begin(), here.end());
    v = x->array;
  }
  if (regular_.varies(v) || selected != at(nest)) return {};
  return v;
}
std::vector<Atom> NestBuilder::over_nest(const MapNest& nest, const std::vector<Atom>& atoms, const List<Stm>& group) {
  VarMap<const Stm*> waiting;
  VarSet taken;
  for (const Stm& s : group) for (Bind b : s.pattern) waiting[b.var] = &s;
  std::vector<Atom> all(atoms.size()), results;
  std::vector<size_t> where;
  for (size_t k = 0; k < atoms.size(); k++) {
    auto v = var_of(atoms[k]);
    const Stm* pending = v ? waiting[*v] : nullptr;
    auto from = pending ? spread_from(*pending, group) : std::nullopt;
    if (from) {
      out_->source = pending->source;
      all[k] = spread(nest, *from, shape_of(p_.type(*v)), group, pending->checks);
    } else if (!pending && v && is_acc(p_.type(*v))) {
      all[k] = atoms[k];
    } else if (!pending && !regular_.varies(atoms[k])) {
      all[k] = out_->replicate(nest.extent, atoms[k]);
    } else if (auto base = pending ? std::nullopt : whole(nest, *v); base && nest.fresh.contains(*base) && !taken.contains(*base)) {
      taken.insert(*base);
      all[k] = *base;
    } else if (!pending && is_array(p_.type(*v))) {
      all[k] = copied(nest, *v);
    } else {
      where.push_back(k);
      results.push_back(atoms[k]);
    }
  }
  std::vector<Atom> made = points(nest, group, results);
  for (size_t k = 0; k < where.size(); k++) all[where[k]] = made[k];
  return all;
}
Atom NestBuilder::copied(const MapNest& nest, Var v) {
  if (auto base = whole(nest, v)) return out_->copy(*base);
  const std::vector<Dim> shape = shape_of(p_.type(v));
  std::optional<Term> empty = checks_nothing(nest.prefix, shape);
  if (!empty) return spread(nest, v, shape);
  If versions{empty->atom, {}, {}};
  versions.then_ = out_->body([&] { return points(nest, {}, {v}); });
  versions.else_ = out_->body([&] { return std::vector<Atom>{spread(nest, v, shape)}; });
  return out_->bind(p_.hint(v), std::move(versions))[0];
}
// F24.
std::optional<Term> NestBuilder::checks_nothing(const List<Stm>& code, const std::vector<Dim>& extent) const {
  bool asserts = false;
  for (const Stm& s : code)
    if (std::holds_alternative<Assert>(s.exp)) each_use(p_, s, [&](Var v) { asserts = asserts || regular_.varies(v); });
  std::optional<Term> empty;
  for (const Dim& d : extent) {
    if (!asserts || const_of(d)) continue;
    Term none = le(out_->term(d), out_->number(Scalar::I64, 0));
    empty = empty ? or_(*empty, none) : none;
  }
  return empty;
}
std::optional<Atom> NestBuilder::spread_from(const Stm& s, const List<Stm>& group) const {
  std::optional<Atom> from;
  if (auto fill = std::get_if<Replicate>(&s.exp); fill && is_scalar(p_.type(fill->value))) from = fill->value;
  if (auto copy = std::get_if<Copy>(&s.exp)) from = copy->array;
  if (!from || regular_.has_varying_shape(s.pattern)) return {};
  for (Var check : s.checks) if (regular_.varies(check)) return {};
  VarSet wanted;
  each_use(p_, *from, [&](Var v) { wanted.insert(v); });
  for (const Stm& other : reversed(group)) {             // what it hangs on is computed for each element
    if (std::none_of(other.pattern.begin(), other.pattern.end(), [&](Bind b) { return wanted.contains(b.var); })) continue;
    const bool checked = std::ranges::any_of(other.checks, [&](Var check) { return regular_.varies(check); });
    if (checked || kind_of(other.exp) == Kind::Check || !regular_.is_light(0, other)) return {};
    each_use(p_, other, [&](Var v) { wanted.insert(v); });
  }
  return from;
}
Atom NestBuilder::spread(const MapNest& nest, const Atom& from, const std::vector<Dim>& shape, const List<Stm>& group, const std::vector<Var>& checks) {
  c_.stats.count("flatten.F9");
  MapNest inner = nest;
  for (Var check : checks)
    if (std::ranges::find(inner.proofs, check) == inner.proofs.end()) inner.proofs.push_back(check);
  std::vector<Selector> where;
  for (const Dim& d : shape) {
    inner.index.push_back({fresh_index()});
    inner.extent.push_back(d);
    where.push_back(Atom(inner.index.back().var));
  }
  if (!is_array(p_.type(from))) return points(inner, group, {from}).at(0);
  Var element = p_.fresh(p_.hint(*var_of(from)), scalar_type(elem_of(p_.type(from))));
  regular_.add(element);
  List<Stm> all = group;
  all.push_back({{{element}}, Index{*var_of(from), where}, {}, out_->source, {}});
  return points(inner, all, {element}).at(0);
}
std::vector<Dest> NestBuilder::over_nest(const MapNest& nest, const std::vector<Dest>& dests) {
  std::vector<Dest> all = dests;
  for (Dest& d : all) {
    if (nest.index.empty()) continue;
    for (Var& v : d.arrays) {
      auto base = whole(nest, v);                // consumed, so nobody else reads it again
      v = base ? *base : *var_of(copied(nest, v));
    }
    d.rank += int(nest.index.size());
  }
  return all;
}
Type NestBuilder::element_type(const Atom& array, const MapNest& nest) const {
  Type t = p_.type(array);
  for (size_t d = 0; d < nest.extent.size(); d++) t = row_type(t);
  return t;
}

}  // namespace raido
