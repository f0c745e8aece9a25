def a = [\x -> x + 1i32]
-- expect
-- Error at G01.fut:1:10-24:
-- The type i32 -> i32 was found to be functional: an array cannot hold functions [G01]
--  1 | def a = [\x -> x + 1i32]
--    |          ^^^^^^^^^^^^^^
