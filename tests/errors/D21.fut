def f (a: []i32) (i: u32) = a[i]
-- expect
-- Error at D21.fut:1:31-31:
-- Cannot unify [D21]
--   u32
-- with
--   integer
--  1 | def f (a: []i32) (i: u32) = a[i]
--    |                               ^
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64 with u32
