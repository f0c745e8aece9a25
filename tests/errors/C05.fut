type v 'a = [2]a
def f (x: v i32 i32) = x
-- expect
-- Error at C05.fut:2:11-20:
-- Type constructor "v" requires 1 arguments, but provided 2 [C05]
--  2 | def f (x: v i32 i32) = x
--    |           ^^^^^^^^^
