def g = (3 `i32.abs`)
-- expect
-- Error at D40.fut:1:9-22:
-- Cannot unify [D40]
--   i32 -> i32
-- with
--   a function of two arguments
--  1 | def g = (3 `i32.abs`)
--    |         ^^^^^^^^^^^^^
