type t [n] = i32
-- expect
-- Error at C13.fut:1:9-10:
-- Size parameter "[n]" unused [C13]
--  1 | type t [n] = i32
--    |         ^
