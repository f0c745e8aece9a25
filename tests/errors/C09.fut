type~ l = ?[n].[n]i32
def f (x: [2]l) = x
-- expect
-- Error at C09.fut:2:11-15:
-- Cannot create array with elements of size-lifted type l: the array might be irregular [C09]
--  2 | def f (x: [2]l) = x
--    |           ^^^^
