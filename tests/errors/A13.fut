def f x = (x + 1).(y)
-- expect
-- Error at A13.fut:1:11-18:
-- Can only locally open module names, not arbitrary expressions [A13]
--  1 | def f x = (x + 1).(y)
--    |           ^^^^^^^
