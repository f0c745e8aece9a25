def f (x: f32) = x & x
-- expect
-- Error at D17.fut:1:18-23:
-- The operator `&` is not defined on f32 [D17]
--  1 | def f (x: f32) = x & x
--    |                  ^^^^^
-- note: Cannot instantiate type that must be one of i8, i16, i32, i64, u8, u16, u32, u64 with f32
