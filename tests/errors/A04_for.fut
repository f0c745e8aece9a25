def sum (n: i64) =
  let acc = 0
  for i < n do
    acc + i
-- expect
-- Error at A04_for.fut:3:3-6:
-- Unexpected token: `for`, expected `in` or another `let` [A04]
--  2 |   let acc = 0
--    |   --- this `let`
--  3 |   for i < n do
--    |   ^^^
-- help: a loop is an expression that makes new values of its state: `loop sum = 0 for i < n do sum + i`
