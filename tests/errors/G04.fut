def f = loop f = id for _i < 3 do f >-> i32.abs
-- expect
-- Error at G04.fut:1:14-15:
-- A loop parameter may not be of function type i32 -> i32 [G04]
--  1 | def f = loop f = id for _i < 3 do f >-> i32.abs
--    |              ^
