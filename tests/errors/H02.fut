def f (a: *[]i32) = let c = a let b = c with [0] = 1 in a[0]
-- expect
-- Error at H02.fut:1:57-58:
-- Using variable "a", but this was consumed at H02.fut:1:39-40. (Possibly through aliases.) It shares memory with `c`, which was consumed there [H02]
--  1 | def f (a: *[]i32) = let c = a let b = c with [0] = 1 in a[0]
--    |                                                         ^
--    |                                       - `c` is consumed here
