def g = [1i32]
def f (_x: i32) = g
-- expect
-- Error at H10_1.fut:2:19-20:
-- The result aliases the free variable "g" [H10]
--  2 | def f (_x: i32) = g
--    |                   ^
-- help: return a copy of it
