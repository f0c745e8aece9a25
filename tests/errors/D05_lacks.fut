def dot [n] (xs: [n]f32) (ys: [n]f32) = f32.sum (map2 (*) xs ys)
def f [n] (xs: [n]f32): f32 = dot xs
-- expect
-- Error at D05_lacks.fut:2:31-37:
-- Function body does not have expected type. [D05]
-- Expected:
--   f32
-- Actual:
--   []f32 -> f32
--  2 | def f [n] (xs: [n]f32): f32 = dot xs
--    |                               ^^^^^^
-- help: `dot xs` is a function, which lacks 1 argument
