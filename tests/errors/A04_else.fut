def f (x: i32) =
  let y = if x > 3 then 4
  in y
-- expect
-- Error at A04_else.fut:3:3-5:
-- Unexpected token: `in`, expected `else` before the other branch [A04]
--  3 |   in y
--    |   ^^
-- help: `if` has a value, so it needs both branches
