def f x = let y = 2
-- expect
-- Error at A05.fut:1:20-21:
-- Unexpected end of file, expected `in` or another `let` [A05]
--  1 | def f x = let y = 2
--    |                    ^
--    |           --- this `let`
