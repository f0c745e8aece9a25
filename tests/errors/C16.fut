def f (x: [true]i32) = x
-- expect
-- Error at C16.fut:1:12-16:
-- Cannot unify [C16]
--   bool
-- with
--   i64
--  1 | def f (x: [true]i32) = x
--    |            ^^^^
-- help: convert: `i64.bool true`
