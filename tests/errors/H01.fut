def f (a: *[]i32) = let b = a with [0] = 1 in (a, b)
def g (a: *[]i32) = let c = a let b = c with [0] = 1 in a[0]
-- expect
-- Error at H01.fut:1:48-48:
-- Using variable "a", but this was consumed at H01.fut:1:29-42. (Possibly through aliases.) [H01]
--  1 | def f (a: *[]i32) = let b = a with [0] = 1 in (a, b)
--    |                                                ^
--    |                             -------------- consumed here
--
-- Error at H01.fut:2:57-57:
-- Using variable "a", but this was consumed at H01.fut:2:39-52. (Possibly through aliases.) [H01]
--  2 | def g (a: *[]i32) = let c = a let b = c with [0] = 1 in a[0]
--    |                                                         ^
--    |                                       -------------- consumed here
