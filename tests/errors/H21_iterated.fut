def f (a: *[]i32) = loop x = a for y in a[1:] do x with [0] = y
-- expect
-- Error at H21_iterated.fut:1:41-46:
-- Loop body uses variable "a" (or an alias), [H21]
-- but this is consumed by the initial loop argument
--  1 | def f (a: *[]i32) = loop x = a for y in a[1:] do x with [0] = y
--    |                                         ^^^^^
--    |                              - consumed here
-- help: iterate over a copy
