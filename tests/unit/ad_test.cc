// Differentiation is judged by the interpreter's own jvp and vjp, which share nothing with the rules. Each program is
// run with its AD operators, then put through the common pipeline with the verifier after every pass, and run again.
#include <cmath>

#include "compiler/ir/interpret.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "passes/pipelines.h"
#include "tests/unit/test.h"

using namespace raido;
using namespace raido::ir;

namespace {

Value numbers(std::vector<int64_t> shape, double start) {
  Value v{Scalar::F64, shape, ""};
  for (int64_t i = 0; i < v.count(); i++) v.push<double>(start + 0.37 * double((i * 7) % 11) - 0.1 * double(i));
  return v;
}
Value size(int64_t n) {
  Value v{Scalar::I64, {}, ""};
  v.push<int64_t>(n);
  return v;
}

bool close(const Value& a, const Value& b) {
  if (a.elem != b.elem || a.shape != b.shape) return false;
  for (int64_t i = 0; i < a.count(); i++) {
    if (a.elem != Scalar::F64) { if (a.bytes != b.bytes) return false; continue; }
    double x = a.at<double>(i), y = b.at<double>(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!(std::abs(x - y) <= 1e-9 * (1 + std::abs(x)))) return false;
  }
  return true;
}

// Runs `f` before and after the common pipeline for the target.
std::string judge(const char* text, const std::vector<Value>& args, Target target = Target::Multicore) {
  Parsed parsed = parse(text);
  if (!parsed.error.empty()) return parsed.error;
  if (Violation v = verify(parsed.program); !v.rule.empty()) return "before: " + v.message;
  Outcome before = interpret(parsed.program, "f", args);
  if (before.failure) return "before: " + before.failure->message;
  Stats stats;
  PassOptions options;
  options.verify = true;
  PassContext context{options, target, stats, {}, 0, {}};
  run(common_pipeline(), parsed.program, context);
  if (!context.refused.empty()) return "refused " + context.refused[0].detail;
  Outcome after = interpret(parsed.program, "f", args);
  if (after.failure) return "after: " + after.failure->message + "\n" + print(parsed.program);
  for (size_t i = 0; i < before.results.size(); i++)
    if (!close(before.results[i], after.results.at(i))) return "result " + std::to_string(i) + " differs in\n" + print(parsed.program);
  return "";
}

// A function of xs: [n]f64 with one result of type f64, differentiated both ways and twice.
void four_ways(const std::string& body, std::vector<int64_t> sizes = {0, 1, 2, 5}) {
  std::string f = "\\(ys: [n]f64) {" + body + " in y }";
  std::string prelude = "fun f \\(n: i64, xs: [n]f64, dx: [n]f64) {\n";
  for (int64_t n : sizes) {
    std::vector<Value> args = {size(n), numbers({n}, 0.6), numbers({n}, -0.3)};
    for (Target target : {Target::Sequential, Target::Multicore}) {
      DOCTEST_CAPTURE(n);
      EXPECT(judge((prelude + "let y_out: f64, g_out: [n]f64 = vjp " + f + " [xs] [1.5f64] [] in y_out, g_out }").c_str(), args, target) == "");
    }
    EXPECT(judge((prelude + "let y_out: f64, t_out: f64 = jvp " + f + " [xs] [dx] [] in y_out, t_out }").c_str(), args) == "");
    EXPECT(judge((prelude + "let h_out: [n]f64, t_out: [n]f64 = jvp \\(z_in: [n]f64) { let y_out: f64, g_out: [n]f64 = vjp " + f +
                  " [z_in] [1f64] [] in g_out } [xs] [dx] [] in h_out, t_out }").c_str(), args) == "");
    EXPECT(judge((prelude + "let h_out: [n]f64, t_out: [n]f64 = vjp \\(z_in: [n]f64) { let y_out: f64, g_out: [n]f64 = vjp " + f +
                  " [z_in] [1f64] [] in g_out } [xs] [dx] [] in h_out, t_out }").c_str(), args) == "");
  }
}

}  // namespace

TEST_CASE("scalars: every operation with a derivative, in both modes") {
  for (const OpRow& row : op_rows()) {
    if (row.domain != Domain::Float || find_row(row.op, Scalar::F64) != &row) continue;
    if (result_type(row.op, Scalar::F64) != Scalar::F64 || row.op == ScalarOp::polygamma || row.op == ScalarOp::nextafter) continue;
    std::string args = "a";
    if (row.arity > 1) args += operand_type(row.op, Scalar::F64, 1) == Scalar::I32 ? ", 3i32" : ", b";
    if (row.arity > 2) args += ", 0.3f64";
    double at = row.op == ScalarOp::acosh ? 1.7 : 0.4;
    Value x{Scalar::F64, {}, ""}, y = x, one = x;
    x.push<double>(at); y.push<double>(0.7); one.push<double>(1);
    std::string f = "\\(a: f64, b: f64) { let r: f64 = " + std::string(row.name) + " [" + args + "] in r }";
    DOCTEST_CAPTURE(f);
    EXPECT(judge(("fun f \\(x: f64, y: f64) { let r1: f64, da: f64, db: f64 = vjp " + f + " [x, y] [1f64] [] in r1, da, db }").c_str(), {x, y}) == "");
    EXPECT(judge(("fun f \\(x: f64, y: f64) { let r1: f64, t: f64 = jvp " + f + " [x, y] [1f64, 0.5f64] [] in r1, t }").c_str(), {x, y}) == "");
  }
}
TEST_CASE("map and reduce") {
  four_ways("let sq: [n]f64 = map n \\(x: f64) { let r: f64 = mul [x, x] let s: f64 = sin [r] in s } [ys] let y: f64 = reduce n add [0f64] [sq]");
  four_ways("let y: f64 = reduce n mul [1f64] [ys]", {1, 2, 5});
  four_ways("let y: f64 = reduce n max [-1e300f64] [ys]");
  four_ways("let y: f64 = reduce n min [inff64] [ys]");
  four_ways("let y: f64 = reduce n \\(a: f64, b: f64) { let s: f64 = add [a, b] let p: f64 = mul [a, b] let q: f64 = add [s, p] in q } [0f64] [ys]");
}
TEST_CASE("reduce with zeros multiplies by the others") {
  Value xs{Scalar::F64, {4}, ""}, two = xs;
  for (double x : {2.0, 0.0, 3.0, -1.5}) xs.push<double>(x);
  for (double x : {2.0, 0.0, 0.0, -1.5}) two.push<double>(x);
  const char* f = "fun f \\(n: i64, xs: [n]f64) { let y1: f64, g: [n]f64 = vjp \\(ys: [n]f64) { let y: f64 = reduce n mul [1f64] [ys] in y } [xs] [1f64] [] in y1, g }";
  EXPECT(judge(f, {size(4), xs}) == "");
  EXPECT(judge(f, {size(4), two}) == "");
}
TEST_CASE("scans") {
  four_ways("let s: [n]f64 = scan n add [0f64] [ys] let sq: [n]f64 = map n \\(x: f64) { let r: f64 = mul [x, x] in r } [s] let y: f64 = reduce n add [0f64] [sq]");
  four_ways("let s: [n]f64 = scan n mul [1f64] [ys] let sq: [n]f64 = map n \\(x: f64) { let r: f64 = mul [x, x] in r } [s] let y: f64 = reduce n add [0f64] [sq]");
  four_ways("let s: [n]f64, t: [n]f64 = scan n \\(a: f64, b: f64, c: f64, d: f64) { let ac: f64 = mul [a, c] let bc: f64 = mul [b, c] let e: f64 = add [bc, d] in ac, e } [1f64, 0f64] [ys, ys] "
            "let y: f64 = reduce n add [0f64] [t]", {1, 2, 4});
}
TEST_CASE("free variables of a map accumulate") {
  four_ways("let k: f64 = reduce n add [0f64] [ys] let r: [n]f64 = map n \\(x: f64) { let a: f64 = mul [x, k] let b: f64 = exp [a] in b } [ys] let y: f64 = reduce n add [0f64] [r]");
  four_ways("let is: [n]i64 = iota n 0i64 1i64 let r: [n]f64 = map n \\(i: i64) { let j: i64 = mul [i, i] let k: i64 = mod [j, n] let a: f64 = index ys [k] let b: f64 = index ys [i] "
            "let c: f64 = mul [a, b] let d: f64 = mul [c, a] in d } [is] let y: f64 = reduce n add [0f64] [r]");
  four_ways("let r: [n]f64 = map n \\(x: f64) { let p: [n]f64 = map n \\(z: f64) { let a: f64 = mul [z, x] let b: f64 = sin [a] in b } [ys] let s: f64 = reduce n add [0f64] [p] in s } [ys] let y: f64 = reduce n add [0f64] [r]");
}
TEST_CASE("loops record their state") {
  four_ways("let y: f64 = for i < n (a: f64 = 0.5f64) { let x: f64 = index ys [i] let b: f64 = mul [a, x] let c: f64 = sin [b] let d: f64 = add [c, x] in d }");
  four_ways("let c: [n]f64 = copy ys let zs: [n]f64 = for i < n (a: [n]f64 = c) { let x: f64 = index a [i] let j: i64 = sub [n, 1i64] let k: i64 = sub [j, i] let z: f64 = index a [k] "
            "let b: f64 = mul [x, z] let d: f64 = cos [b] let e: [n]f64 = update a [i] d in e } let y: f64 = reduce n add [0f64] [zs]");
  four_ways("let m: [n]f64 = map n \\(x: f64) { let r: f64 = for i < 3i64 (a: f64 = x) { let b: f64 = mul [a, x] let c: f64 = sin [b] in c } in r } [ys] let y: f64 = reduce n add [0f64] [m]");
}
TEST_CASE("branches follow the one that was taken") {
  four_ways("let r: [n]f64 = map n \\(x: f64) { let c: bool = lt [x, 0.5f64] let q: f64 = if c { let s: f64 = sin [x] in s } else { let m: f64 = mul [x, x] in m } in q } [ys] let y: f64 = reduce n add [0f64] [r]");
}
TEST_CASE("views, updates, literals, concatenation") {
  four_ways("let a: f64 = index ys [0i64] let b: f64 = index ys [1i64] let l: [3]f64 = array [a, b, a] let m: i64 = add [n, 3i64] let c: [m]f64 = concat 0 [ys, l] m "
            "let p: i64 = sub [m, 1i64] let r: [m]f64 = index c [p +: m * -1i64] let q: [2][m]f64 = replicate [2i64] r let t: [m][2]f64 = permute q [1, 0] "
            "let k: i64 = mul [m, 2i64] let u: [k]f64 = reshape t [k] let v: [k]f64 = map k \\(x: f64) { let z: f64 = mul [x, x] let w: f64 = mul [z, x] in w } [u] let y: f64 = reduce k add [0f64] [v]", {2, 5});
}
TEST_CASE("scatter, histograms by addition, accumulators") {
  four_ways("let is: [n]i64 = iota n 1i64 1i64 let sq: [n]f64 = map n \\(x: f64) { let r: f64 = mul [x, x] in r } [ys] let c: [n]f64 = copy ys "
            "let s: [n]f64 = with_acc [c] \\(t: check, a: acc t [n] f64) { let b: acc t [n] f64 = map n \\(i: i64, x: f64, d: acc t [n] f64) { let e: acc t [n] f64 = upd d [i] [x] in e } [is, sq, a] in b } "
            "let p: [n]f64 = map n \\(x: f64, z: f64) { let r: f64 = mul [x, z] in r } [s, ys] let y: f64 = reduce n add [0f64] [p]");
  four_ways("let is: [n]i64 = iota n 0i64 1i64 let c: [3]f64 = replicate [3i64] 0.25f64 "
            "let h: [3]f64 = hist n \\(i: i64, x: f64) { let j: i64 = mod [i, 3i64] let r: f64 = mul [x, x] in j, r } [is, ys] into [c] (add [0f64]) "
            "let y: f64 = reduce 3i64 \\(a: f64, b: f64) { let s: f64 = add [a, b] let p: f64 = mul [a, b] let q: f64 = add [s, p] in q } [0f64] [h]");
}
TEST_CASE("a derivative inside does not mix with the one outside") {
  Value x{Scalar::F64, {}, ""};
  x.push<double>(3);
  EXPECT(judge("fun f \\(x: f64) { let p: f64, d: f64 = jvp \\(a: f64) { let q: f64, e: f64 = jvp \\(b: f64) { let s: f64 = add [a, b] in s } [1f64] [1f64] [] let r: f64 = mul [a, e] in r } [x] [1f64] [] in d }", {x}) == "");
}
// The reciprocal of such a number is infinite, and zero times it is none. The values are known, since the interpreter uses the same partial derivatives.
TEST_CASE("a quotient by a subnormal number has derivatives") {
  auto number = [](double x) { Value v{Scalar::F64, {}, ""}; v.push<double>(x); return v; };
  for (const char* mode : {"vjp", "jvp"}) {
    std::string text = std::string("fun f \\(x: f64, y: f64) { let q_out: f64, d: f64 = ") + mode + " \\(v: f64) { let q: f64 = div [x, v] in q } [y] [1f64] [] in d }";
    Parsed parsed = parse(text.c_str());
    REQUIRE(parsed.error.empty());
    for (bool lowered : {false, true}) {
      Stats stats;
      PassOptions options;
      PassContext context{options, Target::Sequential, stats, {}, 0, {}};
      if (lowered) run(common_pipeline(), parsed.program, context);
      EXPECT(interpret(parsed.program, "f", {number(0), number(1e-310)}).results.at(0).at<double>(0) == 0);
      EXPECT(interpret(parsed.program, "f", {number(3), number(2)}).results.at(0).at<double>(0) == -0.75);
    }
  }
}
