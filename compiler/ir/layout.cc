// layout.cc - index functions.
#include "compiler/ir/layout.h"

namespace raido::ir {

Atom Sizes::combine(ScalarOp op, Atom a, Atom b) {
  bool sum = op == ScalarOp::add;
  auto x = const_of(a), y = const_of(b);
  if (x && y) return i64_atom(sum ? x->as_i64() + y->as_i64() : x->as_i64() * y->as_i64());
  if (is_const(a, sum ? 0 : 1)) return b;
  if (is_const(b, sum ? 0 : 1)) return a;
  if (!sum && (is_const(a, 0) || is_const(b, 0))) return i64_atom(0);
  auto rank = [&](const Atom& t) { return var_of(t) ? uint64_t(var_of(t)->index) : ~uint64_t(0); };   // constants last
  if (rank(b) < rank(a)) std::swap(a, b);
  size_t level = 1;
  for (const Atom* t : {&a, &b})
    if (auto v = var_of(*t)) level = std::max(level, size_t(level_[*v]));
  auto key = [](const Atom& t) { return var_of(t) ? std::pair(0, uint64_t(var_of(t)->index)) : std::pair(1, const_of(t)->bits); };
  auto [found, fresh] = open_[level - 1].known.try_emplace({op, key(a), key(b)});
  if (!fresh) return found->second;
  Var v = p_.fresh(sum ? "at" : "size", ScalarType{Scalar::I64});
  open_[level - 1].body->push_back(Stm{{{v}}, Apply{op, {a, b}}, {}, {}, {}});
  level_[v] = uint32_t(level);
  seen_.insert(v);
  return found->second = v;
}

std::vector<Atom> row_major(Sizes& sizes, std::vector<Dim> shape) {
  std::vector<Atom> strides(shape.size());
  Atom stride = i64_atom(1);
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    if (d > 0) stride = sizes.mul(shape[d], stride);
  }
  return strides;
}

Atom volume(Sizes& sizes, std::vector<Dim> shape) {
  Atom n = i64_atom(1);
  for (size_t d = shape.size(); d-- > 0;) n = sizes.mul(shape[d], n);
  return n;
}

Lmad sliced(Sizes& sizes, Lmad l, std::vector<Selector> at) {
  Lmad out{l.offset, {}};
  for (size_t d = 0; d < at.size(); d++)
    match(at[d],
      [&](const Atom& i) { out.offset = sizes.add(out.offset, sizes.mul(i, l.strides[d])); },
      [&](const Slice& s) {
        out.offset = sizes.add(out.offset, sizes.mul(s.start, l.strides[d]));
        out.strides.push_back(sizes.mul(s.stride, l.strides[d]));
      });
  out.strides.insert(out.strides.end(), l.strides.begin() + ptrdiff_t(at.size()), l.strides.end());
  return out;
}

Lmad permuted(const Lmad& l, const std::vector<int>& dims) {
  Lmad out{l.offset, {}};
  for (int d : dims) out.strides.push_back(l.strides[size_t(d)]);
  return out;
}

bool is_row_major(Sizes& sizes, Lmad l, std::vector<Dim> shape) {
  std::vector<Atom> expected = row_major(sizes, shape);
  for (size_t d = 0; d < shape.size(); d++)
    if (expected[d] != l.strides[d] && !is_const(shape[d], 1)) return false;
  return true;
}

std::optional<Lmad> reshaped(Sizes& sizes, Lmad l, std::vector<Dim> from, std::vector<Dim> to) {
  if (is_row_major(sizes, l, from)) return Lmad{l.offset, row_major(sizes, to)};
  if (from.size() != 1) return {};
  Lmad out{l.offset, row_major(sizes, to)};
  for (Atom& s : out.strides) s = sizes.mul(s, l.strides[0]);
  return out;
}

std::pair<Lmad, std::vector<Dim>> without_gaps(Sizes& sizes, const Lmad& l, const std::vector<Dim>& shape) {
  Lmad joined{l.offset, {}};
  std::vector<Dim> extents;
  for (size_t d = 0; d < shape.size(); d++) {
    if (d > 0 && joined.strides.back() == sizes.mul(shape[d], l.strides[d])) {
      joined.strides.back() = l.strides[d];
      extents.back() = sizes.mul(extents.back(), shape[d]);
    } else {
      joined.strides.push_back(l.strides[d]);
      extents.push_back(shape[d]);
    }
  }
  return {std::move(joined), std::move(extents)};
}

bool same_place(const Place& a, const Place& b) {
  return a.block == b.block && a.layout.offset == b.layout.offset && a.layout.strides == b.layout.strides;
}

}  // namespace raido::ir
