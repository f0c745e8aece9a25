def x: u8 = 300
def y: i8 = -129
def z: f32 = 1e50
-- expect
-- Error at D36.fut:1:13-16:
-- The literal 300 is out of bounds for inferred type u8 [D36]
--  1 | def x: u8 = 300
--    |             ^^^
--
-- Error at D36.fut:2:14-17:
-- The literal -129 is out of bounds for inferred type i8 [D36]
--  2 | def y: i8 = -129
--    |              ^^^
--
-- Error at D36.fut:3:14-18:
-- The literal 1e50 is out of bounds for inferred type f32 [D36]
--  3 | def z: f32 = 1e50
--    |              ^^^^
