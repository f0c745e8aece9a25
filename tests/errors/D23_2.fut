def f (a: i32) = a[0]
-- expect
-- Error at D23_2.fut:1:18-22:
-- Cannot unify [D23]
--   i32
-- with
--   []t0
--  1 | def f (a: i32) = a[0]
--    |                  ^^^^
-- note: indexed with 1 index
