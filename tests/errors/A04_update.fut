def first (xs: *[]i64) =
  xs[0] = 5
  in xs
-- expect
-- Error at A04_update.fut:2:9-10:
-- Unexpected token: `=`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  2 |   xs[0] = 5
--    |         ^
-- help: in a body, a value gets its name by `let x = ..`, an element by `let xs[i] = ..`
