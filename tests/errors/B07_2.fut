def f = \x x -> x
-- expect
-- Error at B07_2.fut:1:12-13:
-- The name `x` is also bound at B07_2.fut:1:10-11 [B07]
--  1 | def f = \x x -> x
--    |            ^
--    |          - bound here first
