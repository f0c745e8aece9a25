def f (x: i32) (y: i64) = x + y
-- expect
-- Error at D18.fut:1:27-32:
-- Cannot apply "+" to "y" (invalid type). [D18]
-- The operands have types i32 and i64
--  1 | def f (x: i32) (y: i64) = x + y
--    |                           ^^^^^
--    |                           - i32
--    |                               - i64
-- help: convert: `i64.i32 x`
