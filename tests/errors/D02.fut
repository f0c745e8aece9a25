def x = 3 4
-- expect
-- Error at D02.fut:1:9-12:
-- Cannot apply "3": it has the non-function type number [D02]
--  1 | def x = 3 4
--    |         ^^^
