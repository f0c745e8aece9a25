def f [n] (a: [n]i64) =
  let g (_: i64): *[n]i64 = a
  in g 1 with [0] = 2
-- expect
-- Error at H04_captured.fut:3:6-9:
-- Consuming variable "a", which is not consumable [H04]
--  1 | def f [n] (a: [n]i64) =
--    |            - bound here
--  3 |   in g 1 with [0] = 2
--    |      ^^^
-- help: declare it with `*`, or update a copy: `copy a`
