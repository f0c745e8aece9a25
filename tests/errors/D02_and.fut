def f (n: i64) = n != 0 and true
-- expect
-- Error at D02_and.fut:1:23-33:
-- Cannot apply "0": it has the non-function type number [D02]
--  1 | def f (n: i64) = n != 0 and true
--    |                       ^^^^^^^^^^
-- help: both of two conditions: `a && b`
