def f (x: i32) (y: i32) = x + y
def g = f(1, 2+3)
def h xs = map(\x -> x + 1, xs)
-- expect
-- Error at D01_list.fut:2:10-18:
-- Cannot apply "f" to "(1, 2+3)" (invalid type). [D01]
-- Expected:
--   i32
-- Actual:
--   (number, number)
--  2 | def g = f(1, 2+3)
--    |          ^^^^^^^^
-- help: arguments stand side by side: `f 1 (2+3)`
--
-- Error at D01_list.fut:3:15-32:
-- Cannot apply "map" to "(\x -> x + 1, xs)" (invalid type). [D01]
-- Expected:
--   t0 -> t1
-- Actual:
--   (number -> number, t2)
--  3 | def h xs = map(\x -> x + 1, xs)
--    |               ^^^^^^^^^^^^^^^^^
-- help: arguments stand side by side: `map (\x -> x + 1) xs`
