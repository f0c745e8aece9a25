def f (g: i32 -> i32) (n: i32): i32 = f (g >-> g) (n - 1)
-- expect
-- Error at G10.fut:1:41-50:
-- A functional argument of a recursive call must be passed unchanged: `g` is expected here [G10]
--  1 | def f (g: i32 -> i32) (n: i32): i32 = f (g >-> g) (n - 1)
--    |                                         ^^^^^^^^^
