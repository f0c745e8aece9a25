-- To convert the argument would change the result.
def sq x = x * x
def f (x: f64) : f64 = sq x + 1
def g (x: i64) : i64 = sq (x + 1)
-- here the type was written, if not at the parameter
def cube x = x * x * x * 1i32
def h (x: f64) : f64 = cube x
-- expect
-- Warning at D01_chosen.fut:2:5-7:
--   Defaulting ambiguous type to i32 [K02]
--    2 | def sq x = x * x
--      |     ^^
--      |            ----- this becomes `i32`
--
-- Error at D01_chosen.fut:3:27-28:
-- Cannot apply "sq" to "x" (invalid type). [D01]
-- Expected:
--   i32
-- Actual:
--   f64
--  3 | def f (x: f64) : f64 = sq x + 1
--    |                           ^
-- help: annotate `sq`, whose types were chosen: `(x: f64)`
--
-- Error at D01_chosen.fut:4:27-34:
-- Cannot apply "sq" to "(x + 1)" (invalid type). [D01]
-- Expected:
--   i32
-- Actual:
--   i64
--  4 | def g (x: i64) : i64 = sq (x + 1)
--    |                           ^^^^^^^
-- help: annotate `sq`, whose types were chosen: `(x: i64)`
--
-- Error at D01_chosen.fut:7:29-30:
-- Cannot apply "cube" to "x" (invalid type). [D01]
-- Expected:
--   i32
-- Actual:
--   f64
--  7 | def h (x: f64) : f64 = cube x
--    |                             ^
-- help: convert: `i32.f64 x`
