def f (a: []i32) = a with [0] = 1
def g (a: *[]i32) = map (\i -> (a with [i] = 0)[0]) [0]
def h (a: *[]i32) = loop x = 0 for _i < 2 do (a with [0] = 1)[0]
-- expect
-- Error at H04.fut:1:20-33:
-- Consuming variable "a", which is not consumable [H04]
--  1 | def f (a: []i32) = a with [0] = 1
--    |                    ^^^^^^^^^^^^^^
--    |        - bound here
-- help: declare it with `*`, or update a copy: `copy a`
--
-- Error at H04.fut:2:32-47:
-- Consuming variable "a", which is not consumable [H04]
--  2 | def g (a: *[]i32) = map (\i -> (a with [i] = 0)[0]) [0]
--    |                                ^^^^^^^^^^^^^^^^
--    |        - bound here
--
-- Error at H04.fut:3:46-61:
-- Consuming variable "a", which is not consumable [H04]
--  3 | def h (a: *[]i32) = loop x = 0 for _i < 2 do (a with [0] = 1)[0]
--    |                                              ^^^^^^^^^^^^^^^^
--    |        - bound here
