def f x = let 1 = x in x + 1i32
-- expect
-- Error at E01.fut:1:15-16:
-- Refutable pattern not allowed here. [E01]
-- Unmatched cases:
--   _
--  1 | def f x = let 1 = x in x + 1i32
--    |               ^
