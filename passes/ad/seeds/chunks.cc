// chunks.cc - derivatives for many seeds, a chunk of them side by side at a time (lanes.cc, decision 018).
//
//   map f xs   (n)   ==>   if n < 4 || the point is large then map f xs
//                          else map over c < ceil(n / 8) of f in eight lanes, for the xs from 8 c on; flattened, the first n
//
// The last chunk is filled with the last element. A chunk has eight times the tangents of one seed. Those of a large point would not
// stay in a cache.
//
// Rules: batch.strips batch.map.
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "passes/ad/seeds/seeds.h"

namespace raido::ad {

using namespace ir;

namespace {

std::vector<Atom> atoms(const std::vector<Var>& vars) { return {vars.begin(), vars.end()}; }
Term i64_term(Builder& b, i64 x) { return b.term(i64_const(x)); }

struct Chunk {
  i64 width;
  Var places;                                            // [width], of its seeds
};
// The cells of rows under the indices `at`, each with the seeds of the chunk in its last dimension.
Var side_by_side(Builder& b, Var rows, Chunk chunk, const std::vector<Atom>& at) {
  Program& p = b.program;
  const std::vector<Dim> shape = shape_of(p.type(rows));
  bool cell = at.size() + 1 == shape.size();
  Dim n = cell ? i64_const(chunk.width) : shape[at.size() + 1];
  Lambda each = b.lambda({{"i", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& i) {
    std::vector<Atom> index = at;
    index.insert(cell ? index.begin() : index.end(), i[0]);
    return std::vector<Atom>{cell ? b.index(p.hint(rows), rows, index) : Atom(side_by_side(b, rows, chunk, index))};
  });
  return b.map(p.hint(rows), n, std::move(each), {cell ? chunk.places : b.iota(n)})[0];
}
// f for the seeds from `first` on, the last of which is `last` if they are fewer than a chunk.
Lambda chunk_of(Builder& b, i64 width, Lambda f, const std::vector<Var>& rows, std::optional<Term> last) {
  Program& p = b.program;
  Type index = scalar_type(Scalar::I64);
  return b.lambda({{"strip", index}}, [&](const std::vector<Var>& chunk) {
    Term first = b.term(chunk[0]) * i64_term(b, width);
    Lambda place = b.lambda({{"lane", index}}, [&](const std::vector<Var>& lane) {
      Term at = first + b.term(lane[0]);
      return std::vector<Atom>{(last ? apply(ScalarOp::min, {at, *last}) : at).atom};
    });
    Var places = b.map("place", i64_const(width), std::move(place), {b.iota(i64_const(width))})[0];
    std::vector<Var> seeds;
    for (Var v : rows) {
      Var cells = side_by_side(b, v, {width, places}, {});
      std::vector<int> dims;
      for (int i = 0, rank = int(shape_of(p.type(v)).size()); i < rank; i++) dims.push_back((i + rank - 1) % rank);
      seeds.push_back(dims.size() > 1 ? b.permute(cells, dims) : cells);
    }
    auto made = in_lanes(b, i64_const(width), f, seeds);
    CHECK(made, "a function that has lanes has none");
    return atoms(*made);
  });
}
Term cells_of(Builder& b, const std::vector<Type>& types) {
  Term sum = i64_term(b, 0);
  for (const Type& t : types) {
    Term size = i64_term(b, 1);
    for (const Dim& d : shape_of(t)) size = size * b.term(d);
    sum = sum + size;
  }
  return sum;
}

}  // namespace

std::vector<Var> in_chunks(Builder& b, PassContext& context, const Dim& n, Lambda f, const std::vector<Var>& rows,
                           const std::vector<Type>& point) {
  Program& p = b.program;
  auto map = [&](Lambda each) { return b.map("d", n, std::move(each), rows); };
  auto known = const_of(n);
  if ((known && known->as_i64() < costs::ad::chunked_seeds) || !has_lanes(p, f)) return map(std::move(f));
  i64 width = costs::ad::chunk_width;
  bool even = false;
  if (known) {
    i64 count = (known->as_i64() + costs::ad::most_chunk_width - 1) / costs::ad::most_chunk_width;
    width = (known->as_i64() + count - 1) / count;
    even = known->as_i64() == count * width;
  }
  auto chunks = [&] {
    Term count = (b.term(n) + (width - 1)) / i64_term(b, width), all = count * i64_term(b, width);
    std::optional<Term> last;
    if (!even) last = b.term(n) - 1;
    Lambda chunk = chunk_of(b, width, std::move(f), rows, last);
    std::vector<Var> out;
    for (Var v : b.map("d", count.atom, std::move(chunk), {b.iota(count.atom)})) {
      std::vector<Dim> shape = shape_of(p.type(v));
      shape.erase(shape.begin());
      shape[0] = all.atom;
      context.note(p, v, {Note::Kind::Chunk, b.source, std::to_string(width)});
      out.push_back(b.slice("d", b.bind1("d", Reshape{v, shape}), {i64_const(0), n, i64_const(1)}));
    }
    return out;
  };
  Term few = lt(b.term(n), i64_term(b, costs::ad::chunked_seeds)), large = lt(i64_term(b, costs::ad::chunked_point), cells_of(b, point));
  Atom one_by_one = or_(few, large).atom;
  if (auto c = const_of(one_by_one)) return is_zero(*c) ? chunks() : map(std::move(f));
  Lambda copy = clone(p, f);
  If choice{one_by_one, b.body([&] { return atoms(map(std::move(copy))); }), b.body([&] { return atoms(chunks()); })};
  return b.bind("d", std::move(choice));
}

}  // namespace raido::ad
