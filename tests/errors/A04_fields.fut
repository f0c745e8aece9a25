type t = {i32 a, f32 b}
-- expect
-- Error at A04_fields.fut:1:15-16:
-- Unexpected token: `a`, expected `:` and the type of the field [A04]
--  1 | type t = {i32 a, f32 b}
--    |               ^
-- help: the type of a field follows a colon: `{a: i32, b: f32}`
