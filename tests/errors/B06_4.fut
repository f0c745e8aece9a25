module a = {}
def a = 2i32
-- expect
-- Error at B06_4.fut:2:5-6:
-- Duplicate definition of name a, previously defined at B06_4.fut:1:8-9 [B06]
--  1 | module a = {}
--    |        - defined here first
--  2 | def a = 2i32
--    |     ^
