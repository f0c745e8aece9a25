module m = { def g = [1i32, 2] }
def f (_x: i32) = let ys = m.g in ys
-- expect
-- Error at H10_2.fut:2:19-37:
-- The result aliases the free variable "m.g" [H10]
--  2 | def f (_x: i32) = let ys = m.g in ys
--    |                   ^^^^^^^^^^^^^^^^^^
-- help: return a copy of it
