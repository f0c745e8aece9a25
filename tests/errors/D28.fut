def f (a: *[]i32) = a with [0] = true
-- expect
-- Error at D28.fut:1:34-38:
-- Cannot unify [D28]
--   bool
-- with
--   i32
--  1 | def f (a: *[]i32) = a with [0] = true
--    |                                  ^^^^
-- help: convert: `i32.bool true`
