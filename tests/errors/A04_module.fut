module m { def f x = x }
-- expect
-- Error at A04_module.fut:1:10-11:
-- Unexpected token: `{`, expected `=` before the module [A04]
--  1 | module m { def f x = x }
--    |          ^
-- help: write `=` before the declarations: `module m = { .. }`
