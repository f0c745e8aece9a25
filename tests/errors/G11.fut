def f (g: i32 -> i32) (n: i32): i32 = let h = f in h g n
-- expect
-- Error at G11.fut:1:47-48:
-- A use of the recursive function `f`, which has functional parameters, must be a fully saturated application [G11]
--  1 | def f (g: i32 -> i32) (n: i32): i32 = let h = f in h g n
--    |                                               ^
