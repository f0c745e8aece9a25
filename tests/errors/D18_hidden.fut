module type m = { type t val make: i64 -> t }
module k : m = { type t = i64 def make (x: i64): t = x }
entry main (a: i64): i64 = k.make a + 1
-- expect
-- Error at D18_hidden.fut:3:28-40:
-- Cannot apply "+" to "1" (invalid type). [D18]
-- The operands have types k.t and number
--  3 | entry main (a: i64): i64 = k.make a + 1
--    |                            ^^^^^^^^^^^^
--    |                            -------- k.t
--    |                                       - number
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 with k.t
-- help: the module type hides what `k.t` is: use the functions of the module, or add `with t = ..` to the module type
