module m = def f x = x
-- expect
-- Error at A04_module_def.fut:1:12-15:
-- Unexpected token: `def`, expected a module: a name, declarations in braces, or import [A04]
--  1 | module m = def f x = x
--    |            ^^^
-- help: the declarations of a module stand in braces: `module m = { .. }`
