def f (x: i64) =
  let y = x + 1;
  in y
-- expect
-- Error at A01_semicolon.fut:2:16-17:
-- Unexpected token: the character `;` has no meaning here [A01]
--  2 |   let y = x + 1;
--    |                ^
-- help: nothing ends a line; fields and elements are separated by `,`
