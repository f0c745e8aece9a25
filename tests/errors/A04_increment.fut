def f (x: i32) = let x += 1 in x
-- expect
-- Error at A04_increment.fut:1:24-26:
-- Unexpected token: `+=`, expected a parameter or `=` [A04]
--  1 | def f (x: i32) = let x += 1 in x
--    |                        ^^
-- help: names do not change: `let x = x + 1` makes a new `x`
