// Tests which loops write each place once, and whether what they read is there in the end or was before. A table has one write and
// one read in one loop or a nest of two. Each row is checked against all iterations of small loops.
#include <map>

#include "compiler/ir/term.h"
#include "passes/ad/prepare/write_once.h"
#include "tests/unit/test.h"

using namespace raido;
using namespace raido::ir;

namespace {

struct Spot {                                         // i I + j J + c, modulo m if that is not 0
  int64_t i = 0, j = 0, c = 0, m = 0;
  int64_t at(int64_t x, int64_t y) const {
    int64_t sum = i * x + j * y + c;
    return m ? ((sum % m) + m) % m : sum;
  }
  Atom emit(Builder& b, Var x, Var y) const {
    Term sum = b.term(i64_const(c));
    if (i) sum = sum + b.term(x) * b.term(i64_const(i));
    if (j) sum = sum + b.term(y) * b.term(i64_const(j));
    return (m ? apply(ScalarOp::mod, {sum, b.term(i64_const(m))}) : sum).atom;
  }
};
struct Row {
  const char* what;
  std::vector<Spot> write, read;
  // The read: in the body, after the write there, in the outer loop; or it alone is in the inner one.
  enum Where { Before, After, Outside, Inside } where = Before;
  enum Trips { One, Fixed, Inner } trips = One;                // one loop, a nest, a nest whose inner loop has I iterations
  bool once = true, truth = true;                              // what is found, and what all iterations say
  enum Update { Always, Some, Either } update = Always;        // in one branch, the read in the other; in both, as is the read
};

bool found(const Row& row) {
  Program p;
  List<Stm> out;
  Builder b(p, out);
  Type i64_type = scalar_type(Scalar::I64);
  Var n = p.fresh("n", i64_type), m = p.fresh("m", i64_type);
  Type type = array_type(Scalar::F64, std::vector<Dim>(row.write.size(), n));
  Var start = p.fresh("x", type);
  auto loop = [&](Atom trips, Var init, auto fill) {
    For f;
    f.n = trips;
    f.i = {p.fresh("i", i64_type)};
    Var xs = p.fresh("xs", type);
    f.state = {{xs}};
    f.init = {init};
    f.body = b.body([&] { return std::vector<Atom>{fill(f.i.var, xs)}; });
    return f;
  };
  auto places = [&](const std::vector<Spot>& all, Var i, Var j) {
    std::vector<Atom> at;
    for (const Spot& x : all) at.push_back(x.emit(b, i, j));
    return at;
  };
  auto step = [&](Var i, Var j, Var xs) {
    if (row.update != Row::Always) {
      Atom one = constant(Scalar::F64, 1);
      If branch;
      branch.cond = apply(ScalarOp::eq, {apply(ScalarOp::mod, {b.term(j), b.term(i64_const(2))}), b.term(i64_const(0))}).atom;
      branch.then_ = b.body([&] { return std::vector<Atom>{b.update(b.copy(xs), places(row.write, i, j), one)}; });
      branch.else_ = b.body([&] {
        Atom value = b.index("r", xs, places(row.read, i, j));
        return std::vector<Atom>{row.update == Row::Some ? Atom(xs) : Atom(b.update(b.copy(xs), places(row.write, i, j), value))};
      });
      return b.bind1("xs", std::move(branch));
    }
    Atom value = constant(Scalar::F64, 1);
    if (row.where == Row::Before) value = b.index("r", xs, places(row.read, i, j));
    Var next = b.update(b.copy(xs), places(row.write, i, j), value);
    if (row.where == Row::After) b.index("r", next, places(row.read, i, j));
    return next;
  };
  For outer = loop(n, start, [&](Var i, Var xs) -> Var {
    if (row.trips == Row::One) return step(i, i, xs);
    if (row.where == Row::Outside) b.index("r", xs, places(row.read, i, i));
    if (row.where == Row::Inside) {
      For all;
      all.n = row.trips == Row::Inner ? Atom(i) : Atom(m);
      all.i = {p.fresh("j", i64_type)};
      all.state = {{p.fresh("s", scalar_type(Scalar::F64))}};
      all.init = {constant(Scalar::F64, 1)};
      all.body = b.body([&] { return std::vector<Atom>{b.index("r", xs, places(row.read, i, all.i.var))}; });
      Var value = b.bind1("s", std::move(all));
      return b.update(b.copy(xs), places(row.write, i, i), value);
    }
    return b.bind1("xs", loop(row.trips == Row::Inner ? Atom(i) : Atom(m), xs, [&](Var j, Var ys) { return step(i, j, ys); }));
  });
  return ad::written_once(p, outer, 0).has_value();
}

bool truth(const Row& row) {
  struct Place { int writes = 0; bool in_front = false, after = false; };   // reads in front of a write or of none, after one
  std::map<std::vector<int64_t>, Place> seen;
  bool fine = true;
  auto at = [](const std::vector<Spot>& all, int64_t x, int64_t y) {
    std::vector<int64_t> out;
    for (const Spot& p : all) out.push_back(p.at(x, y));
    return out;
  };
  auto read = [&](int64_t x, int64_t y) {
    Place& p = seen[at(row.read, x, y)];
    (p.writes > 0 ? p.after : p.in_front) = true;
  };
  auto write = [&](int64_t x, int64_t y) { fine = fine && ++seen[at(row.write, x, y)].writes == 1; };
  constexpr int64_t most = 6;
  for (int64_t x = 0; x < most; x++) {
    if (row.where == Row::Outside) read(x, x);
    for (int64_t y = 0; y < (row.trips == Row::One ? 1 : row.trips == Row::Inner ? x : most); y++) {
      int64_t index = row.trips == Row::One ? x : y;
      bool even = index % 2 == 0;
      if (row.update == Row::Always ? row.where == Row::Before || row.where == Row::Inside : !even) read(x, y);
      if (row.where != Row::Inside && (row.update != Row::Some || even)) write(x, y);
      if (row.where == Row::After) read(x, y);
    }
    if (row.where == Row::Inside) write(x, x);
  }
  bool final = true, first = true;                       // every read is there in the end; was before
  for (const auto& [place, p] : seen) {
    final = final && !(p.in_front && p.writes > 0);
    first = first && !p.after;
  }
  return fine && (final || first);
}

}  // namespace

TEST_CASE("places that a loop writes once") {
  const Spot i{1, 0, 0}, j{0, 1, 0}, i1{1, 0, 1}, j1{0, 1, 1};
  const Row rows[] = {
      {"the place before", {i1}, {i}},
      {"the place itself", {i}, {i}, Row::Before, Row::One, true, true},
      {"what was just written", {i}, {i}, Row::After},
      {"a later place", {i}, {i1}, Row::Before, Row::One, true, true},
      {"a later place, read after", {i}, {i1}, Row::After, Row::One, true, true},
      {"downwards", {{-1, 0, 9}}, {{-1, 0, 10}}},
      {"downwards, a later place", {{-1, 0, 9}}, {{-1, 0, 8}}, Row::Before, Row::One, true, true},
      {"even and odd", {{2, 0, 0}}, {{2, 0, 1}}},
      {"even, two before", {{2, 0, 4}}, {{2, 0, 0}}},
      {"even, two later", {{2, 0, 0}}, {{2, 0, 4}}, Row::Before, Row::One, true, true},
      {"every second of all", {{2, 0, 0}}, {i}, Row::Before, Row::One, false, false},
      {"a fixed place", {{0, 0, 3}}, {i}, Row::Before, Row::One, false, false},
      {"a fixed place is read, which is written later", {i}, {{0, 0, 3}}, Row::Before, Row::One, false, false},
      {"a fixed place in front is read", {i1}, {{0, 0, 0}}, Row::Before, Row::One, true, true},
      {"modulo", {{1, 0, 0, 4}}, {{1, 0, 0, 4}}, Row::After, Row::One, false, false},
      {"modulo, enough", {{1, 0, 0, 9}}, {{1, 0, 0, 9}}, Row::After, Row::One, false, true},
      {"row above", {i1, j}, {i, j}, Row::Before, Row::Fixed},
      {"the paper's, any column of the row above", {i1, j}, {i, {0, 1, 0, 2}}, Row::Before, Row::Fixed},
      {"left", {i, j1}, {i, j}, Row::Before, Row::Fixed},
      {"above, to the right", {i1, j}, {i, j1}, Row::Before, Row::Fixed},
      {"right", {i, j}, {i, j1}, Row::Before, Row::Fixed, true, true},
      {"below, to the left", {i, j1}, {i1, j}, Row::Before, Row::Fixed, true, true},
      {"turned: the loop inside goes over rows", {j1, i}, {j, i}, Row::Before, Row::Fixed},
      {"turned, from the right", {j, i}, {j, i1}, Row::Before, Row::Fixed, true, true},
      {"turned, from the left", {j, i1}, {j, i}, Row::Before, Row::Fixed},
      {"transposed", {i, j}, {j, i}, Row::Before, Row::Fixed, false, false},
      {"the row again in every column", {i}, {i}, Row::After, Row::Fixed, false, false},
      {"the column again in every row", {j}, {j}, Row::After, Row::Fixed, false, false},
      {"diagonals", {{1, 1, 0}}, {{1, 1, 0}}, Row::After, Row::Fixed, false, false},
      {"flat", {{6, 1, 1}}, {{6, 1, 0}}, Row::Before, Row::Fixed, false, true},
      {"the diagonal before its row", {i1, j}, {i, i}, Row::Outside, Row::Fixed},
      {"the diagonal before itself", {i, j}, {i, i}, Row::Outside, Row::Fixed, true, true},
      {"a triangle, left", {i, j1}, {i, j}, Row::Before, Row::Inner},
      {"a triangle, above", {i1, j}, {i, j}, Row::Before, Row::Inner},
      {"all that came before", {i}, {j}, Row::Inside, Row::Inner},
      {"all that came before, from the last on", {i}, {{1, -1, -1}}, Row::Inside, Row::Inner},
      {"all that came before and this, from the last on", {i}, {{1, -1, 0}}, Row::Inside, Row::Inner, false, false},
      {"downwards, all that came before", {{-1, 0, 9}}, {{0, -1, 9}}, Row::Inside, Row::Inner},
      {"downwards, all that came before, from the last on", {{-1, 0, 9}}, {{-1, 1, 10}}, Row::Inside, Row::Inner},
      {"downwards, one too many", {{-1, 0, 9}}, {{0, -1, 8}}, Row::Inside, Row::Inner, false, false},
      {"every second that came before", {{2, 0, 0}}, {{0, 2, 0}}, Row::Inside, Row::Inner, false, true},
      {"some later ones", {i}, {{1, 1, 1}}, Row::Inside, Row::Inner, false, true},
      {"one of two branches, the place before", {i1}, {i}, Row::Before, Row::One, true, true, Row::Some},
      {"one of two branches, the place itself", {i}, {i}, Row::Before, Row::One, true, true, Row::Some},
      {"one of two branches, any place", {i}, {{0, 0, 3}}, Row::Before, Row::One, false, true, Row::Some},
      {"one of two branches, a fixed place", {{0, 0, 3}}, {i}, Row::Before, Row::One, false, false, Row::Some},
      {"both branches", {i1}, {i}, Row::Before, Row::One, true, true, Row::Either},
      {"both branches, the place itself", {i}, {i}, Row::Before, Row::One, true, true, Row::Either},
      {"both branches, a fixed place", {{0, 0, 3}}, {i}, Row::Before, Row::One, false, false, Row::Either},
      {"both branches in a nest", {i, j1}, {i, j}, Row::Before, Row::Fixed, true, true, Row::Either},
  };
  for (const Row& row : rows) {
    DOCTEST_CAPTURE(std::string(row.what));
    EXPECT(truth(row) == row.truth);
    EXPECT(found(row) == row.once);
    EXPECT((!row.once || row.truth));
  }
}
