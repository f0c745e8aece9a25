// Types that the checker infers: small programs and the type of their definition `f`.
#include <string>

#include "compiler/check/load.h"

#include "tests/unit/test.h"

using namespace raido;

namespace {

// The type of `f`, or the code of the first error.
std::string type_of_f(const std::string& text) {
  auto checked = check::check_text("test.fut", text, {});
  for (const Report& r : checked->diags.sorted()) if (r.severity == Severity::Error) return std::string(r.code);
  for (const ast::Decl& d : checked->program.root->decls)
    if (auto* def = std::get_if<ast::Def*>(&d.node))
      if (checked->program.names.text((*def)->self->name) == "f")
        return check::show(checked->result, checked->program, checked->sources, (*def)->scheme->type);
  return "no f";
}

}  // namespace

TEST_CASE("sizes of results") {
  EXPECT(type_of_f("def f [n] (xs: [n]i32) = xs ++ xs") == "[n]i32 -> *[n + n]i32");
  EXPECT(type_of_f("def f [n] (xs: [n]i32): [2*n]i32 = xs ++ xs") == "F03");
  EXPECT(type_of_f("def f [n] (xs: [n]i32): [2*n]i32 = xs ++ xs :> [2*n]i32") == "[n]i32 -> [2 * n]i32");
  EXPECT(type_of_f("def f [n] (xs: [n]i64) = filter (\\x -> x % 2 == 0) xs") == "[n]i64 -> ?[k0].*[k0]i64");
  EXPECT(type_of_f("def f b = if b then [1i32,2] else [3]") == "bool -> ?[k0].*[k0]i32");
  EXPECT(type_of_f("def f [n] (xs: [n]f32) = xs[1:n-1]") == "[n]f32 -> [n - 1 - 1]f32");
  EXPECT(type_of_f("def f (n: i64): [n][n]i64 = tabulate_2d n n (\\i j -> i * n + j)") == "(n: i64) -> [n][n]i64");
  EXPECT(type_of_f("def f (n: i64) = loop xs = [0] for i < n do xs ++ [i]") == "i64 -> ?[k0].*[k0]i64");
  EXPECT(type_of_f("def f (n: i64) = loop xs = replicate 4 0i32 for _i < n do map (+1) xs") == "i64 -> *[4]i32");
  EXPECT(type_of_f("def f (n: i64) = let m = n + 1 in (iota m, iota (n + 1))") == "(n: i64) -> (*[n + 1]i64, *[n + 1]i64)");
  EXPECT(type_of_f("def f (x: i64) = iota (x * 2 + length [x])") == "(x: i64) -> *[x * 2 + length [x]]i64");
}

TEST_CASE("inference") {
  EXPECT(type_of_f("def f x = x") == "t0 -> t0");
  EXPECT(type_of_f("def f g x = g (g x)") == "(t0 -> t0) -> t0 -> t0");
  EXPECT(type_of_f("def f x y = x + y * 2.0f32") == "f32 -> f32 -> f32");
  EXPECT(type_of_f("def f (r: {a: i32, b: bool}) = (r.b, r.a)") == "{a: i32, b: bool} -> (bool, i32)");
  EXPECT(type_of_f("def f = map (.0) [(1i32, true)]") == "[1]i32");
  EXPECT(type_of_f("type t = #a i32 | #b\ndef f (x: t) = match x case #a y -> y case #b -> 0") == "#a i32 | #b -> i32");
  EXPECT(type_of_f("def f (n: i64): i64 = if n <= 0 then 1 else n * f (n - 1)") == "i64 -> i64");
  EXPECT(type_of_f("def f x = x x") == "D31");
  EXPECT(type_of_f("def f a b = !a || b") == "bool -> bool -> bool");
  EXPECT(type_of_f("def f x = !x") == "i32 -> i32");
  EXPECT(type_of_f("def f = let pair x = (x, x) in (pair 1i32, pair true)") == "D41");
}

TEST_CASE("modules") {
  EXPECT(type_of_f("module m: { type t  val x: t  val g: t -> i32 } = { type t = i32  def x = 1i32  def g (y: i32) = y }\n"
                  "def f = m.g m.x") == "i32");
  EXPECT(type_of_f("module m: { type t  val x: t } = { type t = i32  def x = 1i32 }\ndef f = m.x + 1") == "D18");
  EXPECT(type_of_f("module m (p: { type t  val z: t }) = { def two = (p.z, p.z) }\n"
                  "module a = m { type t = f32  def z = 0f32 }\ndef f = a.two") == "(f32, f32)");
  // Application is generative.
  EXPECT(type_of_f("module m (p: {}): { type t  val x: t } = { type t = i32  def x = 1i32 }\n"
                  "module a = m {}\nmodule b = m {}\ndef f (c: bool) = if c then a.x else b.x") == "D44");
  EXPECT(type_of_f("open { def g (x: i32) = x + 1 }\ndef f = g 2") == "i32");
}

TEST_CASE("a star on what has no memory says nothing") {
  EXPECT(type_of_f("def g (x: *i32) = x + 1\ndef f (xs: [2]i32) = map g xs") == "[2]i32 -> *[2]i32");
  EXPECT(type_of_f("def g (h: i32 -> *i32) = h 1\ndef f = g (\\x -> x)") == "i32");
  EXPECT(type_of_f("module m: { type t  val g: t -> *t  val x: t } = { type t = i32  def g (x: t) = x  def x = 1i32 }\n"
                  "def f = m.g m.x") == "m.t");
  EXPECT(type_of_f("def f: (i32, *bool) = (1, true)") == "(i32, bool)");
}

TEST_CASE("uniqueness of results is inferred") {
  EXPECT(type_of_f("def f (xs: *[]i32) = xs with [0] = 1") == "*[d0]i32 -> *[d0]i32");
  EXPECT(type_of_f("def f (xs: []i32) = copy xs with [0] = 1") == "[d0]i32 -> *[d0]i32");
  EXPECT(type_of_f("def f (xs: []i32) = xs") == "[d0]i32 -> [d0]i32");
  EXPECT(type_of_f("def f (xs: *[]i32) = (xs, xs)") == "*[d0]i32 -> ([d0]i32, [d0]i32)");
}

TEST_CASE("chains are walked, not descended into") {
  auto chain = [](const char* before, const char* link, const char* end) {
    std::string text = before;
    for (int i = 0; i < 20000; i++) text += link;
    return type_of_f(text + end);
  };
  EXPECT(chain("def f = 0", " + 1", "") == "i32");
  EXPECT(chain("def f x = x", " && x", "") == "bool -> bool");
  EXPECT(chain("def f (x: i32) = let g y = y + 1 in x", " |> g", "") == "i32 -> i32");
  EXPECT(chain("def f b = ", "if b then 1 else ", "2") == "bool -> i32");
  EXPECT(chain("def f x = ", "let x = x + 1i32 ", "in x") == "i32 -> i32");
  EXPECT(chain("def f (x: *[]i32) = ", "let x[0] = 1 ", "in x") == "*[d0]i32 -> *[d0]i32");
  EXPECT(chain("def f x = ", "let g y = y + x in ", "g 1i32") == "i32 -> i32");
  EXPECT(chain("def f (x: i32) = ", "let x = if x > 0 then x else 1 ", "in x") == "i32 -> i32");
}

TEST_CASE("nesting that no stack holds is refused") {
  auto nested = [](const char* before, const char* open, const char* inside, const char* close, const char* after) {
    std::string text = before;
    for (int i = 0; i < 20000; i++) text += open;
    text += inside;
    for (int i = 0; i < 20000; i++) text += close;
    return type_of_f(text + after);
  };
  EXPECT(nested("def f = ", "(", "1", ")", "") == "A20");
  EXPECT(nested("def f = ", "[", "1", "]", "") == "A20");
  EXPECT(nested("def f = ", "1 + (", "1", ")", "") == "A20");
  EXPECT(nested("def f = ", "\\x -> ", "1", "", "") == "A20");
  EXPECT(nested("def f = ", "let x = (", "1", ") in x", "") == "A20");
  EXPECT(nested("def f b = ", "if b then ", "1", " else 2", "") == "A20");
  EXPECT(nested("def f (x: {a: i32}) = x", ".a", "", "", "") == "A20");
  EXPECT(nested("def f (x: []i32) = x", "[0]", "", "", "") == "A20");
  EXPECT(nested("def f (x: ", "[]", "i32", "", ") = x") == "A20");
  EXPECT(nested("def f (x: ", "i32 -> ", "i32", "", ") = x") == "A20");
  EXPECT(nested("def f ", "(", "x", ")", " = x") == "A20");
}
