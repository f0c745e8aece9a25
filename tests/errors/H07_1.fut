open { def g = [1i32, 2] }
def f (_x: i32) = g with [0] = 3
-- expect
-- Error at H07_1.fut:2:19-20:
-- Consuming variable "g", which is not consumable: it is a constant of the program [H07]
--  1 | open { def g = [1i32, 2] }
--    | -------------------------- bound here
--  2 | def f (_x: i32) = g with [0] = 3
--    |                   ^
-- help: update a copy: `copy g`
