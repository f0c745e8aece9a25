// Forms of indices against what they stand for: random ones, all points of small nests one by one. Every proof has to be true; how
// many true things are not proved is printed. Where ISL is built in, it judges elimination.
#include "compiler/ir/analysis/affine.h"

#include <map>
#include <random>
#include <set>

#include "compiler/ir/analysis/affine_code.h"
#include "compiler/ir/analysis/integer_sets.h"
#include "compiler/ir/term.h"
#include "tests/unit/test.h"

using namespace raido;
using namespace raido::ir;

namespace {

using Values = std::map<Var, i64>;

struct Dice {
  std::mt19937 engine{4711};
  i64 operator()(i64 low, i64 high) { return std::uniform_int_distribution<i64>(low, high)(engine); }
  bool one_in(i64 n) { return (*this)(1, n) == 1; }
};

i64 value(const Affine& a, const Values& at) {
  uint64_t sum = uint64_t(a.constant);
  for (const Affine::Term& t : a.terms) sum += uint64_t(t.factor) * uint64_t(at.at(t.var));
  return i64(sum);
}
Affine form(std::initializer_list<std::pair<Var, i64>> terms, i64 constant = 0) {
  Affine out(constant);
  for (auto [v, k] : terms) out.add(Affine(v), k);
  return out;
}
Affine random_form(Dice& dice, const std::vector<Var>& vars, i64 most) {
  Affine out(dice(-most, most));
  for (Var v : vars) if (!dice.one_in(3)) out.add(Affine(v), dice(-most, most));
  return out;
}

// All points of the nest, the first counter outermost.
void each_point(const Nest& nest, Values& at, auto f, size_t k = 0) {
  if (k == nest.size()) return f();
  for (i64 i = 0, n = value(*nest[k].count, at); i < n; i++) {
    at[nest[k].var] = i;
    each_point(nest, at, f, k + 1);
  }
  at.erase(nest[k].var);
}

const Var i{0}, j{1}, k{2}, n{3}, m{4}, other{5};

}  // namespace

TEST_CASE("forms are sums in one order, and sums that cancel vanish") {
  Affine a = form({{j, 2}, {i, 1}}, 5);
  EXPECT(a == form({{i, 1}, {j, 2}}, 5));
  EXPECT(a - a == Affine(0));
  EXPECT(a.factor(j) == 2);
  EXPECT(a.factor(k) == 0);
  EXPECT(a.without(j) == form({{i, 1}}, 5));
  EXPECT(3 * a == form({{i, 3}, {j, 6}}, 15));
  EXPECT(0 * a == Affine(0));
  EXPECT(a.is_small());
  EXPECT(!(form({{i, i64{1} << 30}}).is_small()));
}

// The form of what random code computes has its value, whatever wraps around.
TEST_CASE("the form of code") {
  Dice dice;
  for (int round = 0; round < 300; round++) {
    Program p;
    List<Stm> stms;
    Builder b(p, stms);
    std::vector<Atom> known;
    Values values;
    for (int v = 0; v < 3; v++) {
      Var made = p.fresh("v", scalar_type(Scalar::I64));
      known.push_back(made);
      values[made] = dice.one_in(3) ? dice(INT64_MIN, INT64_MAX) : dice(-9, 9);
    }
    auto number = [&](const Atom& a) { return var_of(a) ? values.at(*var_of(a)) : const_of(a)->as_i64(); };
    auto operand = [&]() -> Atom { return dice.one_in(4) ? Atom(i64_const(dice(-5, 5))) : known[size_t(dice(0, isize(known) - 1))]; };
    for (int step = 0; step < 12; step++) {
      constexpr ScalarOp ops[] = {ScalarOp::add, ScalarOp::sub, ScalarOp::mul, ScalarOp::neg, ScalarOp::max};
      ScalarOp op = ops[dice(0, 4)];
      std::vector<Atom> args{operand()};
      if (op != ScalarOp::neg) args.push_back(operand());
      std::vector<Const> numbers;
      for (const Atom& a : args) numbers.push_back(i64_const(number(a)));
      Var made = b.bind1("x", dice.one_in(8) ? Exp(Identity{args[0]}) : Exp(Apply{op, args}));
      values[made] = std::holds_alternative<Identity>(stms.back().exp) ? numbers[0].as_i64() : fold(op, Scalar::I64, numbers).as_i64();
      known.push_back(made);
    }
    Forms forms;
    for (const Stm& s : stms) forms.define(p, s);
    for (const Atom& a : known) EXPECT(value(forms.of(a), values) == number(a));
  }
}

// And back: the code of a form has its value, whatever the numbers are. A variable alone needs no code.
TEST_CASE("the code of a form") {
  Dice dice;
  for (int round = 0; round < 300; round++) {
    Program p;
    List<Stm> stms;
    Builder b(p, stms);
    std::vector<Var> vars;
    Values values;
    const i64 most = dice.one_in(3) ? INT64_MAX : 3;
    for (int v = 0; v < 3; v++) {
      vars.push_back(p.fresh("v", scalar_type(Scalar::I64)));
      values[vars.back()] = dice(-most, most);
    }
    EXPECT(code_of(b, Affine(vars[0])).atom == Atom(vars[0]));
    EXPECT(stms.empty());
    const Affine form = random_form(dice, vars, most);
    const Atom made = code_of(b, form).atom;
    auto number = [&](const Atom& a) { return var_of(a) ? values.at(*var_of(a)) : const_of(a)->as_i64(); };
    for (const Stm& s : stms) {
      const auto& x = std::get<Apply>(s.exp);
      std::vector<Const> numbers;
      for (const Atom& a : x.args) numbers.push_back(i64_const(number(a)));
      values[s.pattern[0].var] = fold(x.op, Scalar::I64, numbers).as_i64();
    }
    EXPECT(number(made) == value(form, values));
  }
}

TEST_CASE("systems of constraints") {
  Dice dice;
  int empty = 0, proved = 0;
  const std::vector<Var> vars{i, j, k};
  for (int round = 0; round < 4000; round++) {
    Constraints c;
    constexpr i64 side = 5;
    for (Var v : vars) {
      c.not_negative.push_back(Affine(v));
      c.not_negative.push_back(Affine(side) - Affine(v));
    }
    for (i64 e = dice(0, 2); e > 0; e--) c.zero.push_back(random_form(dice, vars, 4));
    for (i64 e = dice(0, 4); e > 0; e--) c.not_negative.push_back(random_form(dice, vars, 4));
    bool found = false;
    Values at;
    each_point({{i, Affine(side + 1)}, {j, Affine(side + 1)}, {k, Affine(side + 1)}}, at, [&] {
      found = found || (std::ranges::all_of(c.zero, [&](const Affine& a) { return value(a, at) == 0; }) &&
                        std::ranges::all_of(c.not_negative, [&](const Affine& a) { return value(a, at) >= 0; }));
    });
    bool mine = eliminated(c);
    EXPECT(!(mine && found));
    if (auto exact = exactly_empty(c)) EXPECT(*exact == !found);
    empty += !found;
    proved += mine;
  }
  DOCTEST_MESSAGE("constraints without a solution: ", empty, ", not proved by elimination: ", empty - proved);
  EXPECT(proved * 10 >= empty * 8);
}

TEST_CASE("large numbers are no proof") {
  Constraints c;
  c.not_negative = {form({{i, INT64_MAX}, {j, -3}}, -7), form({{i, -INT64_MAX}, {j, 5}}, 3), form({{i, 11}, {j, -INT64_MAX}}, INT64_MAX)};
  if (auto exact = exactly_empty(c)) EXPECT((*exact || !eliminated(c)));
  c.not_negative.push_back(form({{i, INT64_MIN}}));
  EXPECT(!eliminated(c));
}

namespace {

// A nest of one to three loops, of which the inner ones may be triangular; sizes n and m.
Nest random_nest(Dice& dice, const std::vector<Var>& counters) {
  Nest nest;
  for (size_t d = 0; d < counters.size(); d++) {
    Affine count(dice(1, 4));
    if (dice.one_in(2)) count = Affine(dice.one_in(2) ? n : m);
    if (d > 0 && dice.one_in(4)) count = Affine(counters[d - 1]) + dice(0, 1);
    nest.push_back({counters[d], count});
  }
  return nest;
}
Access random_access(Dice& dice, Nest nest) {
  std::vector<Var> vars;
  for (const Counter& c : nest) vars.push_back(c.var);
  Access a{std::move(nest), {}};
  for (i64 d = dice(1, 2); d > 0; d--) {
    Affine f(dice(-2, 2));
    for (Var v : vars) if (dice.one_in(2)) f.add(Affine(v), dice.one_in(3) ? dice(-3, 3) : 1);
    if (dice.one_in(4)) f.add(Affine(n), dice(-1, 1));
    if (dice.one_in(6)) f.add(Affine(other), 1);         // of any value, the same everywhere
    a.at.push_back(f);
  }
  return a;
}
std::vector<i64> cell(const Access& a, const Values& at) {
  std::vector<i64> out;
  for (const auto& f : a.at) out.push_back(value(*f, at));
  return out;
}
struct Point {
  std::vector<i64> counters, cell;
};
std::vector<Point> points(const Access& a, Values at) {
  std::vector<Point> out;
  each_point(a.nest, at, [&] {
    Point p{{}, cell(a, at)};
    for (const Counter& c : a.nest) p.counters.push_back(at.at(c.var));
    out.push_back(std::move(p));
  });
  return out;
}
void each_size(auto f) {
  for (i64 a = 0; a <= 4; a++) for (i64 b = 0; b <= 3; b++) f(Values{{n, a}, {m, b}, {other, 7}});
}

}  // namespace

TEST_CASE("pairs of accesses: same cells, and in which order") {
  Dice dice;
  int asked = 0, never = 0, by_elimination = 0, by_both = 0;
  Known known, quick;
  for (Known* each : {&known, &quick}) { each->sizes.insert(n); each->sizes.insert(m); }
  quick.exactly = false;
  for (int round = 0; round < 1500; round++) {
    size_t depth = size_t(dice(1, 3)), shared = size_t(dice(0, i64(depth)));
    std::vector<Var> mine{i, j, k}, yours = mine;
    mine.resize(depth), yours.resize(depth);
    for (size_t d = shared; d < depth; d++) yours[d] = {uint32_t(10 + d)};
    Nest one = random_nest(dice, mine), two = one;
    Nest rest = random_nest(dice, yours);
    for (size_t d = shared; d < depth; d++) two[d] = rest[d];
    Access a = random_access(dice, one), b = random_access(dice, two);
    if (dice.one_in(3)) b = Access{a.nest, a.at}, shared = depth;
    b.at.resize(a.at.size(), b.at[0]);
    bool seen[8] = {};
    each_size([&](const Values& sizes) {
      for (const Point& x : points(a, sizes))
        for (const Point& y : points(b, sizes)) {
          if (x.cell != y.cell) continue;
          size_t d = 0;
          while (d < shared && x.counters[d] == y.counters[d]) d++;
          seen[d == shared ? Together : y.counters[d] < x.counters[d] ? Earlier : Later] = true;
        }
    });
    for (Order order : {Earlier, Together, Later, Apart, Anyhow}) {
      bool happens = false;
      for (Order each : {Earlier, Together, Later}) happens = happens || ((order & each) && seen[each]);
      bool mine_says = disjoint(a, b, shared, order, quick), says = disjoint(a, b, shared, order, known);
      EXPECT(!(mine_says && happens));
      EXPECT(!(says && happens));
      EXPECT((says || !mine_says));
      asked++;
      never += !happens;
      by_elimination += mine_says;
      by_both += says;
    }
    bool injective = true;
    each_size([&](const Values& sizes) {
      std::set<std::vector<i64>> cells;
      for (const Point& x : points(a, sizes)) injective = cells.insert(x.cell).second && injective;
    });
    EXPECT((injective || !is_injective(a, known)));
  }
  DOCTEST_MESSAGE("of ", asked, " questions about cells ", never, " hold for small sizes; proved by elimination: ", by_elimination, ", by it or ISL: ", by_both);
  EXPECT(by_elimination * 4 >= never * 3);
  EXPECT(by_elimination * 100 >= by_both * 98);
}

TEST_CASE("what is known only to be an integer proves nothing but where it cancels out") {
  Known known;
  known.sizes.insert(n);
  Nest nest{{i, Affine(n)}};
  auto at = [&](Affine f) { return Access{nest, {f}}; };
  EXPECT(disjoint(at(form({{other, 1}, {i, 2}})), at(form({{other, 1}, {i, 2}}, 1)), 1, Anyhow, known));
  // 3 x = 3 y + 1 holds for some x and y that wrap around.
  EXPECT(!disjoint(at(form({{other, 3}})), at(form({{m, 3}}, 1)), 1, Anyhow, known));
  EXPECT(is_injective(at(form({{other, 1}, {i, -1}})), known));
  // A count that may have wrapped around says nothing.
  Nest wrapped{{i, form({{other, 2}})}};
  EXPECT(!disjoint({wrapped, {Affine(i)}}, {wrapped, {form({{other, 2}})}}, 0, Anyhow, known));
}

TEST_CASE("ranges, footprints, strides, invariance") {
  Dice dice;
  for (int round = 0; round < 600; round++) {
    std::vector<Var> vars{i, j, k};
    vars.resize(size_t(dice(1, 3)));
    Access a = random_access(dice, random_nest(dice, vars));
    size_t from = size_t(dice(0, isize(vars)));
    auto spans = footprint(a, from);
    each_size([&](Values at) {
      Nest outer(a.nest.begin(), a.nest.begin() + ptrdiff_t(from)), inner(a.nest.begin() + ptrdiff_t(from), a.nest.end());
      each_point(outer, at, [&] {
        each_point(inner, at, [&] {
          for (size_t d = 0; d < a.at.size(); d++) {
            REQUIRE(spans[d].has_value());
            i64 here = value(*a.at[d], at), first = value(spans[d]->first, at), last = value(spans[d]->last, at);
            EXPECT((first <= here && here <= last));
            if (spans[d]->step == 0) EXPECT(here == first);
            else EXPECT((here - first) % spans[d]->step == 0);
          }
        });
      });
    });
    for (const Counter& c : a.nest) {
      bool fixed = true;
      for (const auto& f : a.at) {
        auto by = stride(*f, c.var, [](Var) { return false; });
        fixed = fixed && by == 0;
        EXPECT(by == f->factor(c.var));
        EXPECT(!stride(form({{m, 1}, {i, 1}}), i, [](Var v) { return v == m; }).has_value());
      }
      EXPECT(is_invariant(a, c.var) == fixed);
    }
  }
}

TEST_CASE("distances") {
  Dice dice;
  for (int round = 0; round < 1500; round++) {
    std::vector<Var> vars{i, j};
    vars.resize(size_t(dice(1, 2)));
    Nest nest = random_nest(dice, vars);
    Access a = random_access(dice, nest), b = random_access(dice, nest);
    Distance d = distance(a, b);
    each_size([&](const Values& sizes) {
      for (const Point& x : points(a, sizes))
        for (const Point& y : points(b, sizes)) {
          bool same = true;
          for (size_t at = 0; at < std::min(x.cell.size(), y.cell.size()); at++) same = same && x.cell[at] == y.cell[at];
          if (!same) continue;
          EXPECT(!d.never);
          for (size_t c = 0; c < nest.size(); c++) {
            i64 apart = x.counters[c] - y.counters[c];
            if (d.exactly[c]) EXPECT(apart == *d.exactly[c]);
            if (d.at_most[c]) EXPECT(apart <= *d.at_most[c]);
          }
        }
    });
  }
}
