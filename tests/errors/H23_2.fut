def c: (i32, *[]bool) = (1, [true])
-- expect
-- Error at H23_2.fut:1:8-22:
-- A constant cannot have a unique type [H23]
--  1 | def c: (i32, *[]bool) = (1, [true])
--    |        ^^^^^^^^^^^^^^
