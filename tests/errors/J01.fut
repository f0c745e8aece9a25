module m = { entry f (x: i32) = x }
-- expect
-- Error at J01.fut:1:20-21:
-- Entry points may not be declared inside modules [J01]
--  1 | module m = { entry f (x: i32) = x }
--    |                    ^
