def q ((a, b): i32) = a
-- expect
-- Error at D08.fut:1:8-14:
-- Pattern `(a, b)` cannot match ascribed type i32 [D08]
--  1 | def q ((a, b): i32) = a
--    |        ^^^^^^
