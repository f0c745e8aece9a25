def f = 'ab'
-- expect
-- Error at A04_text.fut:1:9-10:
-- Unexpected token: `'`, expected an expression [A04]
--  1 | def f = 'ab'
--    |         ^
-- help: a character is one, as `'a'`; several are a text, `"ab"`
