def f (x: i32) = loop (x, 1) for i < 3 do (x, x)
-- expect
-- Error at B20_2.fut:1:27-28:
-- Cannot have literal here: a loop without `=` starts with the variables of its pattern [B20]
--  1 | def f (x: i32) = loop (x, 1) for i < 3 do (x, x)
--    |                           ^
