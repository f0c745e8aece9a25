module type S = { def x : i32 }
-- expect
-- Error at A04_val.fut:1:19-22:
-- Unexpected token: `def`, expected a specification: val, type, module or include [A04]
--  1 | module type S = { def x : i32 }
--    |                   ^^^
-- help: a value is specified by its type: `val x : i32`
