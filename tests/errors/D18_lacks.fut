def dot [n] (xs: [n]f32) (ys: [n]f32) = f32.sum (map2 (*) xs ys)
def f [n] (xs: [n]f32): f32 = let z = dot xs in z + 1
def g [n] (xs: [n]f32): f32 = 1 + dot xs
-- expect
-- Error at D18_lacks.fut:2:49-54:
-- Cannot apply "+" to "1" (invalid type). [D18]
-- The operands have types []f32 -> f32 and number
--  2 | def f [n] (xs: [n]f32): f32 = let z = dot xs in z + 1
--    |                                                 ^^^^^
--    |                                                 - []f32 -> f32
--    |                                                     - number
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 with []f32 -> f32
-- help: `z` is a function, which lacks 1 argument
--
-- Error at D18_lacks.fut:3:31-41:
-- Cannot apply "+" to "dot xs" (invalid type). [D18]
-- The operands have types number and []f32 -> f32
--  3 | def g [n] (xs: [n]f32): f32 = 1 + dot xs
--    |                               ^^^^^^^^^^
--    |                               - number
--    |                                   ------ []f32 -> f32
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 with []f32 -> f32
-- help: `dot xs` is a function, which lacks 1 argument
