def f x = let y = 1 in x
-- expect
-- Warning at K01_1.fut:1:15-16:
--   Unused name "y" [K01]
--    1 | def f x = let y = 1 in x
--      |               ^
