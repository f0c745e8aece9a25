def a = 1
def a = 2
-- expect
-- Warning at B06_1.fut:1:5-6:
--   Defaulting ambiguous type to i32 [K02]
--    1 | def a = 1
--      |     ^
--      |         - this becomes `i32`
--
-- Error at B06_1.fut:2:5-6:
-- Duplicate definition of name a, previously defined at B06_1.fut:1:5-6 [B06]
--  1 | def a = 1
--    |     - defined here first
--  2 | def a = 2
--    |     ^
