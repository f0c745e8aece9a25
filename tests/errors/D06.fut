def a = (1i32: f32)
-- expect
-- Error at D06.fut:1:10-14:
-- Expression does not have expected type from type ascription. [D06]
-- Expected:
--   f32
-- Actual:
--   i32
--  1 | def a = (1i32: f32)
--    |          ^^^^
