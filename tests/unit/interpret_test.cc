// interpret_test.cc - the interpreter on small programs in text form: control flow, parallel operations, derivatives.
#include "tests/unit/test.h"

#include "compiler/ir/interpret.h"
#include "compiler/ir/text.h"

using namespace raido;
using namespace raido::ir;

namespace {

Value scalar(double x) {
  Value v{Scalar::F64, {}, {}};
  v.push(x);
  return v;
}
Value integer(int64_t x) {
  Value v{Scalar::I64, {}, {}};
  v.push(x);
  return v;
}
Value vector_of(std::vector<double> xs) {
  Value v{Scalar::F64, {int64_t(xs.size())}, {}};
  for (double x : xs) v.push(x);
  return v;
}
std::vector<double> numbers(const Value& v) {
  std::vector<double> xs;
  for (int64_t i = 0; i < v.count(); i++) xs.push_back(v.elem == Scalar::I64 ? double(v.at<int64_t>(i)) : v.at<double>(i));
  return xs;
}
Outcome run(std::string_view text, const std::vector<Value>& args) {
  auto parsed = parse(text);
  REQUIRE(parsed.error == "");
  return interpret(parsed.program, "f", args);
}

}  // namespace

TEST_CASE("reduce of a map, scan and their sizes") {
  Outcome o = run(R"(fun f \(n: i64, xs: [n]f64) {
    let s: f64, ps: [n]f64 = screma n \(x: f64) { let y: f64 = mul [x, x] in y, y } [xs] reduces (add [0f64])
    let qs: [n]f64 = scan n add [0f64] [ps]
    in s, qs
  })", {integer(3), vector_of({1, 2, 3})});
  REQUIRE(!o.failure);
  EXPECT(numbers(o.results[0]) == std::vector<double>{14});
  EXPECT(numbers(o.results[1]) == std::vector<double>{1, 5, 14});
}

TEST_CASE("what an operation says of itself is relied on, so that a wrong word shows") {
  auto last = [](const std::string& order) {
    return run("fun f \\(n: i64) { let x: f64 = for i < n " + order + " (a: f64 = 0f64) { let b: f64 = convert f64 i in b } in x }", {integer(5)});
  };
  EXPECT(numbers(last("").results[0]) == std::vector<double>{4});
  EXPECT(numbers(last("any_order [add]").results[0]) == std::vector<double>{0});   // it is no sum

  auto updated = [](const std::string& word) {
    return run("fun f \\(n: i64, *xs: [n]f64) { let ys: [n]f64 = with_acc [xs] (add [0f64]) \\(t: check, a: acc t [n] f64) { "
               "let b: acc t [n] f64 = upd a [n] [1f64] " + word + " in b } in ys }", {integer(2), vector_of({1, 2})});
  };
  EXPECT(numbers(updated("").results[0]) == std::vector<double>{1, 2});
  REQUIRE(updated("in_range").failure);
  EXPECT(updated("in_range").failure->message == "internal error: an update that is said to be in range is not");

  auto placed = [](const std::string& offset) {
    return run("level memory fun f \\(n: i64) { let a: block host = alloc host 32i64 "
               "let xs: [4]f64 @ a + 0i64 {1i64} = replicate [4i64] 1f64 let ys: [2]f64 @ a + " + offset + " {1i64} = replicate [2i64] 7f64 "
               "let zs: [4]f64 @ a + 0i64 {1i64} = update xs [0i64 +: 2i64 * 1i64] ys in_place in a, zs }", {integer(0)});
  };
  EXPECT(!placed("0i64").failure);
  REQUIRE(placed("1i64").failure);
  EXPECT(placed("1i64").failure->message == "internal error: an operand that is said to lie in its place does not");

  auto apart = [](const std::string& place, const std::string& words) {
    return run("level memory fun f \\(n: i64) { let a: block host = alloc host 32i64 let xs: [4]f64 @ a + 0i64 {1i64} = replicate [4i64] 1f64 "
               "let s: f64, ys: [4]f64 @ a + 0i64 {1i64} = for i < n any_order [add] " + words + " (t: f64 = 0f64, zs: [4]f64 @ a + 0i64 {1i64} = xs) { "
               "let at: i64 = " + place + " [2i64, i] let u: [4]f64 @ a + 0i64 {1i64} = update zs [at] 2f64 let v: f64 = add [t, 1f64] in v, u } in s }", {integer(4)});
  };
  EXPECT(!apart("xor", "").failure);
  EXPECT(!apart("min", "sums").failure);
  REQUIRE(apart("min", "").failure);
  EXPECT(apart("min", "").failure->message == "internal error: two iterations of a loop that says they are apart write one place");
}

TEST_CASE("a loop of updates copies nothing") {
  Outcome o = run(R"(fun f \(n: i64) {
    let xs0: [n]i64 = replicate [n] 0i64
    let xs: [n]i64 = for i < n (a: [n]i64 = xs0) { let b: [n]i64 = update a [i] i in b }
    in xs
  })", {integer(100)});
  REQUIRE(!o.failure);
  EXPECT(o.results[0].at<int64_t>(99) == 99);
  EXPECT(o.counters.copies == 0);
}

TEST_CASE("an array that is still needed is copied before an update") {
  Outcome o = run(R"(fun f \(n: i64, xs: [n]f64) {
    let ys: [n]f64 = copy xs
    let zs: [n]f64 = update ys [0i64] 9f64
    let a: f64 = index xs [0i64]
    let b: f64 = index zs [0i64]
    in a, b
  })", {integer(1), vector_of({5})});
  REQUIRE(!o.failure);
  EXPECT(numbers(o.results[0])[0] == 5);
  EXPECT(numbers(o.results[1])[0] == 9);
}

TEST_CASE("a block that a branch gives back is still there for the types of its other results") {
  Outcome o = run(R"(level memory fun f \(n: i64) {
    let size: i64 = mul [n, 8i64]
    let b_mem: block host = alloc host size
    let b: [n]i64 @ b_mem + 0i64 {1i64} = iota n 5i64 1i64
    let c: bool = lt [0i64, n]
    let m: block host, x: [n]i64 @ m + 0i64 {1i64}, y: [n]i64 @ b_mem + 0i64 {1i64} = if c { in b_mem, b, b } else { in b_mem, b, b }
    let z: i64 = index y [0i64]
    in z
  })", {integer(3)});
  REQUIRE(!o.failure);
  EXPECT(o.results[0].at<int64_t>(0) == 5);
}

TEST_CASE("vjp and jvp, nested") {
  // f x = x^3: first derivative by vjp, second by jvp of vjp.
  const char* text = R"(fun f \(x: f64) {
    let y: f64, d: f64 = vjp \(a: f64) { let b: f64 = mul [a, a] let c: f64 = mul [b, a] in c } [x] [1f64] []
    let g: f64, h: f64 = jvp \(a: f64) {
      let y.1: f64, e: f64 = vjp \(p: f64) { let q: f64 = mul [p, p] let r: f64 = mul [q, p] in r } [a] [1f64] []
      in e
    } [x] [1f64] []
    in y, d, g, h
  })";
  Outcome o = run(text, {scalar(2)});
  REQUIRE(!o.failure);
  EXPECT(numbers(o.results[0])[0] == 8);
  EXPECT(numbers(o.results[1])[0] == 12);
  EXPECT(numbers(o.results[2])[0] == 12);
  EXPECT(numbers(o.results[3])[0] == 12);
}

TEST_CASE("vjp through reduce, gather and accumulators") {
  Outcome o = run(R"(fun f \(n: i64, xs: [n]f64) {
    let y: f64, ds: [n]f64 = vjp \(as: [n]f64) {
      let s: f64 = screma n \(a: f64) { let b: f64 = mul [a, a] in b } [as] reduces (add [0f64])
      in s
    } [xs] [1f64] []
    in y, ds
  })", {integer(2), vector_of({3, 4})});
  REQUIRE(!o.failure);
  EXPECT(numbers(o.results[0])[0] == 25);
  EXPECT(numbers(o.results[1]) == std::vector<double>{6, 8});
}

TEST_CASE("an index outside is an error, not a crash") {
  Outcome o = run(R"(fun f \(n: i64, xs: [n]f64) { let a: f64 = index xs [7i64] in a })", {integer(2), vector_of({3, 4})});
  REQUIRE(o.failure);
  EXPECT(o.failure->message.find("Index [7] out of bounds for array of shape [2].") != std::string::npos);
}

TEST_CASE("an array that is too large is an error, also if 64 bits do not hold its size") {
  for (auto [n, m] : {std::pair{int64_t(1) << 40, int64_t(1)}, {int64_t(1) << 32, int64_t(1) << 32}, {3, int64_t(6148914691236517206)}}) {
    Outcome o = run(R"(fun f \(n: i64, m: i64) { let a: [n][m]u8 = replicate [n, m] 1u8 in n })", {integer(n), integer(m)});
    REQUIRE(o.failure);
    EXPECT(o.failure->message.starts_with("Out of memory: an array of shape"));
  }
}
