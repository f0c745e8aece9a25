// interpret_arrays.cc - arrays of the interpreter: views, element access, copies, and the array operations of the core.
//
// Index, slice, reshape and permute make views of the same buffer. An update needs a buffer that nobody else holds, and
// copies otherwise. Only at Memory level it does not: there writing through shared memory is what the program means.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/ir/interpreter.h"

namespace raido::ir {
namespace {

i64 count_of(const std::vector<i64>& shape) {
  i64 n = 1;
  for (i64 d : shape) n *= d;
  return n;
}

std::vector<i64> row_major(const std::vector<i64>& shape) {
  std::vector<i64> strides(shape.size());
  i64 step = 1;
  for (size_t i = shape.size(); i-- > 0;) strides[i] = step, step *= shape[i];
  return strides;
}

// f(offset in a, offset in b) for all elements, row by row; the shapes are equal.
template <class F> void each_pair(const Array& a, const Array& b, size_t dim, i64 at_a, i64 at_b, F&& f) {
  if (dim == a.shape.size()) return f(at_a, at_b);
  for (i64 i = 0; i < a.shape[dim]; i++)
    each_pair(a, b, dim + 1, at_a + i * a.strides[dim], at_b + i * b.strides[dim], f);
}

std::string dims(const std::vector<i64>& shape) {
  return join(shape, "", [](i64 d) { return fmt::format("[{}]", d); });
}

}  // namespace

// ---- Elements ----

Num Interpreter::load(const Array& a, i64 offset) const {
  size_t size = size_t(bytes_of(a.elem)), at = size_t(offset) * size;
  if (memory_) CHECK(offset >= 0 && at + size <= a.buffer->bytes.size(), "interpreter: read outside a block");
  Num n{{a.elem, 0}, {}};
  std::memcpy(&n.value.bits, a.buffer->bytes.data() + at, size);
  if (!a.buffer->nodes.empty()) n.ad = a.buffer->nodes[size_t(offset)];
  return n;
}
void Interpreter::store(Array& a, i64 offset, const Num& x) {
  size_t size = size_t(bytes_of(a.elem)), at = size_t(offset) * size;
  if (memory_) CHECK(offset >= 0 && at + size <= a.buffer->bytes.size(), "interpreter: write outside a block");
  CHECK(x.value.type == a.elem, "interpreter: {} stored into an array of {}", name_of(x.value.type), name_of(a.elem));
  std::memcpy(a.buffer->bytes.data() + at, &x.value.bits, size);
  if (x.ad && a.buffer->nodes.empty()) a.buffer->nodes.resize(a.buffer->bytes.size() / size);
  if (!a.buffer->nodes.empty()) a.buffer->nodes[size_t(offset)] = x.ad;
}

Ref<Array> Interpreter::fresh(Scalar elem, std::vector<i64> shape) {
  i64 bytes = bytes_of(elem);
  bool none = false, negative = false;
  for (i64 d : shape) negative = negative || d < 0, none = none || d == 0;
  for (i64 d : shape)
    if (!none && !negative && bytes <= options_.max_bytes) bytes = d > options_.max_bytes / bytes ? options_.max_bytes + 1 : bytes * d;
  if (none) bytes = 0;
  Ref<Array> a(new Array);
  a->elem = elem;
  a->buffer = Ref<Buffer>(new Buffer(counters_));
  if (negative || bytes > options_.max_bytes) {
    fail({}, negative ? fmt::format("Negative allocation: an array of shape {}.", dims(shape))
                      : fmt::format("Out of memory: an array of shape {}.", dims(shape)));
    shape.assign(shape.size(), 0);
    bytes = 0;
  }
  a->buffer->fill(size_t(bytes));
  a->strides = row_major(shape);
  a->shape = std::move(shape);
  return a;
}

Ref<Array> Interpreter::view_of_type(const ArrayType& t) {
  Ref<Array> a(new Array);
  const Ref<Buffer>* block = std::get_if<Ref<Buffer>>(&cell(t.place->block));
  CHECK(block, "interpreter: `{}` is not a block", program_.hint(t.place->block));
  a->buffer = *block;
  a->elem = t.elem;
  a->offset = integer(t.place->layout.offset);
  a->shape = integers(t.shape);
  a->strides = integers(t.place->layout.strides);
  return a;
}

Ref<Array> Interpreter::output(Bind b) {
  const ArrayType& t = std::get<ArrayType>(program_.type(b.var));
  return t.place ? view_of_type(t) : fresh(t.elem, integers(t.shape));
}

bool Interpreter::contiguous(const Array& a) const {
  i64 step = 1;
  for (size_t i = a.shape.size(); i-- > 0; step *= a.shape[i])
    if (a.shape[i] != 1 && a.strides[i] != step) return false;
  return true;
}

// The row (or 0-dimensional element) at `at`, a prefix of the dimensions.
Ref<Array> Interpreter::row(const Array& a, std::span<const i64> at) {
  Ref<Array> r(new Array);
  r->buffer = a.buffer;
  r->elem = a.elem;
  r->offset = a.offset;
  for (size_t i = 0; i < at.size(); i++) r->offset += at[i] * a.strides[i];
  r->shape.assign(a.shape.begin() + ptrdiff_t(at.size()), a.shape.end());
  r->strides.assign(a.strides.begin() + ptrdiff_t(at.size()), a.strides.end());
  return r;
}
Cell Interpreter::element(const Array& a, std::span<const i64> at) {
  if (at.size() < a.shape.size()) return row(a, at);
  i64 offset = a.offset;
  for (size_t i = 0; i < at.size(); i++) offset += at[i] * a.strides[i];
  return load(a, offset);
}
void Interpreter::store_at(Array& a, std::span<const i64> at, const Cell& value) {
  if (auto n = std::get_if<Num>(&value)) {
    i64 offset = a.offset;
    for (size_t i = 0; i < at.size(); i++) offset += at[i] * a.strides[i];
    return store(a, offset, *n);
  }
  const Ref<Array>* from = std::get_if<Ref<Array>>(&value);
  CHECK(from, "interpreter: stored something that is not a number or an array");
  copy(*row(a, at), **from);
}

// An operand that is not copied, since its operation says that it lies there.
void Interpreter::expect_in_place(const Array& place, const Cell& value) {
  const Ref<Array>* a = std::get_if<Ref<Array>>(&value);
  CHECK(a, "interpreter: a number is said to lie in its place");
  bool same = (*a)->shape == place.shape && (*a)->buffer == place.buffer && (*a)->offset == place.offset;
  for (size_t d = 0; d < place.shape.size(); d++) same = same && (place.shape[d] < 2 || (*a)->strides[d] == place.strides[d]);
  if (!same && count_of(place.shape) > 0 && !failed()) fail({}, "internal error: an operand that is said to lie in its place does not");
}

void Interpreter::expect_own_place(const Array& written) {
  for (Apart& loop : apart_) {
    if (std::ranges::find(loop.blocks, written.buffer) == loop.blocks.end()) continue;
    auto each = [&](auto&& self, size_t dim, i64 offset) -> void {
      if (dim < written.shape.size()) {
        for (i64 i = 0; i < written.shape[dim]; i++) self(self, dim + 1, offset + i * written.strides[dim]);
        return;
      }
      const unsigned char* place = written.buffer->bytes.data() + offset * bytes_of(written.elem);
      if (loop.written.try_emplace(place, loop.iteration).first->second != loop.iteration && !failed())
        fail({}, "internal error: two iterations of a loop that says they are apart write one place");
    };
    each(each, 0, written.offset);
  }
}

void Interpreter::copy(Array& to, const Array& from) {
  if (to.shape != from.shape) {
    if (!failed())
      fail({}, fmt::format("internal error: an array of shape {} is copied to shape {}", dims(from.shape), dims(to.shape)));
    return;
  }
  bool same_place = to.buffer == from.buffer && to.offset == from.offset && to.strides == from.strides && to.elem == from.elem;
  if (same_place || count_of(to.shape) == 0) return;
  if (to.buffer == from.buffer) return copy(to, *compact(from));  // they may overlap
  counters_.bytes += count_of(to.shape) * bytes_of(to.elem);
  bool plain = to.buffer->nodes.empty() && from.buffer->nodes.empty();
  if (plain && to.elem == from.elem && contiguous(to) && contiguous(from)) {
    size_t size = size_t(bytes_of(to.elem)), n = size_t(count_of(to.shape)) * size;
    size_t a = size_t(to.offset) * size, b = size_t(from.offset) * size;
    CHECK(to.offset >= 0 && from.offset >= 0 && a + n <= to.buffer->bytes.size() && b + n <= from.buffer->bytes.size(),
          "interpreter: copy outside a block");
    if (n) std::memcpy(to.buffer->bytes.data() + a, from.buffer->bytes.data() + b, n);
    return;
  }
  each_pair(to, from, 0, to.offset, from.offset, [&](i64 i, i64 j) { store(to, i, load(from, j)); });
}

Ref<Array> Interpreter::compact(const Array& a) {
  Ref<Array> r = fresh(a.elem, a.shape);
  copy(*r, a);
  return r;
}

void Interpreter::make_unique(Cell& c) {
  Ref<Array>* a = std::get_if<Ref<Array>>(&c);
  CHECK(a, "interpreter: an array was expected");
  if (memory_ || (a->only() && (*a)->buffer.only())) return;
  counters_.copies++;
  *a = compact(**a);
}

// ---- Operations ----

// The part of `a` that the selectors name; null after a failure. `scalar`: a single element.
Ref<Array> Interpreter::part_of(const Array& a, const std::vector<Selector>& at, bool& scalar) {
  Ref<Array> r(new Array);
  r->buffer = a.buffer;
  r->elem = a.elem;
  r->offset = a.offset;
  auto outside = [&] {
    std::vector<std::string> shown;
    for (const Selector& s : at)
      shown.push_back(match(s, [&](const Atom& i) { return std::to_string(integer(i)); }, [&](const Slice& x) {
        return fmt::format("{} +: {} * {}", integer(x.start), integer(x.count), integer(x.stride));
      }));
    std::vector<i64> indexed(a.shape.begin(), a.shape.begin() + ptrdiff_t(std::min(at.size(), a.shape.size())));
    fail({}, fmt::format("Index [{}] out of bounds for array of shape {}.", join(shown, ", "), dims(indexed)));
    return Ref<Array>();
  };
  CHECK(at.size() <= a.shape.size(), "interpreter: {} indexes of {} dimensions", at.size(), a.shape.size());
  for (size_t k = 0; k < at.size(); k++) {
    if (const Atom* atom = std::get_if<Atom>(&at[k])) {
      i64 i = integer(*atom);
      if (i < 0 || i >= a.shape[k]) return outside();
      r->offset += i * a.strides[k];
    } else {
      const Slice& s = std::get<Slice>(at[k]);
      i64 start = integer(s.start), n = integer(s.count), stride = integer(s.stride);
      __int128 last = start + __int128(n - 1) * stride;
      if (n < 0 || (n > 0 && (start < 0 || start >= a.shape[k] || last < 0 || last >= a.shape[k]))) return outside();
      if (n > 0) r->offset += start * a.strides[k];
      r->shape.push_back(n);
      r->strides.push_back(stride * a.strides[k]);
    }
  }
  for (size_t k = at.size(); k < a.shape.size(); k++) r->shape.push_back(a.shape[k]), r->strides.push_back(a.strides[k]);
  scalar = r->shape.empty();
  return r;
}

Cell Interpreter::index(const Index& x) {
  const Array& a = *array(x.array);
  bool scalar = false;
  Ref<Array> r = part_of(a, x.at, scalar);
  if (!r) return {};
  if (scalar) return load(*r, r->offset);
  return r;
}

Cell Interpreter::update(const Update& x, const StmInfo& info) {
  // A value that is a view of the array itself keeps the buffer shared, so the update copies first.
  Cell new_part = value(x.value);
  Cell target = take(x.array, info);
  make_unique(target);
  bool scalar = false;
  Array& a = *std::get<Ref<Array>>(target);
  Ref<Array> part = part_of(a, x.at, scalar);
  if (!part) return {};
  if (!apart_.empty()) expect_own_place(*part);
  if (x.in_place) expect_in_place(*part, new_part);
  else if (scalar) store(*part, part->offset, std::get<Num>(new_part));
  else copy(*part, *std::get<Ref<Array>>(new_part));
  return target;
}

Cell Interpreter::iota(const Iota& x) {
  Num start = num(x.start), step = num(x.step);
  Ref<Array> a = fresh(start.value.type, {integer(x.n)});
  for (i64 i = 0; i < a->shape[0]; i++) {
    Const k = integer_constant(start.value.type, i);
    Const scaled = fold(ScalarOp::mul, k.type, std::vector<Const>{k, step.value});
    store(*a, i, {fold(ScalarOp::add, k.type, std::vector<Const>{start.value, scaled}), {}});
  }
  return a;
}

Cell Interpreter::replicate(const Replicate& x, Bind out) {
  Cell v = value(x.value);
  std::vector<i64> shape = integers(x.shape);
  size_t outer = shape.size();
  const Ref<Array>* rows = std::get_if<Ref<Array>>(&v);
  if (rows) shape.insert(shape.end(), (*rows)->shape.begin(), (*rows)->shape.end());
  Ref<Array> a = memory_ ? output(out) : fresh(rows ? (*rows)->elem : std::get<Num>(v).value.type, shape);
  if (failed()) return {};
  std::vector<i64> at(outer, 0);
  auto fill = [&](auto&& self, size_t dim) -> void {
    if (dim == outer) return store_at(*a, at, v);
    for (at[dim] = 0; at[dim] < shape[dim]; at[dim]++) self(self, dim + 1);
  };
  fill(fill, 0);
  return a;
}

Cell Interpreter::array_literal(const ArrayLit& x, Bind out) {
  Cell first = value(x.elements[0]);
  std::vector<i64> shape = {i64(x.elements.size())};
  const Ref<Array>* rows = std::get_if<Ref<Array>>(&first);
  if (rows) shape.insert(shape.end(), (*rows)->shape.begin(), (*rows)->shape.end());
  Ref<Array> a = memory_ ? output(out) : fresh(rows ? (*rows)->elem : std::get<Num>(first).value.type, shape);
  for (i64 i = 0; i < i64(x.elements.size()) && !failed(); i++)
    if (!x.in_place.empty() && x.in_place[size_t(i)]) expect_in_place(*row(*a, {{i}}), value(x.elements[size_t(i)]));
    else store_at(*a, {{i}}, value(x.elements[size_t(i)]));
  return a;
}

Cell Interpreter::data(const Data& x) {
  Ref<Array>& cached = data_[x.data.index];
  if (!cached) {
    const DataArray& d = program_.data[x.data.index];
    cached = fresh(d.elem, d.shape);
    CHECK(cached->buffer->bytes.size() == d.bytes.size(), "interpreter: constant array of the wrong size");
    if (!d.bytes.empty()) std::memcpy(cached->buffer->bytes.data(), d.bytes.data(), d.bytes.size());
  }
  return Ref<Array>(new Array(Array{0, cached->buffer, cached->elem, 0, cached->shape, cached->strides}));
}

Cell Interpreter::concat(const Concat& x, Bind out) {
  size_t dim = size_t(x.dim);
  Ref<Array> to;
  const Array& first = *array(x.arrays[0]);
  std::vector<i64> shape = first.shape;
  shape[dim] = integer(x.size);
  to = memory_ ? output(out) : fresh(first.elem, shape);
  if (failed()) return {};
  counters_.copies++;
  i64 at = 0;
  for (size_t k = 0; k < x.arrays.size(); k++) {
    Ref<Array> operand = array(x.arrays[k]);
    const Array& from = *operand;
    if (at + from.shape[dim] > to->shape[dim]) return fail({}, "internal error: concat of more than its size"), Cell{};
    Ref<Array> part(new Array);
    part->buffer = to->buffer, part->elem = to->elem, part->strides = to->strides, part->shape = to->shape;
    part->shape[dim] = from.shape[dim];
    part->offset = to->offset + at * to->strides[dim];
    if (!x.in_place.empty() && x.in_place[k]) expect_in_place(*part, operand);
    else copy(*part, from);
    at += from.shape[dim];
  }
  if (at != to->shape[dim] && !failed()) fail({}, "internal error: concat of less than its size");
  return to;
}

Cell Interpreter::reshape(const Reshape& x) {
  Ref<Array> a = array(x.array);
  std::vector<i64> shape = integers(x.shape);
  if (count_of(shape) != count_of(a->shape)) {
    fail({}, fmt::format("internal error: reshape of {} to {}", dims(a->shape), dims(shape)));
    return {};
  }
  if (!contiguous(*a)) a = compact(*a);
  Ref<Array> r(new Array);
  r->buffer = a->buffer, r->elem = a->elem, r->offset = a->offset;
  r->strides = row_major(shape);
  r->shape = std::move(shape);
  return r;
}

Cell Interpreter::permute(const Permute& x) {
  const Array& a = *array(x.array);
  Ref<Array> r(new Array);
  r->buffer = a.buffer, r->elem = a.elem, r->offset = a.offset;
  for (int d : x.dims) r->shape.push_back(a.shape[size_t(d)]), r->strides.push_back(a.strides[size_t(d)]);
  return r;
}

Cell Interpreter::copied(Var v, Bind out) {
  counters_.copies++;
  if (!memory_) return compact(*array(v));
  Ref<Array> to = output(out);
  if (!failed()) copy(*to, *array(v));
  return to;
}

// ---- The outside world ----

Cell Interpreter::from_value(const Value& v) {
  if (v.shape.empty()) {
    Num n{{v.elem, 0}, {}};
    std::memcpy(&n.value.bits, v.bytes.data(), std::min(v.bytes.size(), size_t(bytes_of(v.elem))));
    return n;
  }
  Ref<Array> a = fresh(v.elem, v.shape);
  if (failed()) return a;
  if (size_t n = std::min(v.bytes.size(), a->buffer->bytes.size())) std::memcpy(a->buffer->bytes.data(), v.bytes.data(), n);
  return a;
}

Value Interpreter::to_value(const Cell& c) {
  Value v;
  if (auto n = std::get_if<Num>(&c)) {
    v.elem = n->value.type;
    v.bytes.assign(reinterpret_cast<const char*>(&n->value.bits), size_t(bytes_of(v.elem)));
    return v;
  }
  const Ref<Array>* a = std::get_if<Ref<Array>>(&c);
  CHECK(a, "interpreter: a result that is neither a number nor an array");
  v.elem = (*a)->elem;
  v.shape = (*a)->shape;
  Ref<Array> plain = compact(**a);
  v.bytes.assign(reinterpret_cast<const char*>(plain->buffer->bytes.data()), plain->buffer->bytes.size());
  return v;
}

}  // namespace raido::ir
