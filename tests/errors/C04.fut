type v 'a = [2]a
def f (x: v) = x
-- expect
-- Error at C04.fut:2:11-12:
-- Type constructor "v" used without any arguments; it takes 1 [C04]
--  2 | def f (x: v) = x
--    |           ^
