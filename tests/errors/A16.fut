def f x = match x
-- expect
-- Error at A16.fut:1:18-19:
-- Unexpected end of file: a match needs at least one `case` [A16]
--  1 | def f x = match x
--    |                  ^
