def f (x: bool) (y: bool) = x or y
def g (x: bool) (y: bool) = not x and y
-- expect
-- Error at D02_word.fut:1:29-35:
-- Cannot apply "x": it has the non-function type bool [D02]
--  1 | def f (x: bool) (y: bool) = x or y
--    |                             ^^^^^^
-- help: one of two conditions: `a || b`
--
-- Error at D02_word.fut:2:29-40:
-- Cannot apply "not": Function accepts only 1 arguments [D03]
--  2 | def g (x: bool) (y: bool) = not x and y
--    |                             ^^^^^^^^^^^
-- help: both of two conditions: `a && b`
