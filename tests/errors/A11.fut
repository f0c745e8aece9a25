def a ! b = a
-- expect
-- Error at A11.fut:1:7-8:
-- '!' is a prefix operator and cannot be used infix [A11]
--  1 | def a ! b = a
--    |       ^
