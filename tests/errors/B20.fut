def f = loop (x, _) for i < 3 do (x, x)
-- expect
-- Error at B20.fut:1:18-19:
-- Cannot have wildcard here: a loop without `=` starts with the variables of its pattern [B20]
--  1 | def f = loop (x, _) for i < 3 do (x, x)
--    |                  ^
