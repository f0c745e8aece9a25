def f [n] [m] (a: [n]i32) (b: [m]i32) = zip a b
-- expect
-- Error at F01.fut:1:47-48:
-- Sizes "n" and "m" do not match [F01]
--  1 | def f [n] [m] (a: [n]i32) (b: [m]i32) = zip a b
--    |                                               ^
-- note: in the argument of `zip`
-- note: expected: [n]i32
-- note: actual:   [m]i32
-- help: if they are equal, have it checked at run time: `b :> [n]i32`
