type t = {a: i32, a: bool}
-- expect
-- Error at C01.fut:1:19-20:
-- Duplicate record fields: `a` [C01]
--  1 | type t = {a: i32, a: bool}
--    |                   ^
