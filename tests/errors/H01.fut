def f (a: *[]i32) = let b = a with [0] = 1 in (a, b)
-- expect
-- Error at H01.fut:1:48-48:
-- Using variable "a", but this was consumed at H01.fut:1:29-29. (Possibly through aliases.) [H01]
--  1 | def f (a: *[]i32) = let b = a with [0] = 1 in (a, b)
--    |                                                ^
--    |                             - consumed here
