type v 'a = [2]a
type~ l = ?[n].[n]i32
def f (x: v (i32 -> i32)) = x[0] 2
def g (x: v l) = length x
-- expect
-- Error at C08_argument.fut:3:11-25:
-- Cannot create array with elements of lifted type i32 -> i32: it may contain functions [C08]
--  3 | def f (x: v (i32 -> i32)) = x[0] 2
--    |           ^^^^^^^^^^^^^^
--
-- Error at C08_argument.fut:4:11-14:
-- Cannot create array with elements of size-lifted type l: the array might be irregular [C09]
--  4 | def g (x: v l) = length x
--    |           ^^^
