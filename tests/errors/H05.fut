def f (a: *[]i32) = map (\i -> (a with [i] = 0)[0]) [0]
-- expect
-- Error at H05.fut:1:33-34:
-- Consuming variable "a", which is not consumable: it is bound outside of the function, which may be called many times [H05]
--  1 | def f (a: *[]i32) = map (\i -> (a with [i] = 0)[0]) [0]
--    |                                 ^
--    |        - bound here
-- help: write all elements at once with `scatter`, or one after the other in a loop
