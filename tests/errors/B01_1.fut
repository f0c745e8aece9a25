def f x = y + x
-- expect
-- Error at B01_1.fut:1:11-12:
-- Unknown name "y" [B01]
--  1 | def f x = y + x
--    |           ^
