def m.f x = x
-- expect
-- Error at A10_1.fut:1:5-6:
-- Unexpected token: Cannot use a qualified name in binding position: `m` [A10]
--  1 | def m.f x = x
--    |     ^
