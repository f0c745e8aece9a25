def f x = let y = 1 in x + 1i32
-- expect
-- Warning at K01.fut:1:15-16:
--   Unused name "y" [K01]
--    1 | def f x = let y = 1 in x + 1i32
--      |               ^
