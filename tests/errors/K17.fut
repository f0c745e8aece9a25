def a = vjp (\x -> x * x) 3i32 1
def b = jvp (\(x: f64) -> i64.f64 x) 3 1
def c 't (f: t -> t) (x: t) = vjp f x x
def d = vjp (\(x: f64, n: i64) -> x * f64.i64 n) (3, 1) 1
-- expect
-- Warning at K17.fut:1:9-12:
--   The argument of the function is made of integers: a derivative among them is taken by the same rules, in arithmetic that wraps [K17]
--    1 | def a = vjp (\x -> x * x) 3i32 1
--      |         ^^^
--   help: use floating-point numbers, like 1.0 or f64
--
-- Warning at K17.fut:2:9-12:
--   The result of the function is made of integers: a derivative among them is taken by the same rules, in arithmetic that wraps [K17]
--    2 | def b = jvp (\(x: f64) -> i64.f64 x) 3 1
--      |         ^^^
--   help: use floating-point numbers, like 1.0 or f64
