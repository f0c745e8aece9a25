def x : u8 = 300
-- expect
-- Error at D36_1.fut:1:14-17:
-- The literal 300 is out of bounds for inferred type u8 [D36]
--  1 | def x : u8 = 300
--    |              ^^^
