def f x = if x + 1 then 2i32 else 3
-- expect
-- Error at D19.fut:1:14-19:
-- Cannot unify [D19]
--   number
-- with
--   bool
--  1 | def f x = if x + 1 then 2i32 else 3
--    |              ^^^^^
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 with bool
