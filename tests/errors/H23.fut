def c: *[]i32 = [1]
-- expect
-- Error at H23.fut:1:8-14:
-- A constant cannot have a unique type [H23]
--  1 | def c: *[]i32 = [1]
--    |        ^^^^^^
