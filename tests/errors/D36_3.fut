def z : f32 = 1e50
-- expect
-- Error at D36_3.fut:1:15-19:
-- The literal 1e50 is out of bounds for inferred type f32 [D36]
--  1 | def z : f32 = 1e50
--    |               ^^^^
