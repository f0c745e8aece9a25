def f (a: []i32) = a[1.0]
-- expect
-- Error at D21_2.fut:1:22-25:
-- Cannot unify [D21]
--   float
-- with
--   integer
--  1 | def f (a: []i32) = a[1.0]
--    |                      ^^^
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64 with float
