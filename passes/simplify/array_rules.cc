// array_rules.cc - indices, views and copies (A1 to A7).
#include "compiler/ir/analysis/scalar_code.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/build.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/transform.h"
#include "passes/simplify/simplify.h"

namespace raido::simplification {
namespace {

using namespace ir;

bool all_scalar(const std::vector<Selector>& at) {
  for (const Selector& s : at) if (!std::holds_alternative<Atom>(s)) return false;
  return true;
}
const Atom& scalar_at(const std::vector<Selector>& at, size_t i) { return std::get<Atom>(at[i]); }

// index (iota n start step) [i]   ==>   start + i*step                                                 [A1.iota]
Rewrite index_of_iota(Site& s, Index& x) {
  auto iota = s.definition<Iota>(x.array);
  if (!iota || !all_scalar(x.at)) return no;
  Term i = convert(s.elem(iota->start), s.term(scalar_at(x.at, 0)));
  return s.term(iota->start) + i * s.term(iota->step);
}
// index (replicate [n,m] v) [i, j]   ==>   v                                                           [A1.replicate]
Rewrite index_of_replicate(Site& s, Index& x) {
  auto r = s.definition<Replicate>(x.array);
  if (!r || !all_scalar(x.at) || !s.shareable(s.result()) || !s.lasts(r->value)) return no;
  if (x.at.size() == r->shape.size()) return r->value;
  if (x.at.size() < r->shape.size())
    return s.b.replicate({r->shape.begin() + i64(x.at.size()), r->shape.end()}, r->value);
  return s.b.index("x", *var_of(r->value), [&] {
    std::vector<Atom> rest;
    for (size_t i = r->shape.size(); i < x.at.size(); i++) rest.push_back(scalar_at(x.at, i));
    return rest;
  }());
}
// index (array [a, b, ..]) [1]   ==>   b                                                               [A1.literal]
Rewrite index_of_literal(Site& s, Index& x) {
  auto lit = s.definition<ArrayLit>(x.array);
  auto c = lit && std::holds_alternative<Atom>(x.at[0]) ? const_of(scalar_at(x.at, 0)) : nullptr;
  if (!c || c->as_i64() < 0 || c->as_i64() >= isize(lit->elements)) return no;
  Atom element = lit->elements[size_t(c->as_i64())];
  if (!s.lasts(element)) return no;
  if (x.at.size() == 1) return s.shareable(s.result()) ? Rewrite(element) : no;
  x = Index{*var_of(element), {x.at.begin() + 1, x.at.end()}};
  return changed();
}
// index (index xs [i, a +: n * s]) [j, ..]   ==>   index xs [i, a + j*s, ..]                           [A1.index]
Rewrite index_of_index(Site& s, Index& x) {
  auto inner = s.definition<Index>(x.array);
  if (!inner || s.consumed.contains(x.array) || s.consumed.contains(s.result())) return no;
  std::vector<Selector> at;
  size_t next = 0;
  for (const Selector& sel : inner->at) {
    auto slice = std::get_if<Slice>(&sel);
    if (!slice || next == x.at.size()) { at.push_back(sel); continue; }
    const Selector& outer = x.at[next++];
    auto place = [&](const Atom& k) { return (s.term(slice->start) + s.term(k) * s.term(slice->stride)).atom; };
    match(outer, [&](const Atom& k) { at.push_back(place(k)); },
          [&](const Slice& part) {
            Atom start = place(part.start);
            at.push_back(Slice{start, part.count, (s.term(part.stride) * s.term(slice->stride)).atom});
          });
  }
  at.insert(at.end(), x.at.begin() + i64(next), x.at.end());
  if (const Stm* d = s.definitions.of(x.array)) {           // proofs of the inner index, too
    for (Var c : d->checks)
      if (std::ranges::find(s.stm.checks, c) == s.stm.checks.end()) s.stm.checks.push_back(c);
  }
  x = Index{inner->array, std::move(at)};
  return changed();
}
// index (permute xs dims) [i, j, ..] with all dimensions fixed   ==>   index xs in the order of xs     [A1.permute]
Rewrite index_of_permute(Site& s, Index& x) {
  auto p = s.definition<Permute>(x.array);
  if (!p || !all_scalar(x.at) || x.at.size() != p->dims.size()) return no;
  std::vector<Selector> at(x.at.size());
  for (size_t k = 0; k < x.at.size(); k++) at[size_t(p->dims[k])] = x.at[k];
  x = Index{p->array, std::move(at)};
  return changed();
}
// index (reshape xs [6]) [4]   ==>   index xs [1, 1] where xs is of [2][3]                                [A1.reshape]
Rewrite index_of_reshape(Site& s, Index& x) {
  auto r = s.definition<Reshape>(x.array);
  if (!r || !all_scalar(x.at) || x.at.size() != r->shape.size()) return no;
  i64 place = 0;                                            // among all elements
  for (size_t k = 0; k < x.at.size(); k++) {
    auto n = const_of(r->shape[k]), i = const_of(scalar_at(x.at, k));
    if (!n || !i || i->as_i64() < 0 || i->as_i64() >= n->as_i64()) return no;
    place = place * n->as_i64() + i->as_i64();
  }
  const std::vector<Dim> shape = shape_of(s.p.type(r->array));
  if (!std::ranges::all_of(shape, [](const Dim& d) { return const_of(d) != nullptr; })) return no;
  std::vector<Selector> at(shape.size());
  for (size_t k = shape.size(); k-- > 0;) {
    const i64 n = const_of(shape[k])->as_i64();
    at[k] = Atom(i64_const(place % n));
    place /= n;
  }
  x = Index{r->array, std::move(at)};
  return changed();
}
// index (update xs [i] v) [j]   ==>   v if i = j, index xs [j] if xs is still there and i is not j     [A1.update]
Rewrite index_of_update(Site& s, Index& x) {
  auto u = s.definition<Update>(x.array);
  if (!u || !all_scalar(x.at) || !all_scalar(u->at) || u->at.size() != x.at.size()) return no;
  if (!is_scalar(s.p.type(u->value))) return no;
  for (size_t k = 0; k < x.at.size(); k++) {
    if (scalar_at(x.at, k) == scalar_at(u->at, k)) continue;
    auto same = s.facts.equal(scalar_at(x.at, k), scalar_at(u->at, k));
    if (!same || !*same) return no;
  }
  return u->value;
}
// index (update xs [a +: n * s] v) [a +: n * s]   ==>   v; a replicated scalar anew, which may be consumed   [A1.slice]
Rewrite slice_of_update(Site& s, Index& x) {
  auto u = s.definition<Update>(x.array);
  auto v = u ? var_of(u->value) : nullptr;
  if (!v || u->at != x.at || s.p.level == Memory || !same_type(s.p.type(*v), s.p.type(s.result()))) return no;
  if (auto r = s.definition<Replicate>(*v); r && is_scalar(s.p.type(r->value))) return s.b.replicate(r->shape, r->value);
  return s.consumed.contains(s.result()) || s.consumed.contains(*v) ? no : Rewrite(u->value);
}
bool is_whole(const Site& s, Var array, const std::vector<Selector>& at) {
  std::vector<Dim> shape = shape_of(s.p.type(array));
  for (size_t k = 0; k < at.size(); k++) {
    auto slice = std::get_if<Slice>(&at[k]);
    if (!slice || !is_const(slice->start, 0) || !is_const(slice->stride, 1) || slice->count != shape[k]) return false;
  }
  return true;
}
// index xs [0 +: n * 1] over the whole of xs   ==>   xs                                                [A3.whole]
Rewrite whole_slice(Site& s, Index& x) { return is_whole(s, x.array, x.at) ? Rewrite(x.array) : no; }
// update xs [0 +: n * 1] ys over the whole of xs   ==>   copy ys                                       [A7.whole]
Rewrite whole_update(Site& s, Update& x) {
  if (x.at.empty() || !is_whole(s, x.array, x.at)) return no;
  return s.b.bind1(s.p.hint(s.result()), Copy{*var_of(x.value)});
}
// index (iota n a b) [start +: k * stride]   ==>   iota k (a + start*b) (b*stride)                     [A3.iota]
// index (replicate [n] v) [start +: k * stride]   ==>   replicate [k] v                                [A3.replicate]
Rewrite slice_of_generated(Site& s, Index& x) {
  auto slice = x.at.size() == 1 ? std::get_if<Slice>(&x.at[0]) : nullptr;
  if (!slice || s.consumed.contains(s.result())) return no;
  if (auto iota = s.definition<Iota>(x.array)) {
    Scalar t = s.elem(iota->start);
    Term start = s.term(iota->start) + convert(t, s.term(slice->start)) * s.term(iota->step);
    Term step = s.term(iota->step) * convert(t, s.term(slice->stride));
    return s.b.bind1("is", Iota{slice->count, start.atom, step.atom});
  }
  if (auto r = s.definition<Replicate>(x.array); r && s.lasts(r->value)) {
    std::vector<Dim> shape = r->shape;
    shape[0] = slice->count;
    return s.b.replicate(shape, r->value);
  }
  return no;
}
// permute (permute xs a) b   ==>   permute xs (a[b]); the identity   ==>   xs; of a replicate of a scalar   [A4.permute]
Rewrite permutations(Site& s, Permute& x) {
  bool identity = true;
  for (size_t k = 0; k < x.dims.size(); k++) identity = identity && x.dims[k] == int(k);
  if (identity) return x.array;                            // a view of the same: consumed or not, it is one array
  if (auto inner = s.definition<Permute>(x.array); inner && !s.consumed.contains(x.array)) {
    for (int& d : x.dims) d = inner->dims[size_t(d)];
    x.array = inner->array;
    return changed();
  }
  if (auto r = s.definition<Replicate>(x.array); r && is_scalar(s.p.type(r->value)) && !s.consumed.contains(s.result()))
    return s.b.replicate(shape_of(s.p.type(s.result())), r->value);
  return no;
}
// permute (map n \.. { in replicate [m, ..] y }) [1, 0, ..]   ==>   replicate [m] (map n \.. { in replicate [..] y })   [A4.columns]
Rewrite columns_of_replicates(Site& s, Permute& x) {
  bool turned = x.dims.size() >= 2 && x.dims[0] == 1 && x.dims[1] == 0;
  for (size_t k = 2; k < x.dims.size(); k++) turned = turned && x.dims[k] == int(k);
  auto map = turned && !s.consumed.contains(s.result()) ? s.definition<Screma>(x.array) : nullptr;
  if (!map || !is_map(*map) || map->pre.body.result.size() != 1) return no;
  for (Var v : map->inputs) if (is_acc(s.p.type(v)) || !s.lasts(v)) return no;
  for (Var v : free_vars(s.p, map->pre)) if (!s.lasts(v)) return no;
  Screma once = clone(s.p, *map);
  const Replicate* row = nullptr;
  bool cheap = true;                                       // the map may have other users, and stays then
  for (const Stm& inner : once.pre.body.stms) {
    if (!inner.pattern.empty() && Atom(inner.pattern[0].var) == once.pre.body.result[0]) row = std::get_if<Replicate>(&inner.exp);
    else cheap = cheap && is_scalar_code(s.p, inner) && kind_of(inner.exp) != Kind::Branch;
  }
  if (!row || !cheap || s.consumed.contains(x.array)) return no;
  const Replicate r = *row;
  if (r.shape.size() == 1) once.pre.body.result[0] = r.value;
  else {
    Builder inside(s.p, once.pre.body.stms);
    inside.into(once.pre.body, [&](List<Stm>& stms) {
      inside.emit_all(std::move(stms));
      once.pre.body.result[0] = inside.replicate({r.shape.begin() + 1, r.shape.end()}, r.value);
    });
  }
  Var ys = s.b.bind(s.p.hint(x.array), std::move(once))[0];
  return s.b.replicate({shape_of(s.p.type(x.array))[1]}, ys);
}
// reshape to the same shape   ==>   xs; reshape (reshape xs)   ==>   reshape xs; of a replicated scalar   [A4.reshape]
Rewrite reshapes(Site& s, Reshape& x) {
  if (x.shape == shape_of(s.p.type(x.array))) return x.array;
  if (auto inner = s.definition<Reshape>(x.array); inner && !s.consumed.contains(x.array)) {
    x.array = inner->array;
    return changed();
  }
  if (auto r = s.definition<Replicate>(x.array); r && is_scalar(s.p.type(r->value)) && !s.consumed.contains(s.result()))
    return s.b.replicate(x.shape, r->value);
  return no;
}
// copy xs where nobody consumes either   ==>   xs                                                      [A6]
Rewrite copies(Site& s, Copy& x) {
  return !s.consumed.contains(s.result()) && !s.consumed.contains(x.array) ? Rewrite(x.array) : no;
}
// copy of a generated array   ==>   generate it again                                                  [A4.copy]
Rewrite copy_of_generated(Site& s, Copy& x) {
  if (auto r = s.definition<Replicate>(x.array); r && s.lasts(r->value)) return s.b.bind1(s.p.hint(s.result()), Replicate{*r});
  if (auto i = s.definition<Iota>(x.array)) return s.b.bind1(s.p.hint(s.result()), Iota{*i});
  return no;
}
// concat of one piece   ==>   that piece                                                               [A5]
Rewrite single_piece(Site& s, Concat& x) {
  if (x.arrays.size() == 1 && !s.consumed.contains(s.result()) && same_type(s.p.type(x.arrays[0]), s.p.type(s.result())))
    return x.arrays[0];
  return no;
}

// update (array [a, b, ..]) [1] v   ==>   array [a, v, ..]; likewise on a short replicate of scalars        [A7.literal]
Rewrite update_of_literal(Site& s, Update& x) {
  auto c = x.at.size() == 1 && std::holds_alternative<Atom>(x.at[0]) ? const_of(scalar_at(x.at, 0)) : nullptr;
  if (!c || !is_scalar(s.p.type(x.value))) return no;
  std::vector<Atom> elements;
  if (auto lit = s.definition<ArrayLit>(x.array)) elements = lit->elements;
  else if (auto r = s.definition<Replicate>(x.array); r && r->shape.size() == 1) {
    auto n = const_of(r->shape[0]);
    if (n && n->as_i64() <= i64(costs::longest_literal) && n->as_i64() > 0) elements.assign(size_t(n->as_i64()), r->value);
  }
  if (c->as_i64() < 0 || c->as_i64() >= isize(elements)) return no;
  elements[size_t(c->as_i64())] = x.value;
  return s.b.bind1(s.p.hint(s.result()), ArrayLit{std::move(elements)});
}

// update xs [at] (index xs [at]), perhaps copied   ==>   xs                                           [A7.own]
Rewrite update_with_own(Site& s, Update& x) {
  Atom value = x.value;
  if (auto v = var_of(value))
    if (auto copy = s.definition<Copy>(*v)) value = copy->array;
  auto v = var_of(value);
  auto index = v ? s.definition<Index>(*v) : nullptr;
  return index && index->array == x.array && index->at == x.at ? Rewrite(x.array) : no;
}
constexpr Rule<Update> update_rules[] = {{"A7.own", update_with_own}, {"A7.literal", update_of_literal}, {"A7.whole", whole_update}};
constexpr Rule<Index> index_rules[] = {{"A1.iota", index_of_iota},     {"A1.replicate", index_of_replicate},
                                       {"A1.literal", index_of_literal}, {"A1.index", index_of_index},
                                       {"A1.permute", index_of_permute}, {"A1.reshape", index_of_reshape},
                                       {"A1.update", index_of_update}, {"A1.slice", slice_of_update},
                                       {"A3.whole", whole_slice},      {"A3.generated", slice_of_generated}};
constexpr Rule<Permute> permute_rules[] = {{"A4.permute", permutations}, {"A4.columns", columns_of_replicates}};
constexpr Rule<Reshape> reshape_rules[] = {{"A4.reshape", reshapes}};
constexpr Rule<Copy> copy_rules[] = {{"A6", copies}, {"A4.copy", copy_of_generated}};
constexpr Rule<Concat> concat_rules[] = {{"A5", single_piece}};

}  // namespace

template <> std::span<const Rule<Index>> rules<Index>() { return index_rules; }
template <> std::span<const Rule<Update>> rules<Update>() { return update_rules; }
template <> std::span<const Rule<Permute>> rules<Permute>() { return permute_rules; }
template <> std::span<const Rule<Reshape>> rules<Reshape>() { return reshape_rules; }
template <> std::span<const Rule<Copy>> rules<Copy>() { return copy_rules; }
template <> std::span<const Rule<Concat>> rules<Concat>() { return concat_rules; }

}  // namespace raido::simplification
