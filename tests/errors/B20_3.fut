def f (x: i32) = loop (x, #a) for i < 3 do (x, x)
-- expect
-- Error at B20_3.fut:1:27-29:
-- Cannot have constructor here: a loop without `=` starts with the variables of its pattern [B20]
--  1 | def f (x: i32) = loop (x, #a) for i < 3 do (x, x)
--    |                           ^^
