-- The names in brackets behind a module mean its operators for numbers that are not its own, too.
module pair = { def (a: f64, b: f64) + (c: f64, d: f64) = (f64.(a + c), f64.(b + d)) }
def f [n] (x: [n](f64, f64)) (i: i64) = pair.(x[i + 1 + i] + x[0])
-- expect
-- Error at D01_operators.fut:3:49-50:
-- Cannot apply "+" to "i" (invalid type). [D01]
-- Expected:
--   (f64, f64)
-- Actual:
--   i64
--  3 | def f [n] (x: [n](f64, f64)) (i: i64) = pair.(x[i + 1 + i] + x[0])
--    |                                                 ^
