def f (x: i32) = x
def g = f 1 2
-- expect
-- Error at D03.fut:2:9-14:
-- Cannot apply "f": Function accepts only 1 arguments [D03]
--  2 | def g = f 1 2
--    |         ^^^^^
