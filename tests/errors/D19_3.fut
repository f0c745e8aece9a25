def f = assert 1i32 2i32
-- expect
-- Error at D19_3.fut:1:16-20:
-- Cannot unify [D19]
--   i32
-- with
--   bool
--  1 | def f = assert 1i32 2i32
--    |                ^^^^
-- help: compare it: `1i32 != 0`
