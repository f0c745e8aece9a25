def k (x: i32): bool = x
-- expect
-- Error at D05.fut:1:24-25:
-- Function body does not have expected type. [D05]
-- Expected:
--   bool
-- Actual:
--   i32
--  1 | def k (x: i32): bool = x
--    |                        ^
