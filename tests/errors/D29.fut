def f (r: {a: i32}) = r with a = true
-- expect
-- Error at D29.fut:1:34-38:
-- Cannot unify [D29]
--   bool
-- with
--   i32
--  1 | def f (r: {a: i32}) = r with a = true
--    |                                  ^^^^
-- help: convert: `i32.bool true`
