def f (x: i32) = match x case y: i32 -> y
-- expect
-- Error at A17.fut:1:31-42:
-- Unexpected token: `:`; put a pattern with a type into parentheses: `case (p: t) -> ..` [A17]
--  1 | def f (x: i32) = match x case y: i32 -> y
--    |                               ^^^^^^^^^^^
