def r = {a = 1, a = 2}
-- expect
-- Error at B19_1.fut:1:17-18:
-- Field "a" previously defined at B19_1.fut:1:10-11 [B19]
--  1 | def r = {a = 1, a = 2}
--    |                 ^
