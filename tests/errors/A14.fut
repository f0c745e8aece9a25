def f x = if x then[1] else [2]
-- expect
-- Error at A14.fut:1:20-21:
-- Unexpected token: `[`; put a blank between `then` and `[` [A14]
--  1 | def f x = if x then[1] else [2]
--    |                    ^
