module F A = { }
-- expect
-- Error at A04_module_parameter.fut:1:10-11:
-- Unexpected token: `A`, expected `=` before the module [A04]
--  1 | module F A = { }
--    |          ^
-- help: a parameter has a module type: `module m (p: s) = ..`
