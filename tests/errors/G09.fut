def f (g: i32 -> i32) (n: i32): i32 = let h = f g in h (n - 1)
-- expect
-- Error at G09.fut:1:47-50:
-- The recursive call of `f` is not fully saturated: it has functional parameters, so it needs all its arguments [G09]
--  1 | def f (g: i32 -> i32) (n: i32): i32 = let h = f g in h (n - 1)
--    |                                               ^^^
