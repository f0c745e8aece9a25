def f (x: i32) =
  let y = (x + 1
  in y * 2
-- expect
-- Error at A04_opened.fut:3:3-5:
-- Unexpected token: `in`, expected `)` after the expression [A04]
--  2 |   let y = (x + 1
--    |           - opened here
--  3 |   in y * 2
--    |   ^^
