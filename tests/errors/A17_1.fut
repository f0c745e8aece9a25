def f x = match x case y: i32 -> y
-- expect
-- Error at A17_1.fut:1:24-35:
-- Unexpected token: `:`; put a pattern with a type into parentheses: `case (p: t) -> ..` [A17]
--  1 | def f x = match x case y: i32 -> y
--    |                        ^^^^^^^^^^^
