def f (x: i32) = assert x > 0 x
-- expect
-- Error at A04_assert.fut:1:27-28:
-- Unexpected token: `>`, expected a value [A04]
--  1 | def f (x: i32) = assert x > 0 x
--    |                           ^
-- help: a condition with operators stands in parentheses: `assert (a < b) e`
