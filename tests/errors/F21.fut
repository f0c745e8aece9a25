def f = ([] :> [0][3]i32)
-- expect
-- Error at F21.fut:1:10-12:
-- Ambiguous size arising from a size coercion: nothing determines the size of the value before `:>` [F21]
--  1 | def f = ([] :> [0][3]i32)
--    |          ^^
