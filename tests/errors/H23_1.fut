def c : *[]i32 = [1]
-- expect
-- Error at H23_1.fut:1:9-15:
-- A constant cannot have a unique type [H23]
--  1 | def c : *[]i32 = [1]
--    |         ^^^^^^
