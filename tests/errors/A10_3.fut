def x m.+ y = x
-- expect
-- Error at A10_3.fut:1:7-10:
-- Unexpected token: Cannot use a qualified name in binding position: `m.+` [A10]
--  1 | def x m.+ y = x
--    |       ^^^
