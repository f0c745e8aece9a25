def x = 3 § 4
-- expect
-- Error at A01.fut:1:11-12:
-- Unexpected token: the character `§` has no meaning here [A01]
--  1 | def x = 3 § 4
--    |           ^
