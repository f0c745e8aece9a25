def f (x: 't) = x
-- expect
-- Error at A04_quote.fut:1:11-12:
-- Unexpected token: `'`, expected a type [A04]
--  1 | def f (x: 't) = x
--    |           ^
-- help: a type parameter is declared with `'` and used without: `def f 't (x: t) = ..`
