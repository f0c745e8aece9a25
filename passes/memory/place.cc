// place.cc - Parallel to Memory: every array gets a block, an offset and strides.
//
// A fresh array gets a block of its own, row by row. A view (slice, permutation, most reshapes) lies in its source's
// block. An update happens in place. A live-out of a branch or loop is either the same place on every path, or in a block that is live-out
// beside it. The parts of its layout that differ are then live-out, too.
//
// Copies are elided in three steps. The first (place_candidates.h) finds the arrays that could be built at once where a later statement
// copies them. The second (place_conflicts.h) decides which ones may be. Then Placer (placer.h) builds them there. The update, or the part
// of a concatenation, is marked in_place and is nothing at run time. A seg wants the results of its body in the rows of its own results. A
// branch wants those of both its bodies in one place. A scope of accumulators wants those of its body where its own are wanted.
//
// A loop whose body updates its own state works in the block of the initial array (which the loop consumes). Any other
// array state is a block carried from iteration to iteration; `double_buffer` and `hoist_allocs` make those cheap.
// Constant arrays that nobody updates move to the program's constants.
#include "passes/memory/placer.h"

#include <algorithm>

namespace raido {
namespace placement {

namespace {

// Reshaped arrays that the program uses only to read single elements.
VarSet read_by_element(const Program& p) {
  std::vector<Var> reshaped;
  VarMap<int> others;
  p.each_body([&](const Body& b) {
    each_stm(b, [&](const Stm& s) {
      if (std::holds_alternative<Reshape>(s.exp)) reshaped.push_back(s.pattern[0].var);
      auto x = std::get_if<Index>(&s.exp);
      if (x && is_scalar(p.type(s.pattern[0].var))) others[x->array]--;
    });
    each_use(p, b, [&](Var v) { others[v]++; });
  });
  VarSet read;
  for (Var v : reshaped) if (others[v] == 0) read.insert(v);
  return read;
}

}  // namespace

void Placer::run() {
  if (target_ != Target::Gpu) interleaved_ = interleaved(p_);
  else element_reads_ = read_by_element(p_);
  Candidates constants = find_candidates(p_, origins_, p_.constants, 0);
  sizes_.open(p_.constants.stms);
  for (size_t k = 0; k < constants.stms.size(); k++) statement(p_.constants.stms, constants, k, 0);
  std::vector<bool> called(p_.functions.size());
  p_.each_body([&](const Body& b) {
    each_stm(b, [&](const Stm& s) { if (auto x = std::get_if<Call>(&s.exp)) called[x->callee.index] = true; });
  });
  for (size_t k = 0; k < called.size(); k++) signature(p_.functions[k], called[k]);
  for (Function& f : p_.functions) function(f);
  sizes_.close();
}

Place Placer::alloc(List<Stm>& out, ArrayType t, std::string hint, Source source) {
  Atom bytes = sizes_.mul(volume(sizes_, t.shape), i64_atom(bytes_of(t.elem)));
  Var block = p_.fresh(hint + "_mem", BlockType{space()});
  emit(out, {{{block}}, Alloc{space(), bytes}, {}, source, {}});
  return {block, {i64_atom(0), row_major(sizes_, t.shape)}};
}
Var Placer::copy_to(List<Stm>& out, Var v, Place where) {
  Var copied = p_.fresh(p_.hint(v), p_.type(v));
  put(copied, std::move(where));
  emit(out, {{{copied}}, Copy{v}, {}, {}, {}});
  return copied;
}
Atom Placer::canonical(List<Stm>& out, const Atom& a) {
  Place here = place(a);
  if (is_const(here.layout.offset, 0) && is_row_major(sizes_, here.layout, array(a)->shape)) return a;
  ArrayType t = *array(a);
  return copy_to(out, *var_of(a), alloc(out, t, p_.hint(*var_of(a)), {}));
}

// ---- where an array is built ----

bool Placer::in_scope(const Place& where) const {
  bool all = sizes_.in_scope(where.block) && sizes_.in_scope(where.layout.offset);
  for (const Atom& a : where.layout.strides) all = all && sizes_.in_scope(a);
  return all;
}
bool Placer::in_scope(const std::vector<Dim>& shape) const {
  return std::ranges::all_of(shape, [&](const Dim& d) { return sizes_.in_scope(d); });
}

std::optional<Place> Placer::elided(List<Stm>& out, const Candidates& body, Var v, size_t k) {
  if (auto known = decided_.find(v); known != decided_.end()) return known->second;
  if (auto wanted = body.result_place.find(v); wanted != body.result_place.end()) {
    const Place& where = wanted->second;
    if (in_scope(where) && conflicts_.may_lie_there(body, v, k, body.stms.size(), where, nullptr)) return where;
    return {};
  }
  auto c = body.consumer.find(v);
  if (c == body.consumer.end() || c->second.several || c->second.stm <= k) return {};
  auto where = place_in(out, body, c->second, v, k);
  auto into = std::get_if<Update>(&body.stms[c->second.stm]->exp);
  if (into && origins_.before_reshape(into->value, origins_.depth(v))) into = nullptr;
  if (where && conflicts_.may_lie_there(body, v, k, c->second.stm, *where, into)) return where;
  return {};
}
std::optional<Place> Placer::place_in(List<Stm>& out, const Candidates& body, const Candidates::Consumer& consumer, Var v, size_t k) {
  const Stm& s = *body.stms[consumer.stm];
  return match(s.exp,
    [&](const Update& x) -> std::optional<Place> {
      if (!sizes_.in_scope(x.array) || !array(x.array)->place) return {};
      bool known = true;
      walk(x.at, [&](const Atom& a) { known = known && sizes_.in_scope(a); });
      for (Var check : s.checks) known = known && sizes_.in_scope(check);   // nothing is written outside
      if (!known) return {};
      return in_shape_of(v, x.value, {place(x.array).block, sliced(sizes_, place(x.array).layout, x.at)});
    },
    [&](const Concat& x) -> std::optional<Place> {
      auto whole = decided(out, body, s, k);
      if (!whole) return {};
      Atom start = i64_atom(0);
      for (size_t i = 0; i < consumer.part; i++) {
        Dim n = array(x.arrays[i])->shape[size_t(x.dim)];
        if (!sizes_.in_scope(n)) return {};
        start = sizes_.add(start, n);
      }
      whole->layout.offset = sizes_.add(whole->layout.offset, sizes_.mul(start, whole->layout.strides[size_t(x.dim)]));
      return in_shape_of(v, x.arrays[consumer.part], std::move(*whole));
    },
    [&](const ArrayLit& x) -> std::optional<Place> {
      auto whole = decided(out, body, s, k);
      if (!whole) return {};
      return in_shape_of(v, x.elements[consumer.part], {whole->block, sliced(sizes_, whole->layout, {i64_atom(int64_t(consumer.part))})});
    },
    [](const auto&) -> std::optional<Place> { return {}; });   // only these three are consumers
}
std::optional<Place> Placer::in_shape_of(Var v, const Atom& value, Place where) {
  if (!origins_.before_reshape(value, origins_.depth(v))) return where;
  if (where.layout.strides.size() != 1 || !is_const(where.layout.strides[0], 1) || !in_scope(array(v)->shape)) return {};
  where.layout.strides = row_major(sizes_, array(v)->shape);
  return where;
}
std::optional<Place> Placer::decided(List<Stm>& out, const Candidates& body, const Stm& creator, size_t k) {
  Var v = creator.pattern[0].var;
  if (auto known = decided_.find(v); known != decided_.end()) return known->second;
  if (!in_scope(array(v)->shape)) return {};
  auto where = elided(out, body, v, k);
  if (!where) where = alloc(out, *array(v), p_.hint(v), creator.source);
  decided_.emplace(v, *where);
  return where;
}

// ---- statements ----

void Placer::statement(List<Stm>& out, Candidates& body, size_t number, uint32_t depth) {
  Stm& s = *body.stms[number];               // Conflicts looks at it
  auto made = [&] { created(out, body, number, s, s.pattern[0].var); };
  auto view = [&](Var of, Lmad layout) { put(s.pattern[0].var, {place(of).block, std::move(layout)}); };
  match(s.exp,
    [&](Iota&) { made(); },
    [&](Replicate&) { made(); },
    [&](Scratch&) { if (!side_by_side(out, s)) made(); },
    [&](Copy&) { made(); },
    [&](ArrayLit& x) { made(); literal(s, x); },
    [&](Concat& x) { made(); concat(s, x); },
    [&](Data& x) {
      if (origins_.is_overwritten(s.pattern[0].var) || depth == 0) return made();
      auto [found, fresh] = constant_data_.try_emplace(x.data.index);
      if (fresh) found->second = data_constant(x.data, s);
      put(s.pattern[0].var, place(found->second));
      s.exp = Identity{found->second};
    },
    [&](Identity& x) { if (array(x.value)) put(s.pattern[0].var, place(x.value)); },
    [&](Index& x) {
      read_element(out, x);
      if (array(s.pattern[0].var)) view(x.array, sliced(sizes_, place(x.array).layout, x.at));
    },
    [&](Permute& x) { view(x.array, permuted(place(x.array).layout, x.dims)); },
    [&](Reshape& x) { reshape(out, s, x); },
    [&](Update& x) {
      put(s.pattern[0].var, place(x.array));
      x.in_place = array(x.value) && lies_at(x.value, x.array, x.at);
    },
    [&](Call& x) { call(out, s, x); },
    [&](If& x) { branch(out, body, number, s, x, depth); },
    [&](For&) { loop(out, s, depth); },
    [&](While&) { loop(out, s, depth); },
    [&](WithAcc& x) { with_acc(out, body, number, s, x, depth); },
    [&](Seg& x) { seg(out, body, number, s, x, depth); },
    [](auto&) {});   // scalars, proofs and accumulators have no place
  emit(out, std::move(s));
}
void Placer::created(List<Stm>& out, const Candidates& body, size_t number, const Stm& s, Var v) {
  auto where = elided(out, body, v, number);
  put(v, where ? *where : alloc(out, *array(v), p_.hint(v), s.source));
}
// Element k of an interleaved array lies after element k of the one before it; the first to come makes the block.
bool Placer::side_by_side(List<Stm>& out, const Stm& s) {
  auto found = interleaved_.find(s.pattern[0].var);
  if (found == interleaved_.end()) return false;
  const auto& [first, number, of] = found->second;
  Dim n = array(s.pattern[0].var)->shape[0];
  if (!common_.contains(first)) {
    c_.stats.count("place.interleaved");
    common_.emplace(first, alloc(out, {array(s.pattern[0].var)->elem, {n, i64_atom(of)}, {}}, p_.hint(first), s.source).block);
  }
  put(s.pattern[0].var, {common_.at(first), {i64_atom(number), {i64_atom(of)}}});
  return true;
}

bool Placer::lies_at(const Atom& value, Var whole, const std::vector<Selector>& at) {
  return same_place(place(value), {place(whole).block, sliced(sizes_, place(whole).layout, at)});
}
void Placer::literal(Stm& s, ArrayLit& x) {
  for (size_t k = 0; k < x.elements.size(); k++)
    x.in_place.push_back(array(x.elements[k]) && lies_at(x.elements[k], s.pattern[0].var, {i64_atom(int64_t(k))}));
  if (std::ranges::find(x.in_place, true) == x.in_place.end()) x.in_place.clear();
}
void Placer::concat(Stm& s, Concat& x) {
  Place whole = place(s.pattern[0].var);
  Atom start = i64_atom(0);
  for (Var v : x.arrays) {
    Place part = whole;
    part.layout.offset = sizes_.add(whole.layout.offset, sizes_.mul(start, whole.layout.strides[size_t(x.dim)]));
    x.in_place.push_back(same_place(part, place(v)));
    start = sizes_.add(start, array(v)->shape[size_t(x.dim)]);
  }
  if (std::ranges::find(x.in_place, true) == x.in_place.end()) x.in_place.clear();
}
void Placer::reshape(List<Stm>& out, Stm& s, Reshape& x) {
  const Var v = s.pattern[0].var;
  auto layout = reshaped(sizes_, place(x.array).layout, array(x.array)->shape, x.shape);
  if (!layout && in_kernel() && element_reads_.contains(v)) {
    c_.stats.count("place.elements");
    auto [joined, shape] = without_gaps(sizes_, place(x.array).layout, array(x.array)->shape);
    read_as_.emplace(v, std::exchange(x.shape, shape));
    std::get<ArrayType>(p_.vars[v.index].type).shape = std::move(shape);
    layout = std::move(joined);
  } else if (!layout) {
    ArrayType t = *array(x.array);
    x.array = copy_to(out, x.array, alloc(out, t, p_.hint(x.array), s.source));
    layout = reshaped(sizes_, place(x.array).layout, t.shape, x.shape);
  }
  put(v, {place(x.array).block, *layout});
}
// Where the element lies that a reader knows under another shape.
void Placer::read_element(List<Stm>& out, Index& x) {
  auto known = read_as_.find(x.array);
  if (known == read_as_.end()) return;
  Atom number = i64_atom(0);                 // among all elements
  for (size_t d = 0; d < x.at.size(); d++) number = sizes_.add(sizes_.mul(number, known->second[d]), std::get<Atom>(x.at[d]));
  const std::vector<Dim> shape = array(x.array)->shape;
  x.at.assign(shape.size(), Atom());
  for (size_t d = shape.size(); d-- > 1;) {
    const Var before = p_.fresh("before", scalar_type(Scalar::I64));
    emit(out, {{{before}}, Apply{ScalarOp::quot, {number, shape[d]}}, {}, {}, {}});
    const Atom whole = sizes_.mul(before, shape[d]);
    const Var rest = p_.fresh("rest", scalar_type(Scalar::I64));
    emit(out, {{{rest}}, Apply{ScalarOp::sub, {number, whole}}, {}, {}, {}});
    x.at[d] = rest;
    number = before;
  }
  x.at[0] = number;
}
Var Placer::data_constant(DataId data, const Stm& s) {
  Var v = p_.fresh(p_.hint(s.pattern[0].var), p_.type(s.pattern[0].var));
  const DataArray& d = p_.data[data.index];
  int64_t count = 1;
  std::vector<Atom> strides(d.shape.size());
  for (size_t k = d.shape.size(); k-- > 0; count *= d.shape[k]) strides[k] = i64_atom(count);
  Space where = outermost_space();
  Var block = p_.fresh(p_.hint(v) + "_mem", BlockType{where});
  put(v, {block, {i64_atom(0), strides}});
  p_.constants.stms.push_back(Stm{{{block}}, Alloc{where, i64_atom(count * bytes_of(d.elem))}, {}, s.source, {}});
  p_.constants.stms.push_back(Stm{{{v}}, Data{data}, {}, s.source, {}});
  sizes_.bound_outermost(block);
  sizes_.bound_outermost(v);
  return v;
}

}  // namespace placement

void place(ir::Program& program, PassContext& context) {
  if (context.target != ir::Target::Gpu) placement::literals_apart(program);   // there a copy is one command
  placement::Placer(program, context).run();
}

}  // namespace raido
