def f (a: *[]i32) = loop x = a for i < 2 do (x with [0] = a[i])
-- expect
-- Error at H21.fut:1:59-60:
-- Loop body uses variable "a" (or an alias), [H21]
-- but this is consumed by the initial loop argument
--  1 | def f (a: *[]i32) = loop x = a for i < 2 do (x with [0] = a[i])
--    |                                                           ^
--    |                              - consumed here
-- help: use the loop parameter instead
