i32 f(i32 x) = x
-- expect
-- Error at A04_type_first.fut:1:1-4:
-- Unexpected token: `i32`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  1 | i32 f(i32 x) = x
--    | ^^^
-- help: names are defined by `def`: `def f x = ..`
