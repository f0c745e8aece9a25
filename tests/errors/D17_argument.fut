def f (xs: []f64) = reduce + 0 xs
def g (xs: []f64) (ys: []f64) = map2 * xs ys
def h (xs: []f64) = reduce + xs
-- expect
-- Error at D17_argument.fut:1:21-34:
-- The operator `+` is not defined on (t0 -> t0 -> t0) -> t0 -> []t0 -> t0 [D17]
--  1 | def f (xs: []f64) = reduce + 0 xs
--    |                     ^^^^^^^^^^^^^
-- help: an operator that is an argument has parentheses: `reduce (+)`
--
-- Error at D17_argument.fut:2:33-45:
-- The operator `*` is not defined on (t0 -> t1 -> t2) -> []t0 -> []t1 -> []t2 [D17]
--  2 | def g (xs: []f64) (ys: []f64) = map2 * xs ys
--    |                                 ^^^^^^^^^^^^
-- help: an operator that is an argument has parentheses: `map2 (*)`
--
-- Error at D17_argument.fut:3:21-32:
-- The operator `+` is not defined on (t0 -> t0 -> t0) -> t0 -> []t0 -> t0 [D17]
--  3 | def h (xs: []f64) = reduce + xs
--    |                     ^^^^^^^^^^^
-- help: an operator that is an argument has parentheses: `reduce (+)`
