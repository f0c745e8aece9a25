def f (g: (n: i64) -> (n: i64) -> i64) = g 1 2
-- expect
-- Error at B10.fut:1:24-25:
-- The name `n` is also bound at B10.fut:1:12-13: the parameters of a function type have different names [B10]
--  1 | def f (g: (n: i64) -> (n: i64) -> i64) = g 1 2
--    |                        ^
--    |            - bound here first
