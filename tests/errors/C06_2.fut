type v 'a = [2]a
def f (x: v [2]) = x
-- expect
-- Error at C06_2.fut:2:11-16:
-- A size is not valid for a type parameter here: a type is expected [C06]
--  2 | def f (x: v [2]) = x
--    |           ^^^^^
