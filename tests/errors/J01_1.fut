module m = { entry f x = x + 1i32 }
-- expect
-- Error at J01_1.fut:1:20-21:
-- Entry points may not be declared inside modules [J01]
--  1 | module m = { entry f x = x + 1i32 }
--    |                    ^
