module m: { type t = i32 } = { type t = f32 }
-- expect
-- Error at I06.fut:1:30-46:
-- Module defines [I06]
--   type t = f32
-- but module type requires
--   i32
--  1 | module m: { type t = i32 } = { type t = f32 }
--    |                              ^^^^^^^^^^^^^^^^
