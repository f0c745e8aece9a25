// Index functions: what slicing, permuting and reshaping do to offsets and strides, against counting elements.
#include "compiler/ir/layout.h"

#include "tests/unit/test.h"

using namespace raido;
using namespace raido::ir;

namespace {

std::vector<Atom> sizes_of(std::initializer_list<int64_t> ns) {
  std::vector<Atom> out;
  for (int64_t n : ns) out.push_back(i64_atom(n));
  return out;
}
int64_t number(const Atom& a) { return const_of(a)->as_i64(); }
std::vector<int64_t> numbers(const std::vector<Atom>& atoms) {
  std::vector<int64_t> out;
  for (const Atom& a : atoms) out.push_back(number(a));
  return out;
}
// The places of all elements in order.
std::vector<int64_t> places(const Lmad& l, const std::vector<int64_t>& shape) {
  std::vector<int64_t> out = {number(l.offset)};
  for (size_t d = 0; d < shape.size(); d++) {
    std::vector<int64_t> next;
    for (int64_t at : out)
      for (int64_t i = 0; i < shape[d]; i++) next.push_back(at + i * number(l.strides[d]));
    out = std::move(next);
  }
  return out;
}

}  // namespace

TEST_CASE("an array stands row by row") {
  Program p;
  Sizes sizes(p);
  EXPECT(numbers(row_major(sizes, sizes_of({2, 3, 4}))) == std::vector<int64_t>({12, 4, 1}));
  EXPECT(number(volume(sizes, sizes_of({2, 3, 4}))) == 24);
}

TEST_CASE("slices, permutations and reversals are views") {
  Program p;
  Sizes sizes(p);
  Lmad l{i64_atom(5), row_major(sizes, sizes_of({3, 4}))};
  Lmad row = sliced(sizes, l, {i64_atom(1)});
  EXPECT(places(row, {4}) == std::vector<int64_t>({9, 10, 11, 12}));
  Lmad column = sliced(sizes, permuted(l, {1, 0}), {i64_atom(2)});
  EXPECT(places(column, {3}) == std::vector<int64_t>({7, 11, 15}));
  Lmad reversed = sliced(sizes, l, {i64_atom(0), Slice{i64_atom(3), i64_atom(4), i64_atom(-1)}});
  EXPECT(places(reversed, {4}) == std::vector<int64_t>({8, 7, 6, 5}));
}

TEST_CASE("a reshape is a view where elements follow each other") {
  Program p;
  Sizes sizes(p);
  Lmad l{i64_atom(0), row_major(sizes, sizes_of({3, 4}))};
  auto flat = reshaped(sizes, l, sizes_of({3, 4}), sizes_of({12}));
  REQUIRE(flat.has_value());
  EXPECT(places(*flat, {12}) == places(l, {3, 4}));
  EXPECT(!reshaped(sizes, permuted(l, {1, 0}), sizes_of({4, 3}), sizes_of({12})).has_value());
  Lmad column = sliced(sizes, permuted(l, {1, 0}), {i64_atom(1)});
  auto two = reshaped(sizes, column, sizes_of({3}), sizes_of({3, 1}));
  REQUIRE(two.has_value());
  EXPECT(places(*two, {3, 1}) == places(column, {3}));
}

TEST_CASE("sizes are computed once, where their operands are known") {
  Program p;
  Sizes sizes(p);
  List<Stm> outer, inner;
  Var n = p.fresh("n", ScalarType{Scalar::I64}), m = p.fresh("m", ScalarType{Scalar::I64}), i = p.fresh("i", ScalarType{Scalar::I64});
  sizes.open(outer);
  sizes.bound(n);
  sizes.bound(m);
  sizes.open(inner);
  sizes.bound(i);
  Atom first = sizes.mul(n, m), again = sizes.mul(m, n);
  EXPECT(first == again);
  EXPECT(outer.size() == 1);
  EXPECT(inner.empty());
  (void)sizes.add(first, i);
  EXPECT(inner.size() == 1);
  EXPECT(sizes.mul(n, i64_atom(1)) == Atom(n));
  EXPECT(sizes.add(n, i64_atom(0)) == Atom(n));
}
