type w [n] = [n]i32
def f (x: w i32) = x
-- expect
-- Error at C06.fut:2:11-16:
-- A type is not valid for a type parameter here: a size is expected [C06]
--  2 | def f (x: w i32) = x
--    |           ^^^^^
