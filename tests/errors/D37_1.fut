def f '^t (x: t) (y: t) = x == y
-- expect
-- Error at D37_1.fut:1:27-33:
-- The type t does not support equality [D37]
--  1 | def f '^t (x: t) (y: t) = x == y
--    |                           ^^^^^^
