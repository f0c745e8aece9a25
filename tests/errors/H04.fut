def f (a: []i32) = a with [0] = 1
-- expect
-- Error at H04.fut:1:20-21:
-- Consuming variable "a", which is not consumable [H04]
--  1 | def f (a: []i32) = a with [0] = 1
--    |                    ^
--    |        - bound here
-- help: declare it with `*`, or update a copy: `copy a`
