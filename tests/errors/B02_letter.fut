def f (x: t) = x
-- expect
-- Error at B02_letter.fut:1:11-12:
-- Unknown type "t" [B02]
--  1 | def f (x: t) = x
--    |           ^
-- help: a type parameter is declared with `'`: `def f 't (x: t) = ..` or `type t 't = ..`
