def f (n: i64) =
  let a = iota n
  let g (_: i64): *[n]i64 = a
  let b = g 1 with [0] = 2
  in (b, g 2)
-- expect
-- Error at H01_captured.fut:5:10-11:
-- Using variable "g", but this was consumed at H01_captured.fut:4:11-14. (Possibly through aliases.) [H01]
--  4 |   let b = g 1 with [0] = 2
--    |           --- consumed here
--  5 |   in (b, g 2)
--    |          ^
