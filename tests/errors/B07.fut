def f (x, x) = x
-- expect
-- Error at B07.fut:1:11-12:
-- The name `x` is also bound at B07.fut:1:8-9 [B07]
--  1 | def f (x, x) = x
--    |           ^
--    |        - bound here first
