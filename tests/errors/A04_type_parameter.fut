type t a = a
-- expect
-- Error at A04_type_parameter.fut:1:8-9:
-- Unexpected token: `a`, expected `=` before the definition of the type [A04]
--  1 | type t a = a
--    |        ^
-- help: a type parameter is written `'a`, a size `[a]`
