def a = [1i32, true]
-- expect
-- Error at D30.fut:1:16-20:
-- Cannot unify [D30]
--   bool
-- with
--   i32
--  1 | def a = [1i32, true]
--    |                ^^^^
-- help: convert: `i32.bool true`
