def f (x: i32) = if x == 3 && x = 4 then 1 else 2
-- expect
-- Error at A04_equals.fut:1:33-34:
-- Unexpected token: `=`, expected `then` after the condition [A04]
--  1 | def f (x: i32) = if x == 3 && x = 4 then 1 else 2
--    |                                 ^
-- help: `==` compares two values; `=` gives a value a name
