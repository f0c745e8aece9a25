fun f (x: i32) = x

val g : i32 = 3
-- expect
-- Error at A04_def.fut:1:1-4:
-- Unexpected token: `fun`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  1 | fun f (x: i32) = x
--    | ^^^
-- help: names are defined by `def`: `def f x = ..`
