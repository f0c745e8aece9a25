type a = i32
type a = i64
-- expect
-- Error at B06_2.fut:2:6-7:
-- Duplicate definition of type a, previously defined at B06_2.fut:1:6-7 [B06]
--  1 | type a = i32
--    |      - defined here first
--  2 | type a = i64
--    |      ^
