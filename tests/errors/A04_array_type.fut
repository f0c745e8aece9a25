def f (xs: [i32]) = i32.sum xs
-- expect
-- Error at A04_array_type.fut:1:17-18:
-- Unexpected token: `)`, expected a type [A04]
--  1 | def f (xs: [i32]) = i32.sum xs
--    |                 ^
-- help: an array of `t` is written `[]t`, or `[n]t` if its size has a name
