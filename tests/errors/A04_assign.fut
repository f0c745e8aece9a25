def f (xs: *[]i32) = let xs[0] := 1 in xs
-- expect
-- Error at A04_assign.fut:1:32-33:
-- Unexpected token: `:`, expected `=` and the new value [A04]
--  1 | def f (xs: *[]i32) = let xs[0] := 1 in xs
--    |                                ^
-- help: an element gets its value by `=`: `let xs[i] = v`
