def x `m.f` y = x
-- expect
-- Error at A10.fut:1:8-9:
-- Unexpected token: Cannot use a qualified name in binding position: `m` [A10]
--  1 | def x `m.f` y = x
--    |        ^
