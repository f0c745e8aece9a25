def f x = let y = x
module g = {}
-- expect
-- Error at A06_3.fut:2:1-7:
-- Unexpected token: `module`, missing "in"? [A06]
--  1 | def f x = let y = x
--    |           --- this `let`
--  2 | module g = {}
--    | ^^^^^^
