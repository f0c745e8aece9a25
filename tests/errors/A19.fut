def p = (1,)
-- expect
-- Error at A19.fut:1:11-12:
-- Unexpected token: `,`; a tuple has no or at least two components [A19]
--  1 | def p = (1,)
--    |           ^
