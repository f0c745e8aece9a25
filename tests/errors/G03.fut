def f (b: bool) = match b case true -> \x -> x + 1i32 case false -> \x -> x
-- expect
-- Error at G03.fut:1:19-76:
-- match-results may not be of function type i32 -> i32: apply the function inside of the cases [G03]
--  1 | def f (b: bool) = match b case true -> \x -> x + 1i32 case false -> \x -> x
--    |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
