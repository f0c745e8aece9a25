def f _x = _x
-- expect
-- Error at B11.fut:1:12-14:
-- Use of `_x`: variables prefixed with underscore may not be accessed [B11]
--  1 | def f _x = _x
--    |            ^^
