def f = loop x = 1i32 while x do x
-- expect
-- Error at D19_2.fut:1:29-30:
-- Cannot unify [D19]
--   i32
-- with
--   bool
--  1 | def f = loop x = 1i32 while x do x
--    |                             ^
-- help: compare it: `x != 0`
