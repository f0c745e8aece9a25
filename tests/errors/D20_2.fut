def g (x: f32) = !x
-- expect
-- Error at D20_2.fut:1:18-20:
-- Cannot unify [D20]
--   f32
-- with
--   an integer or bool
--  1 | def g (x: f32) = !x
--    |                  ^^
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64, u8, u16, u32, u64, bool with f32
