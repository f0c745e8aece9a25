def f = loop (x: bool) = 1i32 while x do x
-- expect
-- Error at D27.fut:1:14-23:
-- Pattern `(x: bool)` cannot match value of type [D27]
--   i32
-- which is the initial value of the loop
--  1 | def f = loop (x: bool) = 1i32 while x do x
--    |              ^^^^^^^^^
--    |                          ---- i32
