def f [n] (x: i32) = x
-- expect
-- Error at F05.fut:1:8-9:
-- Size [n] unused [F05]
--  1 | def f [n] (x: i32) = x
--    |        ^
