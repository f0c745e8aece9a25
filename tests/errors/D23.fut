def f (a: []i32) = a[0, 0]
-- expect
-- Error at D23.fut:1:20-27:
-- Cannot unify [D23]
--   []i32
-- with
--   [][]t0
--  1 | def f (a: []i32) = a[0, 0]
--    |                    ^^^^^^^
-- note: indexed with 2 indices
