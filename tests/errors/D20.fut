def f (x: bool) = -x
-- expect
-- Error at D20.fut:1:19-21:
-- Cannot unify [D20]
--   bool
-- with
--   a number
--  1 | def f (x: bool) = -x
--    |                   ^^
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 with bool
