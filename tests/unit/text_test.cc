// The text form: printing and parsing are inverse, and the verifier names the rule that is broken.
#include "compiler/ir/text.h"

#include "compiler/ir/verify.h"
#include "tests/unit/test.h"

using namespace raido::ir;

static const char* sample = R"(data #0: [2]f64 = [0.5, -inf]
constants {
  let c: [2]f64 = data #0
  in 
}
fun g \(x: f64) -> (f64) {
  let s: f64 = sin [x]
  in s
}
fun f \(n: i64, m: i64, *xs: [n]f64, is: [m]i64) {
  let y: f64 = reduce n \(a: f64, b: f64) {
    let c_1: f64 = mul [a, b]
    in c_1
  } [1f64] [xs]
  #[trace(sum)] let z: f64 = reduce n add [0f64] [xs] ordered
  let k: i64, ys: [k]f64 = if true { in n, xs } else {
    let r: [m]f64 = replicate [m] y
    in m, r
  }
  #[stripmine(2)] let l: f64 = for i < n blocks budget [2, -1, 1000] (acc_1: f64 = z) {
    let e: f64 = index xs [i]
    let v: f64 = call g [e]
    let w: f64 = add [acc_1, v]
    in w
  }
  let q: bool = lt [0i64, n]
  let p: check = assert q "n is {}" [n]
  let t: [n]f64 batched, u: f64 = screma n \(x: f64) { in x, x } [xs] scans (add [0f64]) post \(a: f64, b: f64) { in a, b } post_reduces (max [-inff64]) ordered
  let zs: [n]f64 = with_acc [xs] (add [0f64]) \(t_1: check, a: acc t_1 [n] f64) {
    let a.1: acc t_1 [n] f64 = map m \(i: i64, a.2: acc t_1 [n] f64) {
      let a.3: acc t_1 [n] f64 = upd a.2 [i] [l]
      in a.3
    } [is, a]
    in a.1
  } checks [p]
  in zs, u
}
entry "main" f sizes 2 0 ("xs" "[]f64" 1 unique, "is" "[]i64" 1) ("[]f64" 1, "f64" 1)
)";

TEST_CASE("print is the inverse of parse") {
  Parsed one = parse(sample);
  REQUIRE(one.error == "");
  std::string text = print(one.program);
  Parsed two = parse(text);
  REQUIRE(two.error == "");
  EXPECT(print(two.program) == text);
  for (const char* said : {"#[trace(sum)] let z: f64 = reduce n add [0f64] [xs] ordered\n", "#[stripmine(2)] let l: f64 = for i < n blocks budget [2, -1, 1000] (",
                           "let t: [n]f64 batched, u: f64 = screma", "post_reduces (max [-inff64]) ordered\n"})
    EXPECT(text.find(said) != std::string::npos);
  Violation v = verify(two.program);
  EXPECT(v.message == "");
}
TEST_CASE("malformed text is an error with its line") {
  EXPECT(parse("fun f \\(x: f64) {\n  let y: f64 = foo [x]\n in y }").error == "line 2: unknown operation `foo`");
  EXPECT(parse("fun f \\(x: f64) { in y }").error == "line 1: unknown name `y`");
  EXPECT(parse("fun").error != "");
  EXPECT(parse("fun f \\(x: i8) { let y: i8 = add [x] in y }").error != "");
}
static std::string rule(const std::string& text) {
  Parsed parsed = parse(text);
  REQUIRE(parsed.error == "");
  return verify(parsed.program).rule;
}
TEST_CASE("each rule of the verifier is broken by a program") {
  EXPECT(rule("fun f \\(x: f64) { let y: f64 = if true { let z: f64 = sin [x] in z } else { in z } in y }") == "V2");
  EXPECT(rule("fun f \\(x: f64) { let y: i64 = sin [x] in y }") == "V3");
  EXPECT(rule("fun f \\(x: f64) { let y: f64 = add [x, 1f32] in y }") == "V3");
  EXPECT(rule("fun f \\(n: i64, m: i64, xs: [n]f64) { let y: [m]f64 = concat 1 [xs, xs] m in y }") == "V3");
  EXPECT(rule("fun f \\(n: i64, m: i64, xs: [n]f64, ys: [n]i64) { let y: [m]f64 = concat 0 [xs, ys] m in y }") == "V3");
  EXPECT(rule("fun f \\(n: i64) { let y: [n]i64 = copy n in y }") == "V3");
  EXPECT(rule("fun f \\(n: i64) { let y: [n]i64 = permute n [] in y }") == "V3");
  EXPECT(rule("fun f \\(n: i64) { let y: [n]i64 = reshape n [n] in y }") == "V3");
  EXPECT(rule("fun f \\(n: i64) { let y: [n]i64 = iota n 0i64 1i32 in y }") == "V3");
  EXPECT(rule("fun f \\(n: i64, xs: [n]i64) { let y: i32 = convert i32 xs in y }") == "V3");
  EXPECT(rule("level memory fun f \\(x: f64) { let y: f64 = vjp \\(z: f64) { in z } [x] [1f64] [] in y }") == "V4");
  EXPECT(rule("fun f \\(n: i64, xs: [n]f64) { let y: f64 = reduce n \\(a: f64, b: f64) { in a } [1i64] [xs] in y }") == "V5");
  EXPECT(rule("fun f \\(n: i64, *xs: [n]f64) { let ys: [n]f64 = update xs [0i64] 1f64 let y: f64 = index xs [0i64] in y }") == "V6");
  EXPECT(rule("fun f \\(n: i64, *xs: [n]f64) { let v: [n]f64 = index xs [0i64 +: n * 1i64] let ys: [n]f64 = update xs [0i64] 1f64 "
              "let y: f64 = index v [0i64] in y }") == "V6");
  // What one branch consumes is still there in the other one, until that consumes it, too.
  EXPECT(rule("fun f \\(n: i64, c: bool, *xs: [n]f64) { let y: f64 = if c { let us: [n]f64 = update xs [0i64] 1f64 let a: f64 = index us [0i64] in a } else { "
              "let v: [n]f64 = index xs [0i64 +: n * 1i64] let ws: [n]f64 = update xs [0i64] 1f64 let b: f64 = index v [0i64] in b } in y }") == "V6");
  // States that move on: after two iterations a is the zs of before the loop; a and b are never one array.
  auto moving = [](const std::string& state, const std::string& after) {
    return rule("fun f \\(n: i64, *xs: [n]f64, *ys: [n]f64, *zs: [n]f64) { "
                "let a: [n]f64, b: [n]f64, c: [n]f64 = for i < 2i64 (p: [n]f64 = xs, q: [n]f64 = ys, r: [n]f64 = zs) { "
                "let new: [n]f64 = replicate [n] 1f64 " + state + " } let us: [n]f64 = update a [0i64] 1f64 "
                "let y: f64 = index " + after + " [0i64] in y }");
  };
  EXPECT(moving("in q, r, new", "zs") == "V6");
  EXPECT(moving("in q, r, new", "b") == "");
  EXPECT(moving("in q, r, r", "c") == "V6");
  EXPECT(moving("in p, q, r", "b") == "");
  EXPECT(moving("let ps: [n]f64 = update p [0i64] 1f64 in ps, new, new", "b") == "");
  EXPECT(moving("let ps: [n]f64 = update p [0i64] 1f64 in new, new, r", "c") == "V6");
  EXPECT(rule("fun f \\(n: i64, *xs: [n]f64) { let ys: [n]f64 = with_acc [xs] (add [0f64]) \\(t: check, a: acc t [n] f64) { "
              "let b: acc t [n] f64 = upd a [0i64] [1f64] let c: acc t [n] f64 = upd a [1i64] [1f64] in c } in ys }") == "V7");
  EXPECT(rule("fun f \\(x: f64) { let y: f64 = sin [x] checks [x] in y }") == "V8");
  EXPECT(rule("level memory fun f \\(n: i64) { let y: [n]f64 = replicate [n] 1f64 in y }") == "V10");
  EXPECT(rule("fun f \\(n: i64, *xs: [n]f64, ys: [n]f64) { let zs: [n]f64 = update xs [0i64 +: n * 1i64] ys in_place in zs }") == "V11");
  EXPECT(rule("level memory fun f \\(n: i64, a: block host, *xs: [n]f64 @ a + 0i64 {1i64}, b: block host, ys: [n]f64 @ b + 0i64 {1i64}) { "
              "let zs: [n]f64 @ a + 0i64 {1i64} = update xs [0i64 +: n * 1i64] ys in_place in a, zs }") == "V11");
  EXPECT(rule("fun f \\(n: i64, x: f64) { let y: [1]f64 = array [x] in_place [true, false] in y }") == "V11");
  auto sums = [](const std::string& order) {
    return rule("fun f \\(n: i64) { let s: f64, k: i64 = for i < n any_order " + order + " (a: f64 = 0f64, b: i64 = 0i64) { "
                "let c: f64 = add [a, 1f64] let d: i64 = max [b, i] in c, d } in s, k }");
  };
  EXPECT(sums("[add, max]") == "");
  EXPECT(sums("[add]") == "V11");
  EXPECT(sums("[add, max, add]") == "V11");
  EXPECT(sums("[sub, max]") == "V11");
  EXPECT(sums("[add, max] scalar") == "");
  EXPECT(sums("[add, max] vectors") == "");
  EXPECT(rule("fun f \\(n: i64) { let s: bool = for i < n any_order [and] vectors (a: bool = true) { let b: bool = and [a, true] in b } in s }") == "V11");
  EXPECT(sums("[add, max] lanes") == "V11");
  auto loop = [](const std::string& words) {
    return rule("level memory fun f \\(n: i64) { let s: i64 = for i < n " + words + " (a: i64 = 0i64) { let b: i64 = add [a, i] in b } in s }");
  };
  EXPECT(loop("any_order [add] lanes") == "");
  EXPECT(loop("lanes") == "V11");
  EXPECT(rule("fun f \\(x: f64 batched) { in x }") == "V11");
  EXPECT(rule("fun f \\(n: i64) { let s: i64 = for i < n budget [0, 8, 100] (a: i64 = 0i64) { in a } in s }") == "V11");
  auto seg = [](const std::string& parts) {
    return rule("level parallel fun f \\(n: i64) { let s: i64 = seg grid (i < n) { in i } reduces (add [0i64]) parts " + parts + " in s }");
  };
  EXPECT(seg("64") == "");
  EXPECT(seg("0") == "V11");
  EXPECT(rule("level parallel fun f \\(n: i64) { let s: [n]i64 = seg grid (i < n) { in i } parts 64 in s }") == "V11");
  EXPECT(rule("level parallel fun f \\(n: i64) { let s: [n]i64 = seg task (i < n) lanes { in i } in s }") == "V11");
  EXPECT(rule("level parallel fun f \\(n: i64) { let s: [n]i64 = seg task (i < n) scalar { in i } in s }") == "");
  EXPECT(rule("level parallel fun f \\(n: i64) { let s: [n]i64 = seg grid (i < n) scalar { in i } in s }") == "V11");
  EXPECT(rule("level parallel fun f \\(n: i64) { let s: [n]i64 = seg task (i < n) vectors { in i } in s }") == "V11");
  auto task = [](const std::string& words) {
    return rule("level memory fun f \\(n: i64) { let a: block host = alloc host n let s: [n]i64 @ a + 0i64 {1i64} = seg " + words + " { in i } in a, s }");
  };
  EXPECT(task("task (i < n) with [m: block host = n]") == "");
  EXPECT(task("task (i < n) with [m: block device = n]") == "V11");
  EXPECT(task("task (i < n) with [m: block host = 1f64]") == "V3");
  EXPECT(task("grid (i < n) with [m: block host = n]") == "V11");
  EXPECT(rule("level parallel fun f \\(n: i64) { let s: [n]i64 = seg task (i < n) with [m: block host = n] { in i } in s }") == "V11");
  EXPECT(task("task (i < n) lanes with [m: block host = n] own [m] into [] if true") == "");
  EXPECT(task("task (i < n) with [m: block host = n] own [m] into [] if true") == "V11");
  EXPECT(task("task (i < n) lanes with [m: block host = n] own [m] into [m] if true") == "V11");
  EXPECT(task("task (i < n) lanes with [m: block host = n] own [m] into [] if n") == "V3");
  EXPECT(task("task (i < n) lanes own [n] into [] if true") == "V11");
  auto together = [](const std::string& seg) { return rule("level parallel fun f \\(n: i64) { let s: [1]i64 = seg " + seg + " collective in s }"); };
  EXPECT(together("grid (r < 1i64, i < n) { in i } reduces (add [0i64])") == "");
  EXPECT(together("task (r < 1i64, i < n) { in i } reduces (add [0i64])") == "V11");
  EXPECT(together("grid (r < 1i64, i < n) { in i } reduces (add [0i64]) post \\(x: i64) { in x }") == "V11");
  EXPECT(rule("fun f \\(x: f64) { #[opaque] let y: f64 = id x in y }") == "");
  EXPECT(rule("fun f \\(x: f64) { #[faster] let y: f64 = id x in y }") == "V12");
  EXPECT(rule("fun f \\(x: f64) { #[unsafe] let y: f64 = id x in y }") == "V12");
  EXPECT(rule("#[budget] fun f \\(x: f64 #[true_dep]) { in x }") == "V12");
}
