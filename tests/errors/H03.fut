def g (a: *[]i32) = a[0]
def f (a: *[]i32) = let x = g a let y = g a in x + y
-- expect
-- Error at H03.fut:2:43-44:
-- Using variable "a", but this was consumed at H03.fut:2:31-32. (Possibly through aliases.) What was consumed cannot be consumed again [H03]
--  2 | def f (a: *[]i32) = let x = g a let y = g a in x + y
--    |                                           ^
--    |                               - consumed here first
