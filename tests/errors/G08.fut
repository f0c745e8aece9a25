def f (n: i64): i64 -> i64 = \x -> f (n - 1) x
-- expect
-- Error at G08.fut:1:5-6:
-- The recursive function `f` has a result which is not first-order: write the function type as parameters [G08]
--  1 | def f (n: i64): i64 -> i64 = \x -> f (n - 1) x
--    |     ^
