def f (a: []i32) (i: i32) = a[i:]
-- expect
-- Error at D22.fut:1:31-32:
-- Cannot unify [D22]
--   i32
-- with
--   i64
--  1 | def f (a: []i32) (i: i32) = a[i:]
--    |                               ^
-- help: convert: `i64.i32 i`
