def r = {a = 1i32, a = 2i32}
-- expect
-- Error at B19.fut:1:20-21:
-- Field "a" previously defined at B19.fut:1:10-11 [B19]
--  1 | def r = {a = 1i32, a = 2i32}
--    |                    ^
