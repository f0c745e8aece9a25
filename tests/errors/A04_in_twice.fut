def f (n: i32) =
  let x = 1 in
  let y = 2 in
  in x + y + n
-- expect
-- Error at A04_in_twice.fut:4:3-5:
-- Unexpected token: `in`, expected an expression [A04]
--  4 |   in x + y + n
--    |   ^^
-- help: a `let` has one `in`; of several in a row only the last needs it
