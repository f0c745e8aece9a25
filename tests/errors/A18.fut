#[1+2] def f = 1
-- expect
-- Error at A18.fut:1:4-5:
-- Unexpected token: `+`; an attribute is a name, a number, or a name with attributes in parentheses [A18]
--  1 | #[1+2] def f = 1
--    |    ^
