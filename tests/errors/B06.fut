def a = 1i32
def b = 2i32
def a = 3i32
-- expect
-- Error at B06.fut:3:5-6:
-- Duplicate definition of name a, previously defined at B06.fut:1:5-6 [B06]
--  1 | def a = 1i32
--    |     - defined here first
--  3 | def a = 3i32
--    |     ^
