def f (a: *[]i32) = let b = a with [0] = 1 in (a, b)
-- expect
-- Error at H01.fut:1:48-49:
-- Using variable "a", but this was consumed at H01.fut:1:29-30. (Possibly through aliases.) [H01]
--  1 | def f (a: *[]i32) = let b = a with [0] = 1 in (a, b)
--    |                                                ^
--    |                             - consumed here
