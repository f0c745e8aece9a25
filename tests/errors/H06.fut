def f (a: *[]i32) = loop x = 0 for _i < 2 do (a with [0] = 1)[0]
-- expect
-- Error at H06.fut:1:47-48:
-- Consuming variable "a", which is not consumable: it is bound outside of the loop, which runs many times [H06]
--  1 | def f (a: *[]i32) = loop x = 0 for _i < 2 do (a with [0] = 1)[0]
--    |                                               ^
--    |        - bound here
-- help: make it a parameter of the loop
