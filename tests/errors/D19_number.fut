def f (xs: []i32) = if length xs then 1 else 2i32
def g (x: i32) = if x & 1 then 1 else 2i32
-- expect
-- Error at D19_number.fut:1:24-33:
-- Cannot unify [D19]
--   i64
-- with
--   bool
--  1 | def f (xs: []i32) = if length xs then 1 else 2i32
--    |                        ^^^^^^^^^
-- help: compare it: `length xs != 0`
--
-- Error at D19_number.fut:2:21-26:
-- Cannot unify [D19]
--   i32
-- with
--   bool
--  2 | def g (x: i32) = if x & 1 then 1 else 2i32
--    |                     ^^^^^
-- help: compare it: `(x & 1) != 0`
