def f (x: (i32) bool) = x
-- expect
-- Error at C07.fut:1:11-16:
-- Type `(i32)` is not a type constructor [C07]
--  1 | def f (x: (i32) bool) = x
--    |           ^^^^^
