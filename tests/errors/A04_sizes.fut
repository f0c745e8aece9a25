def f (n: i64) [m] (xs: [m]i64) = n + m

def g (n: i64) 'a (x: a) = (n, x)
-- expect
-- Error at A04_sizes.fut:1:16-17:
-- Unexpected token: `[`, expected `=` before the body of the definition [A04]
--  1 | def f (n: i64) [m] (xs: [m]i64) = n + m
--    |                ^
-- help: sizes and types come before the first parameter: `def f [n] 't (x: [n]t) = ..`
--
-- Error at A04_sizes.fut:3:16-17:
-- Unexpected token: `'`, expected `=` before the body of the definition [A04]
--  3 | def g (n: i64) 'a (x: a) = (n, x)
--    |                ^
-- help: sizes and types come before the first parameter: `def f [n] 't (x: [n]t) = ..`
