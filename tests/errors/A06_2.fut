def f x = let y = x
type g = i32
-- expect
-- Error at A06_2.fut:2:1-5:
-- Unexpected token: `type`, missing "in"? [A06]
--  1 | def f x = let y = x
--    |           --- this `let`
--  2 | type g = i32
--    | ^^^^
