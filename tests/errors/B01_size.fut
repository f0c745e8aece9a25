entry sum (xs: [n]i64) = reduce (+) 0 xs
-- expect
-- Error at B01_size.fut:1:17-18:
-- Unknown name "n" [B01]
--  1 | entry sum (xs: [n]i64) = reduce (+) 0 xs
--    |                 ^
-- help: a size is declared after the function's name: `def f [n] (xs: [n]i32)`
