def f (a: *[]i32) = loop x = a while a[0] > 0 do (x with [0] = 1)
-- expect
-- Error at H22.fut:1:38-39:
-- Loop condition uses variable "a" (or an alias), [H22]
-- but this is consumed by the initial loop argument
--  1 | def f (a: *[]i32) = loop x = a while a[0] > 0 do (x with [0] = 1)
--    |                                      ^
--    |                              - consumed here
