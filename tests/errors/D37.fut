def f 't (x: t) (y: t) = x == y
-- expect
-- Error at D37.fut:1:26-32:
-- The type t does not support equality [D37]
--  1 | def f 't (x: t) (y: t) = x == y
--    |                          ^^^^^^
