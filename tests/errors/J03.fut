entry f (g: i32 -> i32) = g 1
-- expect
-- Error at J03.fut:1:7-8:
-- Entry point functions may not be higher-order. [J03]
--  1 | entry f (g: i32 -> i32) = g 1
--    |       ^
