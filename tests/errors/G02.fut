def f b = if b then \x -> x + 1i32 else \x -> x
-- expect
-- Error at G02.fut:1:11-48:
-- if-results may not be of function type i32 -> i32: apply the function inside of the branches [G02]
--  1 | def f b = if b then \x -> x + 1i32 else \x -> x
--    |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
