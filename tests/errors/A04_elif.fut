def sign (x: i64) = if x > 0 then 1 elif x < 0 then -1 else 0
-- expect
-- Error at A04_elif.fut:1:48-52:
-- Unexpected token: `then`, expected `else` before the other branch [A04]
--  1 | def sign (x: i64) = if x > 0 then 1 elif x < 0 then -1 else 0
--    |                                                ^^^^
-- help: another condition follows as `else if c then ..`
