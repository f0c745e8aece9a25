def f (b: bool) =
  if b then
    let y = 1
    let z = 2
  else 3
-- expect
-- Error at A04_in.fut:5:3-7:
-- Unexpected token: `else`, expected `in` or another `let` [A04]
--  4 |     let z = 2
--    |     --- this `let`
--  5 |   else 3
--    |   ^^^^
