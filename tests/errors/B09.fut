def f (e: []i32) = let [n] [n] (xs: [n]i32) = e in n
-- expect
-- Error at B09.fut:1:29-30:
-- The size `n` is also bound at B09.fut:1:25-26 [B09]
--  1 | def f (e: []i32) = let [n] [n] (xs: [n]i32) = e in n
--    |                             ^
--    |                         - bound here first
