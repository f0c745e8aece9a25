def y : i8 = -129
-- expect
-- Error at D36_2.fut:1:15-18:
-- The literal -129 is out of bounds for inferred type i8 [D36]
--  1 | def y : i8 = -129
--    |               ^^^
