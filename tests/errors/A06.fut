def f x = let y = x
def g = 1
-- expect
-- Error at A06.fut:2:1-4:
-- Unexpected token: `def`, missing "in"? [A06]
--  1 | def f x = let y = x
--    |           --- this `let`
--  2 | def g = 1
--    | ^^^
