def f = let [n] x = 3i32 in x
-- expect
-- Error at F06.fut:1:14-15:
-- Size [n] unused in pattern [F06]
--  1 | def f = let [n] x = 3i32 in x
--    |              ^
