def f (x: i32) = x
def g = f true
-- expect
-- Error at D01.fut:2:11-15:
-- Cannot apply "f" to "true" (invalid type). [D01]
-- Expected:
--   i32
-- Actual:
--   bool
--  2 | def g = f true
--    |           ^^^^
-- help: convert: `i32.bool true`
