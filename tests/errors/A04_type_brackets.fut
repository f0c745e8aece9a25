def f<t> (xs: []t) = xs
-- expect
-- Error at A04_type_brackets.fut:1:8-9:
-- Unexpected token: `>`, expected `=` before the body of the definition [A04]
--  1 | def f<t> (xs: []t) = xs
--    |        ^
-- help: type parameters come before the others: `def f 't (x: t) = ..`
