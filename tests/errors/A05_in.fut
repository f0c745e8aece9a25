def f (x: i32) =
  let y = x + 1
  y * 2
-- expect
-- Error at A05_in.fut:3:8-9:
-- Unexpected end of file, expected `in` or another `let` [A05]
--  2 |   let y = x + 1
--    |   --- this `let`
--  3 |   y * 2
--    |        ^
-- help: write `in` before line 3, where the body seems to begin
