def f (i32 x) = x
-- expect
-- Error at A04_parameter_type.fut:1:12-13:
-- Unexpected token: `x`, expected `)` after the pattern [A04]
--  1 | def f (i32 x) = x
--    |            ^
--    |       - opened here
-- help: a parameter with a type is `(x: t)`, one without is `x`
