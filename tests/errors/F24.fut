def f = loop x = [1i32] for i < 3 do map2 (+) x [i, i]
-- expect
-- Error at F24.fut:1:18-24:
-- Initial loop values do not have expected type: the body needs the size 2, the start has 1 [F24]
--  1 | def f = loop x = [1i32] for i < 3 do map2 (+) x [i, i]
--    |                  ^^^^^^
