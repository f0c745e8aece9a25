def f [n] [n] (x: [n]i32) = x
-- expect
-- Error at B08_1.fut:1:12-13:
-- The parameter `n` is also bound at B08_1.fut:1:8-9: it was previously defined at B08_1.fut:1:8-9 [B08]
--  1 | def f [n] [n] (x: [n]i32) = x
--    |            ^
