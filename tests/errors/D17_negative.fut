def f (x: f64) = f64.sqrt -1.0
def g (k: i64) (x: f64) = x ** f64.i64 k
def h (x: f64) = g -3 x
def k [n] (xs: [n]f64) = map (g 2 -x) xs
-- expect
-- Error at D17_negative.fut:1:18-31:
-- The operator `-` is not defined on f64 -> f64 [D17]
--  1 | def f (x: f64) = f64.sqrt -1.0
--    |                  ^^^^^^^^^^^^^
-- help: a negative argument has parentheses: `(-1.0)`
--
-- Error at D17_negative.fut:3:18-24:
-- The operator `-` is not defined on i64 -> f64 -> f64 [D17]
--  3 | def h (x: f64) = g -3 x
--    |                  ^^^^^^
-- help: a negative argument has parentheses: `(-3)`
--
-- Error at D17_negative.fut:4:30-38:
-- The operator `-` is not defined on f64 -> f64 [D17]
--  4 | def k [n] (xs: [n]f64) = map (g 2 -x) xs
--    |                              ^^^^^^^^
-- help: a negative argument has parentheses: `(-x)`
