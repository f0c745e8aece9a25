def f (a: *[][]i32) = a with [0] = a[1]
-- expect
-- Error at H17.fut:1:36-40:
-- Source array for the update might alias update value through "a" [H17]
--  1 | def f (a: *[][]i32) = a with [0] = a[1]
--    |                                    ^^^^
-- help: use a copy: `copy a[1]`
